#include "text/compact_number.h"

namespace pocketbert {

void AppendNumber(std::vector<uint8_t>& bytes, uint32_t value) {
  for (; value > 0x7F; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 0x80));
  bytes.push_back(static_cast<uint8_t>(value));
}

bool ReadLongNumber(std::span<const uint8_t>& bytes, uint32_t& value) {
  value = 0;
  for (int shift = 0; shift < 32; shift += 7) {
    if (bytes.empty()) return false;
    const uint8_t byte = bytes[0];
    bytes = bytes.subspan(1);
    if (shift == 28 && byte > 0x0F) return false;
    value |= static_cast<uint32_t>(byte & 0x7F) << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

}  // namespace pocketbert
