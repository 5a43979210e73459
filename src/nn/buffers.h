#pragma once
// LayerBuffers: where the intermediates of one layer go. Inference lets most of them share memory;
// training gives each its own, because the backward pass reads them.

#include "base/tensor.h"
#include "base/workspace.h"
#include "nn/config.h"

namespace pocketbert {

// T = tokens, H = hidden_size, I = intermediate_size. A member may share memory with another where
// the comment says so, in whole.
struct LayerBuffers {
  TensorView<float> query;      // [T, H]
  TensorView<float> key;        // [T, H]
  TensorView<float> value;      // [T, H]
  TensorView<float> context;    // [T, H] weighted sums of values; may be `query`
  TensorView<float> attended;   // [T, H] its projection plus the layer's input; may be `key`
  // [T, H] input of the feed-forward block, LayerNorm of that; may be `attended`, but not in
  // pre_norm models, where it is the attention's input before.
  TensorView<float> normed;
  TensorView<float> expanded;   // [T, I] before the activation; may overlap `value`
  TensorView<float> factor;     // [T, I] in gated models; may overlap `value`
  TensorView<float> activated;  // [T, I] after it; may be `expanded`
  // [T, H] projection plus `normed` (pre_norm: `attended`); may be the layer's input
  TensorView<float> output;
  TensorView<float> result;     // [T, H] LayerNorm of that; may be `output`; pre_norm: is `output`
};

// Buffers that share all they may; `hidden` [T, H] is input and result of every layer. Memory comes
// from the workspace's open scope: InferenceBufferBytes.
LayerBuffers MakeInferenceBuffers(const EncoderConfig& config, TensorView<float> hidden,
                                  Workspace& workspace);
size_t InferenceBufferBytes(const EncoderConfig& config, size_t tokens);

}  // namespace pocketbert
