#pragma once
// Element types of a safetensors file, and floats from the bytes of any of the float types.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace pocketbert {

enum class DType : uint8_t {
  kBool,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,  // 1 byte
  kU16,
  kI16,
  kF16,
  kBF16,  // 2 bytes
  kU32,
  kI32,
  kF32,  // 4 bytes
  kU64,
  kI64,
  kF64,  // 8 bytes
};

// "F32", "BF16" … as safetensors writes them.
std::string_view DTypeName(DType dtype);
std::optional<DType> DTypeFromName(std::string_view name);
// All names, for error messages: "BOOL, U8, …".
std::string_view DTypeNames();
// Bytes of one element: 1, 2, 4 or 8.
size_t DTypeSize(DType dtype);

// True for the types that DecodeFloats takes: F16, BF16, F32, F64.
bool IsDecodableFloat(DType dtype);

// Writes out.size() floats read from `bytes` (little-endian, any alignment, at least out.size() *
// DTypeSize(dtype) bytes). F16, BF16 and F32 are exact, F64 rounds to nearest.
void DecodeFloats(DType dtype, const uint8_t* bytes, std::span<float> out);

}  // namespace pocketbert
