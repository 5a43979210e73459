#include "text/utf8.h"

#include <catch2/catch_amalgamated.hpp>
#include <random>
#include <string>

namespace pocketbert {
namespace {

TEST_CASE("UTF-8 is written and read back for every code point") {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    char bytes[4];
    const size_t length = WriteUtf8(c, bytes);
    const char* at = bytes;
    if (ReadUtf8(at) != c || at != bytes + length) FAIL(static_cast<uint32_t>(c));
    if (ReadUtf8Backward(at) != c || at != bytes) FAIL(static_cast<uint32_t>(c));
    if (!IsValidUtf8({bytes, length})) FAIL(static_cast<uint32_t>(c));
    // Cut anywhere it is one invalid part.
    for (size_t cut = 1; cut < length; ++cut) {
      if (MakeValidUtf8({bytes, cut}) != "\uFFFD") FAIL(static_cast<uint32_t>(c));
    }
  }
  CHECK(Utf16Units(0xFFFF) == 1);
  CHECK(Utf16Units(0x10000) == 2);
}

// The examples of the Unicode Standard, tables 3-8 to 3-11, which the WHATWG decoder follows.
TEST_CASE("an invalid sequence becomes one replacement character for each maximal part") {
  const std::string r = "\uFFFD";
  const std::string r4 = r + r + r + r;
  CHECK(MakeValidUtf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") == r4 + r4 + "A");
  CHECK(MakeValidUtf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") == r4 + r4 + "A");
  CHECK(MakeValidUtf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42") == r4 + r + "A" + r + r + "B");
  CHECK(MakeValidUtf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") == r4 + "A");
  CHECK(MakeValidUtf8("") == "");
  CHECK(MakeValidUtf8("plain é 😀") == "plain é 😀");
}

TEST_CASE("the valid beginning of a text is found in whole words and in their tails") {
  for (size_t before = 0; before < 20; ++before) {
    const std::string good(before, 'x');
    CHECK(ValidUtf8Prefix(good + "\xFFyyyyyyyyyyyyyyyy") == before);
    CHECK(ValidUtf8Prefix(good + "é\xC3") == before + 2);
    CHECK(IsValidUtf8(good + "é" + good));
  }
}

// The definition of UTF-8 (Unicode Standard, D92): the bytes of one character, or 0.
size_t ValidBytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC0 || byte(0) > 0xF7 || text.size() < length) return 0;
  char32_t c = byte(0) & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    c = c << 6 | (byte(i) & 0x3Fu);
  }
  const bool shortest = c >= (length == 2 ? 0x80u : length == 3 ? 0x800u : 0x10000u);
  const bool scalar = c < 0x110000 && (c < 0xD800 || c > 0xDFFF);
  return shortest && scalar ? length : 0;
}

TEST_CASE("the valid beginning of random texts is as defined") {
  std::mt19937 random(6);
  const char32_t limits[] = {0x80, 0x800, 0xFFF, 0xFFFF, 0x10FFFF};
  size_t valid = 0;
  for (int round = 0; round < 200000; ++round) {
    std::string text;
    for (size_t i = random() % 12; i > 0; --i) {
      char bytes[4];
      text.append(bytes, WriteUtf8(random() % (limits[random() % 5] + 1), bytes));
    }
    if (round % 2 && !text.empty()) text[random() % text.size()] = static_cast<char>(random());
    size_t expected = 0;
    while (expected < text.size()) {
      const size_t bytes = ValidBytes(std::string_view(text).substr(expected));
      if (bytes == 0) break;
      expected += bytes;
    }
    if (ValidUtf8Prefix(text) != expected) FAIL("round " << round << ": expected " << expected);
    valid += expected == text.size();
  }
  CHECK(valid > 50000);
  CHECK(valid < 150000);
}

}  // namespace
}  // namespace pocketbert
