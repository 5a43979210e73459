#include "io/dtype.h"

#include <bit>
#include <cstring>

#include "base/check.h"
#include "io/float16.h"

namespace pocketbert {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

struct DTypeEntry {
  std::string_view name;
  uint8_t size;
};

// In the order of DType.
constexpr DTypeEntry kEntries[] = {
    {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
    {"U16", 2},  {"I16", 2}, {"F16", 2}, {"BF16", 2},    {"U32", 4},
    {"I32", 4},  {"F32", 4}, {"U64", 8}, {"I64", 8},     {"F64", 8},
};

// Reads one T at any address.
template <typename T>
T LoadAt(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

}  // namespace

std::string_view DTypeName(DType dtype) { return kEntries[static_cast<size_t>(dtype)].name; }

std::string_view DTypeNames() {
  return "BOOL, U8, I8, F8_E5M2, F8_E4M3, U16, I16, F16, BF16, U32, I32, F32, U64, I64, F64";
}

std::optional<DType> DTypeFromName(std::string_view name) {
  for (size_t i = 0; i < std::size(kEntries); ++i) {
    if (kEntries[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

size_t DTypeSize(DType dtype) { return kEntries[static_cast<size_t>(dtype)].size; }

bool IsDecodableFloat(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kF32 ||
         dtype == DType::kF64;
}

void DecodeFloats(DType dtype, const uint8_t* bytes, std::span<float> out) {
  const size_t count = out.size();
  switch (dtype) {
    case DType::kF32:
      if (count != 0) std::memcpy(out.data(), bytes, count * sizeof(float));
      return;
    case DType::kF16:
      for (size_t i = 0; i < count; ++i) out[i] = F16ToFloat(LoadAt<uint16_t>(bytes + 2 * i));
      return;
    case DType::kBF16:
      for (size_t i = 0; i < count; ++i) out[i] = Bf16ToFloat(LoadAt<uint16_t>(bytes + 2 * i));
      return;
    case DType::kF64:
      for (size_t i = 0; i < count; ++i) {
        out[i] = static_cast<float>(LoadAt<double>(bytes + 8 * i));
      }
      return;
    default:
      PB_CHECK(IsDecodableFloat(dtype));
  }
}

}  // namespace pocketbert
