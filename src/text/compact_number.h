#pragma once
// Numbers in the compact forms of vocabulary.h and model_data.h.

#include <cstdint>
#include <span>
#include <vector>

namespace pocketbert {

// Four bytes, little-endian.
inline void AppendU32(std::vector<uint8_t>& bytes, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<uint8_t>(value >> shift));
}
inline uint32_t ReadU32(const uint8_t* bytes) {
  return bytes[0] | static_cast<uint32_t>(bytes[1]) << 8 | static_cast<uint32_t>(bytes[2]) << 16 |
         static_cast<uint32_t>(bytes[3]) << 24;
}

// Of variable length: 7 bits a byte, low first, high bit: more follow.
void AppendNumber(std::vector<uint8_t>& bytes, uint32_t value);
// Takes one off the front; false at the end of the bytes or for more than 32 bits.
bool ReadLongNumber(std::span<const uint8_t>& bytes, uint32_t& value);
inline bool ReadNumber(std::span<const uint8_t>& bytes, uint32_t& value) {
  if (bytes.empty() || (bytes[0] & 0x80)) return ReadLongNumber(bytes, value);
  value = bytes[0];
  bytes = bytes.subspan(1);
  return true;
}

// 0, -1, 1, -2 … as 0, 1, 2, 3 …; negative numbers wrap round.
inline uint32_t ZigzagOf(uint32_t step) { return step << 1 ^ (0u - (step >> 31)); }
inline uint32_t FromZigzag(uint32_t number) { return number >> 1 ^ (0u - (number & 1)); }

}  // namespace pocketbert
