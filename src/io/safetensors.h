#pragma once
// safetensors files: their header, checked in full before anything is used, and a file in memory.
//
//   8 bytes   N, little-endian: length of the header
//   N bytes   JSON: {"__metadata__": {"format": "pt"}, "a.weight": {"dtype": "F32",
//             "shape": [2, 3], "data_offsets": [0, 24]}, …}
//   the rest  the tensors' bytes, little-endian; offsets count from here
//
// (format: the safetensors project's README). The tensors must cover the rest exactly: no gap, no
// overlap. Data may be unaligned.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/byte_block.h"
#include "io/dtype.h"

namespace pocketbert {

struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<uint64_t> shape;
  // Bytes [begin, end) of the data section; end - begin = elements * DTypeSize(dtype).
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t bytes() const { return end - begin; }
  uint64_t elements() const { return bytes() / DTypeSize(dtype); }
};

// "[30522, 384]".
std::string ShapeText(std::span<const uint64_t> shape);

struct SafetensorsHeader {
  // Where the data section begins in the file: 8 + N.
  uint64_t data_start = 0;
  // Length of the data section.
  uint64_t data_bytes = 0;
  // In the order of their bytes.
  std::vector<TensorInfo> tensors;
  // `__metadata__`, in the file's order.
  std::vector<std::pair<std::string, std::string>> metadata;

  uint64_t file_bytes() const { return data_start + data_bytes; }
  // Linear in the number of tensors.
  const TensorInfo* Find(std::string_view name) const;
  // The value of a metadata key, if it is there.
  std::optional<std::string_view> Metadata(std::string_view key) const;
};

// The least bytes of a file that hold its header's length.
inline constexpr size_t kSafetensorsLengthBytes = 8;

// 8 + N from the first bytes of a file, for a reader that streams. `file_bytes`: size of the file,
// if known. Errors (kFormat) name the file: shorter than 8 bytes; a length of 0, above 100 MB, or
// beyond the end of the file; bytes that look like a web page instead.
Result<uint64_t> SafetensorsDataStart(std::string_view file, std::span<const uint8_t> first_bytes,
                                      std::optional<uint64_t> file_bytes);

// Parses and checks the header. `bytes`: the file from its start, at least up to the data section
// (more is not looked at). `file_bytes`: size of the whole file, if known; else the header's own
// word is taken. Errors (kFormat, or kUnsupported for a dtype that is no known one) name the file,
// the tensor, what was found and what was expected.
Result<SafetensorsHeader> ParseSafetensorsHeader(std::string_view file,
                                                 std::span<const uint8_t> bytes,
                                                 std::optional<uint64_t> file_bytes);

// The first 8 + N bytes of a file with these metadata and tensors, whose begin and end must be set.
// The header is padded with spaces so that its bytes, including the 8, are a multiple of 64 and at
// least `min_bytes`.
std::vector<uint8_t> EncodeSafetensorsHeader(const SafetensorsHeader& header, size_t min_bytes = 0);

// Sets begin and end of all tensors, without gaps, and data_bytes. First come the tensors whose
// bytes are a multiple of 64, as given: they begin at multiples of 64. Then the others by falling
// element size, so that each begins at a multiple of its element size.
void PlanSafetensorsOffsets(SafetensorsHeader& header);

// A safetensors file in memory: owns its bytes. Moving it keeps the bytes' address.
class TensorFile {
 public:
  // `name` is the file's name in messages. Errors as of ParseSafetensorsHeader.
  static Result<TensorFile> FromBytes(std::string name, ByteBlock bytes);

  TensorFile(TensorFile&&) = default;
  TensorFile& operator=(TensorFile&&) = default;

  const std::string& name() const { return name_; }
  const SafetensorsHeader& header() const { return header_; }
  // The whole file.
  std::span<const uint8_t> bytes() const { return block_.bytes(); }
  // The bytes of one tensor of this file's header.
  std::span<const uint8_t> TensorBytes(const TensorInfo& tensor) const;
  std::span<uint8_t> MutableTensorBytes(const TensorInfo& tensor);
  // Gives the bytes away, header and all.
  ByteBlock TakeBytes() && { return std::move(block_); }

 private:
  TensorFile() = default;

  std::string name_;
  ByteBlock block_;
  SafetensorsHeader header_;
};

}  // namespace pocketbert
