#include "nn/encoder.h"

#include <algorithm>

#include "nn/buffers.h"
#include "nn/embed.h"
#include "nn/layer.h"
#include "nn/parallel.h"

namespace pocketbert {

size_t EncoderWorkspaceBytes(const EncoderConfig& config, size_t max_batch_tokens,
                             size_t threads) {
  const size_t layers = InferenceBufferBytes(config, max_batch_tokens) +
                        LayerWorkspaceBytes(config, max_batch_tokens, threads);
  return Workspace::BytesFor<float>(max_batch_tokens * config.hidden_size) +
         PositionTableBytes(config, max_batch_tokens) +
         std::max(EmbedWorkspaceBytes(config, max_batch_tokens, threads), layers);
}

TensorView<float> RunEncoder(const EncoderConfig& config, const EncoderWeights& weights,
                             const TokenBatch& batch, Session& session) {
  const TensorView<float> hidden =  // [tokens, hidden_size]
      session.workspace.Alloc<float>(batch.tokens(), config.hidden_size);
  Workspace::Scope scope(session.workspace);
  const PositionTables tables = MakePositionTables(config, weights, batch, session.workspace);
  const ForwardContext context{config, batch, tables, session};
  EmbedTokens(context, weights, hidden);
  const LayerBuffers buffers = MakeInferenceBuffers(config, hidden, session.workspace);
  for (size_t i = 0; i < config.layers; ++i) {
    RunLayer(context, {i, weights.layers[config.WeightSet(i)]}, hidden, buffers);
  }
  if (config.pre_norm) {
    ParallelRows(*session.pool, hidden.rows, [&](const RowBlock& block) {
      const TensorView<float> rows = hidden.Rows(block.begin, block.end);
      LayerNorm(rows, context.Norm(weights.final_norm), rows);
    });
  }
  return hidden;
}

}  // namespace pocketbert
