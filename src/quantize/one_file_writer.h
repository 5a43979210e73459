#pragma once
// OneFileWriter: a one-file model whose layout is fixed before its data exist.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/safetensors.h"

namespace pocketbert {

class OneFileWriter {
 public:
  // Plans the offsets of header.tensors, leaves `reserved_bytes` of the header for metadata that
  // come at the end, and allocates the whole file once. kOutOfMemory if that fails.
  static Result<OneFileWriter> Create(SafetensorsHeader header, size_t reserved_bytes);

  // Sets the offsets and returns the size of the whole file.
  static uint64_t PlanLayout(SafetensorsHeader& header, size_t reserved_bytes);

  // Where a tensor of the header goes; the address stays. Each tensor is to be written in full.
  std::span<uint8_t> Bytes(std::string_view tensor);
  // The same for an F32 tensor.
  std::span<float> Floats(std::string_view tensor);

  // Adds `metadata` (which must fit the reserved bytes), writes the header and gives the file away.
  Result<TensorFile> Finish(std::string name,
                            std::vector<std::pair<std::string, std::string>> metadata) &&;

  // Size of the file.
  size_t size() const { return block_.size(); }

 private:
  OneFileWriter() = default;

  SafetensorsHeader header_;
  ByteBlock block_;
};

}  // namespace pocketbert
