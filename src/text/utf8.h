#pragma once
// UTF-8 to code points and back.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pocketbert {

inline constexpr char32_t kReplacementChar = 0xFFFD;

// The code point at `at`, which moves behind it. The text must be valid UTF-8 (see MakeValidUtf8).
inline char32_t ReadUtf8(const char*& at) {
  const auto byte = [&](int i) { return static_cast<uint8_t>(at[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) {
    at += 1;
    return lead;
  }
  if (lead < 0xE0) {
    const char32_t c = (lead & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
    at += 2;
    return c;
  }
  if (lead < 0xF0) {
    const char32_t c = (lead & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    at += 3;
    return c;
  }
  const char32_t c = (lead & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 |
                     (byte(3) & 0x3Fu);
  at += 4;
  return c;
}

// Whether `byte` continues a character that began before it.
inline bool IsContinuation(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

// The code point that ends just before `at`, which moves to its first byte.
inline char32_t ReadUtf8Backward(const char*& at) {
  do {
    --at;
  } while (IsContinuation(*at));
  const char* begin = at;
  return ReadUtf8(begin);
}

// Writes `c` to `out` (room for 4) and returns the number of bytes.
inline size_t WriteUtf8(char32_t c, char* out) {
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = static_cast<char>(0xC0 | c >> 6);
    out[1] = static_cast<char>(0x80 | (c & 0x3F));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = static_cast<char>(0xE0 | c >> 12);
    out[1] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out[2] = static_cast<char>(0x80 | (c & 0x3F));
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | c >> 18);
  out[1] = static_cast<char>(0x80 | (c >> 12 & 0x3F));
  out[2] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
  out[3] = static_cast<char>(0x80 | (c & 0x3F));
  return 4;
}

// UTF-16 code units of a code point: 1 or 2.
inline uint32_t Utf16Units(char32_t c) { return c >= 0x10000 ? 2 : 1; }

// UTF-16 code units of valid UTF-8.
inline uint32_t CountUtf16(std::string_view text) {
  uint32_t units = 0;
  for (const char c : text) {
    // Each character counts by its first byte; those of four bytes are two units.
    units += !IsContinuation(c) + (static_cast<uint8_t>(c) >= 0xF0);
  }
  return units;
}

// Bytes from the beginning of `text` that are valid UTF-8: no overlong forms, no surrogates,
// nothing above U+10FFFF, no cut character.
size_t ValidUtf8Prefix(std::string_view text);

inline bool IsValidUtf8(std::string_view text) { return ValidUtf8Prefix(text) == text.size(); }

// `text` with U+FFFD for each maximal part of an invalid sequence, as a TextDecoder does it
// (WHATWG Encoding Standard, section 4.1).
std::string MakeValidUtf8(std::string_view text);

}  // namespace pocketbert
