#pragma once
// One Transformer layer with LayerNorm after each residual sum (BERT).

#include "base/session.h"
#include "nn/batch.h"
#include "nn/buffers.h"
#include "nn/config.h"
#include "nn/weights.h"

namespace pocketbert {

// What every layer of a forward shares.
struct ForwardContext {
  const EncoderConfig& config;
  const TokenBatch& batch;
  Session& session;
};

// Reads `hidden` [tokens, hidden_size], writes buffers.result and, on the way, the other buffers.
// Workspace: LayerWorkspaceBytes, besides the buffers.
void RunLayer(const ForwardContext& context, const LayerWeights& weights,
              TensorView<const float> hidden, const LayerBuffers& buffers);

size_t LayerWorkspaceBytes(const EncoderConfig& config, size_t tokens, size_t threads);

}  // namespace pocketbert
