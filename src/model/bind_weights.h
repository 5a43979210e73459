#pragma once
// WeightBinder: from the tensors of a one-file model to the weight structs of nn/.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/safetensors.h"
#include "model/one_file.h"
#include "nn/weights.h"

namespace pocketbert {

// Every Bind finds the tensor of a spec, checks its type and shape, and points the slot at it. F32
// data is used where it lies (copied if unaligned); I8 matrices are repacked for the kernels, in
// place if their sizes allow. Errors name the file and the tensor, what was found, what was
// expected; so do values that are not finite, and scales that are not above 0.
class WeightBinder {
 public:
  // `file` must stay where it is as long as the bound weights live (moving it is fine).
  // `group_size`: inputs per quantization group of int8 matrices.
  WeightBinder(TensorFile& file, size_t group_size);

  Status Bind(const TensorSpec& spec, LinearWeights& slot);
  Status Bind(const TensorSpec& spec, EmbeddingTable& slot);
  Status Bind(const TensorSpec& spec, std::span<float>& slot);
  Status Bind(const TensorSpec& spec, TensorView<float>& slot);

  // That the matrix `name`, which is bound, has another type than `precision` says.
  ErrorBox PrecisionError(std::string_view name, Precision precision);

  // The bytes of a U8 vector.
  Result<std::span<const uint8_t>> Bytes(std::string_view name);

  // An error that names a tensor of the file which nothing has asked for, if there is one.
  Status CheckAllUsed() const;

  // The memory of all that could not stay in the file; the bound weights need it.
  std::vector<ByteBlock> TakeBlocks() { return std::move(blocks_); }

 private:
  static constexpr float kNoBound = -std::numeric_limits<float>::infinity();

  struct Entry {
    const TensorInfo* tensor;
    bool used = false;
    std::span<float> floats = {};  // once asked for
  };

  Entry* FindEntry(std::string_view name);
  Result<Entry*> Require(std::string_view name, std::span<const uint64_t> shape);
  ErrorBox DTypeError(const TensorInfo& tensor, std::string_view expected) const;
  // Their values are finite; above `bound`, if one is given.
  Result<std::span<float>> Floats(Entry& entry, float bound = kNoBound);
  Result<std::span<float>> RequireFloats(std::string_view name, size_t count,
                                         float bound = kNoBound);
  // The scales [rows, groups] of an I8 tensor.
  Result<TensorView<const float>> RequireScales(const TensorSpec& spec);
  Status BindI8(const TensorSpec& spec, const TensorInfo& tensor, LinearWeights& slot);

  TensorFile& file_;
  size_t group_size_;
  std::vector<Entry> entries_;  // sorted by name
  std::vector<ByteBlock> blocks_;
  std::vector<int8_t> scratch_;
};

}  // namespace pocketbert
