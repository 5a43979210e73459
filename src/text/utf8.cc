#include "text/utf8.h"

#include <cstring>

namespace pocketbert {
namespace {

// What stands at a place of a text that may be anything.
struct Sequence {
  size_t bytes;  // length of the character, or of the part that one U+FFFD replaces
  bool valid;
};

Sequence ReadSequence(const uint8_t* at, size_t left) {
  const uint8_t lead = at[0];
  if (lead < 0x80) return {1, true};
  if (left >= 4) {
    // Most characters of two and three bytes: those without bounds of their own.
    uint32_t word;
    std::memcpy(&word, at, sizeof word);
    if ((word & 0xC0E0) == 0x80C0 && lead >= 0xC2) return {2, true};
    if ((word & 0xC0C0F0) == 0x8080E0 && lead != 0xE0 && lead != 0xED) return {3, true};
  }
  size_t length;
  uint8_t low = 0x80;  // bounds of the second byte
  uint8_t high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {1, false};
  }
  for (size_t i = 1; i < length; ++i) {
    if (i == left || at[i] < low || at[i] > high) return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

}  // namespace

size_t ValidUtf8Prefix(std::string_view text) {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(text.data());
  size_t i = 0;
  while (i < text.size()) {
    // Eight bytes of ASCII at a time.
    uint64_t word;
    while (i + sizeof word <= text.size()) {
      std::memcpy(&word, bytes + i, sizeof word);
      if (word & 0x8080808080808080u) break;
      i += sizeof word;
    }
    if (i == text.size()) break;
    if (i + sizeof word > text.size() && text.size() >= sizeof word) {
      // The last ones together with some before them.
      std::memcpy(&word, bytes + text.size() - sizeof word, sizeof word);
      if (!(word & 0x8080808080808080u)) return text.size();
    }
    do {
      const Sequence sequence = ReadSequence(bytes + i, text.size() - i);
      if (!sequence.valid) return i;
      i += sequence.bytes;
    } while (i < text.size() && bytes[i] >= 0x80);
  }
  return i;
}

std::string MakeValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t good = ValidUtf8Prefix(text);
    valid.append(text.substr(0, good));
    text.remove_prefix(good);
    if (text.empty()) break;
    valid.append("\xEF\xBF\xBD");
    text.remove_prefix(
        ReadSequence(reinterpret_cast<const uint8_t*>(text.data()), text.size()).bytes);
  }
  return valid;
}

}  // namespace pocketbert
