#include "nn/encoder.h"

#include <algorithm>

#include "nn/buffers.h"
#include "nn/embed.h"
#include "nn/layer.h"

namespace pocketbert {

size_t EncoderWorkspaceBytes(const EncoderConfig& config, size_t max_batch_tokens,
                             size_t threads) {
  const size_t layers = InferenceBufferBytes(config, max_batch_tokens) +
                        LayerWorkspaceBytes(config, max_batch_tokens, threads);
  return Workspace::BytesFor<float>(max_batch_tokens * config.hidden_size) +
         std::max(EmbedWorkspaceBytes(config, max_batch_tokens, threads), layers);
}

TensorView<float> RunEncoder(const EncoderConfig& config, const EncoderWeights& weights,
                             const TokenBatch& batch, Session& session) {
  const TensorView<float> hidden =  // [tokens, hidden_size]
      session.workspace.Alloc<float>(batch.tokens(), config.hidden_size);
  EmbedTokens(config, weights, batch, hidden, session);
  Workspace::Scope scope(session.workspace);
  const LayerBuffers buffers = MakeInferenceBuffers(config, hidden, session.workspace);
  const ForwardContext context{config, batch, session};
  for (const LayerWeights& layer : weights.layers) RunLayer(context, layer, hidden, buffers);
  return hidden;
}

}  // namespace pocketbert
