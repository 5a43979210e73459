// Half precision against the definition of IEEE 754 (section 3.4), in double arithmetic.

#include "io/dtype.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <catch2/catch_amalgamated.hpp>
#include "io/float16.h"

namespace pocketbert {
namespace {

// The value of a binary floating-point number with these fields: sign, `exponent_bits` of exponent,
// `fraction_bits` of fraction.
double Ieee754(uint32_t bits, int exponent_bits, int fraction_bits) {
  const uint32_t fraction = bits & ((1u << fraction_bits) - 1);
  const uint32_t exponent = (bits >> fraction_bits) & ((1u << exponent_bits) - 1);
  const bool negative = (bits >> (fraction_bits + exponent_bits)) & 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double magnitude;
  if (exponent == (1u << exponent_bits) - 1) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction), 1 - bias - fraction_bits);
  } else {
    magnitude = std::ldexp(1 + std::ldexp(static_cast<double>(fraction), -fraction_bits),
                           static_cast<int>(exponent) - bias);
  }
  return negative ? -magnitude : magnitude;
}

bool SameValue(double expected, float found) {
  if (std::isnan(expected)) return std::isnan(found);
  return expected == static_cast<double>(found) && std::signbit(expected) == std::signbit(found);
}

TEST_CASE("every F16 and BF16 value is exact") {
  size_t wrong_f16 = 0, wrong_bf16 = 0;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    wrong_f16 += !SameValue(Ieee754(bits, 5, 10), F16ToFloat(half));
    wrong_bf16 += !SameValue(Ieee754(bits, 8, 7), Bf16ToFloat(half));
  }
  CHECK(wrong_f16 == 0);
  CHECK(wrong_bf16 == 0);
}

TEST_CASE("the reference itself: known halves") {
  CHECK(Ieee754(0x3C00, 5, 10) == 1.0);
  CHECK(Ieee754(0x7BFF, 5, 10) == 65504.0);
  CHECK(Ieee754(0x0001, 5, 10) == 5.9604644775390625e-08);
  CHECK(Ieee754(0xC000, 8, 7) == -2.0);
}

TEST_CASE("floats decode at any address and in any float type") {
  const std::vector<double> values = {0.0, -1.5, 0.333251953125, 65504.0, 6.103515625e-05};
  const uint16_t halves[] = {0x0000, 0xBE00, 0x3555, 0x7BFF, 0x0400};
  const uint16_t brains[] = {0x0000, 0xBFC0, 0x3EAA, 0x4780, 0x3880};
  const double brain_values[] = {0.0, -1.5, 0.33203125, 65536.0, 6.103515625e-05};
  for (size_t shift = 0; shift < 8; ++shift) {
    std::vector<uint8_t> bytes(shift + 64);
    std::vector<float> out(values.size());
    const auto decode = [&](DType dtype, const void* data) {
      std::memcpy(bytes.data() + shift, data, values.size() * DTypeSize(dtype));
      DecodeFloats(dtype, bytes.data() + shift, out);
    };
    decode(DType::kF64, values.data());
    for (size_t i = 0; i < out.size(); ++i) CHECK(out[i] == static_cast<float>(values[i]));
    std::vector<float> floats(values.begin(), values.end());
    decode(DType::kF32, floats.data());
    CHECK(out == floats);
    decode(DType::kF16, halves);
    for (size_t i = 0; i < out.size(); ++i) CHECK(static_cast<double>(out[i]) == values[i]);
    decode(DType::kBF16, brains);
    for (size_t i = 0; i < out.size(); ++i) CHECK(static_cast<double>(out[i]) == brain_values[i]);
  }
}

TEST_CASE("dtype names and sizes are those of safetensors") {
  const struct {
    std::string_view name;
    size_t size;
  } table[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
               {"U16", 2},  {"I16", 2}, {"F16", 2}, {"BF16", 2},    {"U32", 4},
               {"I32", 4},  {"F32", 4}, {"U64", 8}, {"I64", 8},     {"F64", 8}};
  for (const auto& row : table) {
    const std::optional<DType> dtype = DTypeFromName(row.name);
    REQUIRE(dtype.has_value());
    CHECK(DTypeName(*dtype) == row.name);
    CHECK(DTypeSize(*dtype) == row.size);
    CHECK(DTypeNames().find(row.name) != std::string_view::npos);
  }
  CHECK_FALSE(DTypeFromName("F99").has_value());
  CHECK_FALSE(DTypeFromName("").has_value());
  CHECK_FALSE(DTypeFromName("f32").has_value());
  CHECK(IsDecodableFloat(DType::kF64));
  CHECK_FALSE(IsDecodableFloat(DType::kI8));
}

}  // namespace
}  // namespace pocketbert
