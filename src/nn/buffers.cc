#include "nn/buffers.h"

#include <algorithm>

namespace pocketbert {

namespace {

// Floats per token of what `value`, `expanded` and `factor` share.
size_t SharedWidth(const EncoderConfig& config) {
  const size_t inner = config.gated ? 2 * config.intermediate_size : config.intermediate_size;
  return std::max(config.hidden_size, inner);
}

}  // namespace

LayerBuffers MakeInferenceBuffers(const EncoderConfig& config, TensorView<float> hidden,
                                  Workspace& workspace) {
  const size_t tokens = hidden.rows;
  const size_t width = config.hidden_size;
  const size_t inner = config.intermediate_size;
  LayerBuffers buffers;
  buffers.query = workspace.Alloc<float>(tokens, width);
  buffers.key = workspace.Alloc<float>(tokens, width);
  const std::span<float> shared = workspace.AllocVector<float>(tokens * SharedWidth(config));
  buffers.value = {shared.data(), tokens, width};
  buffers.context = buffers.query;
  buffers.attended = buffers.key;
  buffers.normed =
      config.pre_norm ? workspace.Alloc<float>(tokens, width) : buffers.attended;
  buffers.expanded = {shared.data(), tokens, inner};
  if (config.gated) buffers.factor = {shared.data() + tokens * inner, tokens, inner};
  buffers.activated = buffers.expanded;
  buffers.output = hidden;
  buffers.result = hidden;
  return buffers;
}

size_t InferenceBufferBytes(const EncoderConfig& config, size_t tokens) {
  const size_t matrices = config.pre_norm ? 3 : 2;
  return matrices * Workspace::BytesFor<float>(tokens * config.hidden_size) +
         Workspace::BytesFor<float>(tokens * SharedWidth(config));
}

}  // namespace pocketbert
