#pragma once
// One Transformer layer: attention and a feed-forward block, each with a sum around it and a
// LayerNorm after the sum (BERT) or before the block (pre_norm).

#include "nn/buffers.h"
#include "nn/forward.h"

namespace pocketbert {

// A layer's number and weights.
struct Layer {
  size_t number;
  const LayerWeights& weights;
};

// Reads `hidden` [tokens, hidden_size], writes buffers.result and, on the way, the other buffers.
// Workspace: LayerWorkspaceBytes, besides the buffers.
void RunLayer(const ForwardContext& context, const Layer& layer, TensorView<const float> hidden,
              const LayerBuffers& buffers);

size_t LayerWorkspaceBytes(const EncoderConfig& config, size_t tokens, size_t threads);

}  // namespace pocketbert
