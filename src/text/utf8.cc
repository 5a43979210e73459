#include "text/utf8.h"

#include <algorithm>
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

constexpr uint64_t kHighBits = 0x8080808080808080u;
constexpr uint64_t kLowNibbles = 0x0F0F0F0F0F0F0F0Fu;

// The high bit of each byte that is 0; none may have its own high bit set.
constexpr uint64_t ZeroBytes(uint64_t word) {
  return ~(word + 0x7F7F7F7F7F7F7F7Fu) & kHighBits;
}

// Passes over valid characters of up to three bytes; returns where the first begins that is another
// one, or from which on there are not eight bytes.
//
// Eight bytes at a time, without deciding on each character: bits tell which bytes lead two or
// more, three or more, and which continue; as many must continue as the leads before them say.
[[gnu::noinline]] size_t SkipPlain(const uint8_t* bytes, size_t size) {
  size_t at = 0;
  uint64_t must_continue = 0;  // of the word, because of the one before
  uint64_t after_e0 = 0;
  uint64_t after_ed = 0;
  for (; at + 8 <= size; at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + at, 8);
    if (!((word & kHighBits) | must_continue)) continue;
    const uint64_t lead2 = word & word << 1 & kHighBits;  // C0 … FF
    const uint64_t lead3 = lead2 & word << 2;             // E0 … FF
    const uint64_t continues = (word & kHighBits) ^ lead2;
    // E0 and A0 … BF, ED and 80 … 9F: these ranges differ by the bit that here is shifted up.
    const uint64_t e0 = lead3 & ZeroBytes(word & kLowNibbles);
    const uint64_t ed = lead3 & ZeroBytes((word ^ 0x0D0D0D0D0D0D0D0Du) & kLowNibbles);
    const uint64_t wrong =
        ((e0 << 8 | after_e0) & ~(word << 2)) | ((ed << 8 | after_ed) & word << 2);
    // C0 and C1; F0 … FF.
    const uint64_t other =
        (lead2 & ~lead3 & ZeroBytes(word & 0x1E1E1E1E1E1E1E1Eu)) | (lead3 & word << 3);
    if ((continues ^ (lead2 << 8 | lead3 << 16 | must_continue)) | wrong | other) break;
    must_continue = lead2 >> 56 | lead3 >> 48;
    after_e0 = e0 >> 56;
    after_ed = ed >> 56;
  }
  if (must_continue) {
    do {
      --at;
    } while (IsContinuation(static_cast<char>(bytes[at])));
  }
  return at;
}

}  // namespace

size_t ValidUtf8Prefix(std::string_view text) {
  // Engines compile what is called often for speed, but not what loops for long.
  constexpr size_t kAtOnce = 4096;
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const size_t size = text.size();
  size_t i = 0;
  while (i < size) {
    i += SkipPlain(bytes + i, std::min(size - i, kAtOnce));
    if (i == size) break;
    if (i + 8 > size && size >= 8) {
      // The last ones together with some before them.
      uint64_t word;
      std::memcpy(&word, bytes + size - 8, 8);
      if (!(word & kHighBits)) break;
    }
    const Sequence sequence = ReadSequence(bytes + i, size - i);
    if (!sequence.valid) return i;
    i += sequence.bytes;
  }
  return size;
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
