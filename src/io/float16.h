#pragma once
// Half precision numbers to float, exactly: every value of both formats is a float.
//
//   F16  (IEEE 754 binary16):  1 sign, 5 exponent, 10 fraction bits
//   BF16 (upper half of binary32): 1 sign, 8 exponent, 7 fraction bits

#include <bit>
#include <cstdint>

namespace pocketbert {

// Infinities stay infinities, NaNs stay NaNs with their payload's upper bits, subnormals are exact.
inline float F16ToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1Fu;
  const uint32_t fraction = half & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | (fraction << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  // Subnormal: fraction * 2^-24, a product without rounding.
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

inline float Bf16ToFloat(uint16_t half) {
  return std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
}

}  // namespace pocketbert
