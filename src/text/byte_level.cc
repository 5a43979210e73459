#include "text/byte_level.h"

#include <array>

#include "text/char_category.h"
#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

constexpr char32_t kChars = 324;  // visible characters are below
constexpr uint16_t kNoByte = 256;

constexpr bool IsVisible(uint32_t byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173 && byte <= 255);
}

// Bytes that are not visible as they are get the characters from U+0100 on, in order.
struct ByteTables {
  std::array<uint16_t, 256> chars = {};
  std::array<uint16_t, kChars> bytes = {};

  constexpr ByteTables() {
    for (uint16_t& byte : bytes) byte = kNoByte;
    uint16_t next = 256;
    for (uint16_t byte = 0; byte < 256; ++byte) {
      chars[byte] = IsVisible(byte) ? byte : next++;
      bytes[chars[byte]] = byte;
    }
  }
};
constexpr ByteTables kByteTables;

// The kinds of characters that GPT-2's pattern tells apart.
enum Gpt2Kind : uint8_t { kGpt2Letter, kGpt2Number, kGpt2Blank, kGpt2Other };

Gpt2Kind ComputeKind(char32_t c, const CharTable& categories) {
  const uint32_t category = 1u << categories[c];
  if (category & kLetterBits) return kGpt2Letter;
  if (category & kNumberBits) return kGpt2Number;
  return (CharClass(c) & kWhiteSpace) ? kGpt2Blank : kGpt2Other;
}

constexpr std::array<Gpt2Kind, 128> MakeAsciiKinds() {
  std::array<Gpt2Kind, 128> kinds = {};
  for (int c = 0; c < 128; ++c) {
    const int lower = c | 0x20;
    kinds[c] = lower >= 'a' && lower <= 'z'             ? kGpt2Letter
               : c >= '0' && c <= '9'                   ? kGpt2Number
               : c == ' ' || (c >= '\t' && c <= '\r') ? kGpt2Blank
                                                        : kGpt2Other;
  }
  return kinds;
}
constexpr std::array<Gpt2Kind, 128> kAsciiKinds = MakeAsciiKinds();

// Bytes of 's 't 're 've 'm 'll 'd at `at`, or 0.
size_t EndingSize(const char* at, const char* end) {
  if (*at != '\'' || end - at < 2) return 0;
  const char first = at[1];
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if (end - at < 3) return 0;
  const char second = at[2];
  const bool three = ((first == 'r' || first == 'v') && second == 'e') ||
                     (first == 'l' && second == 'l');
  return three ? 3 : 0;
}

class Gpt2Splitter {
 public:
  Gpt2Splitter(const char* end) : end_(end), categories_(CharTables::Get().categories) {}

  // The end of the match at `at`; there always is one.
  const char* MatchEnd(const char* at) const {
    if (const size_t ending = EndingSize(at, end_)) return at + ending;
    const char* next = at;
    Gpt2Kind kind = Read(next);
    if (kind != kGpt2Blank) return RunEnd(next, kind);
    // A blank goes with what follows.
    if (*at == ' ' && next < end_) {
      const char* after = next;
      kind = Read(after);
      if (kind != kGpt2Blank) return RunEnd(after, kind);
    }
    // The last of several white space characters is left to what follows.
    const char* last = at;
    const char* run = next;
    while (run < end_) {
      const char* after = run;
      if (Read(after) != kGpt2Blank) break;
      last = run;
      run = after;
    }
    return run == end_ || last == at ? run : last;
  }

 private:
  Gpt2Kind Read(const char*& at) const {
    if (const auto byte = static_cast<uint8_t>(*at); byte < 0x80) {
      ++at;
      return kAsciiKinds[byte];
    }
    return ComputeKind(ReadUtf8(at), categories_);
  }

  const char* RunEnd(const char* at, Gpt2Kind kind) const {
    while (at < end_) {
      const char* next = at;
      if (Read(next) != kind) break;
      at = next;
    }
    return at;
  }

  const char* const end_;
  const CharTable& categories_;
};

}  // namespace

char32_t ByteChar(uint8_t byte) { return kByteTables.chars[byte]; }

std::optional<std::string> BytesOfChars(std::string_view text) {
  std::string bytes;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    const char32_t c = ReadUtf8(at);
    if (c >= kChars || kByteTables.bytes[c] == kNoByte) return std::nullopt;
    bytes.push_back(static_cast<char>(kByteTables.bytes[c]));
  }
  return bytes;
}

bool AreCharsOf(std::string_view chars, std::string_view bytes) {
  const char* at = chars.data();
  const char* const end = at + chars.size();
  for (const char byte : bytes) {
    if (at == end || ReadUtf8(at) != ByteChar(static_cast<uint8_t>(byte))) return false;
  }
  return at == end;
}

void SplitGpt2(std::string_view text, Piece piece, std::vector<Piece>& out) {
  const char* const base = text.data();
  const Gpt2Splitter splitter(base + piece.end);
  const char* at = base + piece.begin;
  while (at < base + piece.end) {
    const char* const end = splitter.MatchEnd(at);
    out.push_back({static_cast<uint32_t>(at - base), static_cast<uint32_t>(end - base)});
    at = end;
  }
}

}  // namespace pocketbert
