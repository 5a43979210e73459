#include "nn/buffers.h"

#include <algorithm>

namespace pocketbert {

LayerBuffers MakeInferenceBuffers(const EncoderConfig& config, TensorView<float> hidden,
                                  Workspace& workspace) {
  const size_t tokens = hidden.rows;
  const size_t width = config.hidden_size;
  const size_t inner = config.intermediate_size;
  LayerBuffers buffers;
  buffers.query = workspace.Alloc<float>(tokens, width);
  buffers.key = workspace.Alloc<float>(tokens, width);
  const std::span<float> shared =
      workspace.AllocVector<float>(tokens * std::max(width, inner));
  buffers.value = {shared.data(), tokens, width};
  buffers.context = buffers.query;
  buffers.attended = buffers.key;
  buffers.normed = buffers.attended;
  buffers.expanded = {shared.data(), tokens, inner};
  buffers.activated = buffers.expanded;
  buffers.output = hidden;
  buffers.result = hidden;
  return buffers;
}

size_t InferenceBufferBytes(const EncoderConfig& config, size_t tokens) {
  const size_t shared = std::max(config.hidden_size, config.intermediate_size);
  return 2 * Workspace::BytesFor<float>(tokens * config.hidden_size) +
         Workspace::BytesFor<float>(tokens * shared);
}

}  // namespace pocketbert
