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

// Tokens of [begin, end) that have a position of their own.
size_t CountPositions(const EncoderConfig& config, const TokenBatch& batch, size_t begin,
                      size_t end) {
  if (config.padding_id < 0) return end - begin;
  size_t count = 0;
  for (size_t t = begin; t < end; ++t) count += batch.ids[t] != config.padding_id;
  return count;
}

// Walks through a batch and tells where its tokens stand in the position table.
class PositionWalk {
 public:
  PositionWalk(const EncoderConfig& config, const TokenBatch& batch, size_t begin)
      : config_(config), batch_(batch), sequence_(batch.SequenceOf(begin)) {
    counted_ = CountPositions(config, batch, batch.begin(sequence_), begin);
  }

  // For `begin`, then the token after it, and so on.
  size_t Next(size_t t) {
    while (t >= batch_.end(sequence_)) {
      ++sequence_;
      counted_ = 0;
    }
    if (!batch_.positions.empty()) return batch_.positions[t];
    if (config_.padding_id >= 0 && batch_.ids[t] == config_.padding_id) {
      return config_.first_position - 1;
    }
    return config_.first_position + counted_++;
  }

 private:
  const EncoderConfig& config_;
  const TokenBatch& batch_;
  size_t sequence_;
  size_t counted_;
};

// Fills rows [begin, end) of `rows` [tokens, embedding_size].
void EmbedRows(const ForwardContext& context, const EncoderWeights& weights,
               TensorView<float> rows, size_t begin) {
  const EncoderConfig& config = context.config;
  const TokenBatch& batch = context.batch;
  PositionWalk positions(config, batch, begin);
  for (size_t r = 0; r < rows.rows; ++r) {
    const size_t t = begin + r;
    const std::span<float> row = rows.Row(r);
    PB_CHECK(batch.ids[t] >= 0);
    SetToEmbedding(weights.words, static_cast<size_t>(batch.ids[t]), row);
    if (config.type_vocab_size > 0) {
      AddEmbedding(weights.types, batch.type_ids.empty() ? 0 : batch.type_ids[t], row);
    }
    if (config.position_table) AddEmbedding(weights.positions, positions.Next(t), row);
  }
  LayerNorm(rows, context.Norm(weights.embedding_norm), rows);
}

}  // namespace

void EmbedTokens(const ForwardContext& context, const EncoderWeights& weights,
                 TensorView<float> hidden) {
  const auto& [config, batch, tables, session] = context;
  const size_t tokens = batch.tokens();
  PB_CHECK(hidden.rows == tokens && hidden.cols == config.hidden_size);
  PB_CHECK(batch.sequences() > 0 && batch.begin(0) == 0 && batch.offsets.back() == tokens);
  PB_CHECK(batch.type_ids.empty() || batch.type_ids.size() == tokens);
  PB_CHECK(batch.positions.empty() ||
           (config.position_table && batch.positions.size() == tokens));
  Workspace::Scope scope(session.workspace);
  TensorView<float> embedded = hidden;  // [tokens, embedding_size]
  if (config.has_projection()) {
    embedded = session.workspace.Alloc<float>(tokens, config.embedding_size);
  }
  ParallelRows(*session.pool, tokens, [&](const RowBlock& block) {
    EmbedRows(context, weights, embedded.Rows(block.begin, block.end), block.begin);
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
