#include "nn/embed.h"

#include "kernels/elementwise.h"
#include "kernels/layer_norm.h"
#include "nn/linear.h"
#include "nn/parallel.h"

namespace pocketbert {

namespace {

ScaledI8 RowI8(const EmbeddingTable& table, size_t id) {
  return {table.i8.Row(id), table.scales.Row(id), table.group_size};
}

void SetToEmbedding(const EmbeddingTable& table, size_t id, std::span<float> row) {
  PB_CHECK(id < table.ids() && table.width() == row.size());
  if (table.f32.empty()) return ExpandI8(RowI8(table, id), row);
  const std::span<const float> values = table.f32.Row(id);
  std::copy(values.begin(), values.end(), row.begin());
}

void AddEmbedding(const EmbeddingTable& table, size_t id, std::span<float> row) {
  PB_CHECK(id < table.ids() && table.width() == row.size());
  if (table.f32.empty()) return AddExpandedI8(RowI8(table, id), row);
  Add(table.f32.Row(id), row);
}

// Where token `t` stands in the position table; `sequence` holds it.
size_t PositionOf(const EncoderConfig& config, const TokenBatch& batch, size_t sequence, size_t t) {
  if (!batch.positions.empty()) return batch.positions[t];
  return config.first_position + t - batch.begin(sequence);
}

// Fills rows [begin, end) of `rows` [tokens, embedding_size].
void EmbedRows(const EncoderConfig& config, const EncoderWeights& weights, const TokenBatch& batch,
               TensorView<float> rows, size_t begin) {
  size_t sequence = batch.SequenceOf(begin);
  for (size_t r = 0; r < rows.rows; ++r) {
    const size_t t = begin + r;
    while (t >= batch.end(sequence)) ++sequence;
    const std::span<float> row = rows.Row(r);
    PB_CHECK(batch.ids[t] >= 0);
    SetToEmbedding(weights.words, static_cast<size_t>(batch.ids[t]), row);
    if (config.type_vocab_size > 0) {
      AddEmbedding(weights.types, batch.type_ids.empty() ? 0 : batch.type_ids[t], row);
    }
    AddEmbedding(weights.positions, PositionOf(config, batch, sequence, t), row);
  }
  const LayerNormWeights& norm = weights.embedding_norm;
  LayerNorm(rows, {norm.gamma, norm.beta, config.layer_norm_eps}, rows);
}

}  // namespace

void EmbedTokens(const EncoderConfig& config, const EncoderWeights& weights,
                 const TokenBatch& batch, TensorView<float> hidden, Session& session) {
  const size_t tokens = batch.tokens();
  PB_CHECK(hidden.rows == tokens && hidden.cols == config.hidden_size);
  PB_CHECK(batch.sequences() > 0 && batch.begin(0) == 0 && batch.offsets.back() == tokens);
  PB_CHECK(batch.type_ids.empty() || batch.type_ids.size() == tokens);
  PB_CHECK(batch.positions.empty() || batch.positions.size() == tokens);
  Workspace::Scope scope(session.workspace);
  TensorView<float> embedded = hidden;  // [tokens, embedding_size]
  if (config.has_projection()) {
    embedded = session.workspace.Alloc<float>(tokens, config.embedding_size);
  }
  ParallelRows(*session.pool, tokens, [&](const RowBlock& block) {
    EmbedRows(config, weights, batch, embedded.Rows(block.begin, block.end), block.begin);
  });
  if (config.has_projection()) {
    RunLinear(weights.embedding_projection, embedded, hidden, session);
  }
}

size_t EmbedWorkspaceBytes(const EncoderConfig& config, size_t tokens, size_t threads) {
  if (!config.has_projection()) return 0;
  return Workspace::BytesFor<float>(tokens * config.embedding_size) +
         LinearWorkspaceBytes(config.embedding_size, threads);
}

}  // namespace pocketbert
