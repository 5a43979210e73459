#pragma once
// The beginning of an ONNX file: its nodes, and from them the weights that will follow.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "quantize/import_plan.h"

namespace pocketbert {

struct GraphHead {
  uint64_t needed = 0;  // 0: `file` is complete; else bytes of the file's beginning, to try again
  SourceFile file;
};

// `bytes`: the file from its first byte on. Errors as of OnnxReader and FindGraphWeights, and for a
// file that ends before its nodes do.
Result<GraphHead> ReadGraphHead(std::string_view path, std::span<const uint8_t> bytes,
                                std::optional<uint64_t> file_bytes, const HfConfig& config);

}  // namespace pocketbert
