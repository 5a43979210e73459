#include "text/charsmap.h"

#include <catch2/catch_amalgamated.hpp>
#include <cstring>
#include <random>

#include "support/charsmap_builder.h"
#include "text/clusters.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

Charsmap Make(const CharsmapKeys& keys) {
  auto map = Charsmap::FromBytes(BuildCharsmap(keys), "charsmap");
  if (!map.ok()) FAIL(map.error().message);
  return std::move(map).value();
}

// The outcome with the units each character came from: "a[0,1) b[1,3)".
std::string Mapped(const CharsmapKeys& keys, std::string_view text) {
  AlignedText in, out;
  in.AppendSource(text, 0);
  Make(keys).Append(in, out);
  std::string written;
  for (const char* at = out.bytes(); at < out.bytes() + out.size();) {
    const auto begin = static_cast<size_t>(at - out.bytes());
    ReadUtf8(at);
    const auto end = static_cast<size_t>(at - out.bytes());
    const Range range = out.RangeOf(begin, end);
    if (!written.empty()) written += " ";
    written.append(out.text().substr(begin, end - begin));
    written += "[" + std::to_string(range.begin) + "," + std::to_string(range.end) + ")";
  }
  return written;
}

// The rules are those that tests/cases-families covers; here each is seen alone.
TEST_CASE("the shortest key that begins a cluster replaces all of it") {
  CHECK(Mapped({{"a", "x"}}, "ab") == "x[0,1) b[1,2)");
  CHECK(Mapped({{"e\u0301", "é"}}, "e\u0301f") == "é[0,1) f[2,3)");
  CHECK(Mapped({{"e", "E"}, {"e\u0301", "é"}}, "e\u0301e") == "E[0,1) E[2,3)");
  CHECK(Mapped({{"\r", " "}}, "\r\n\r") == " [0,1)  [2,3)");
}

TEST_CASE("clusters of six bytes and more go by characters") {
  // U+FF76 U+FF9E are three bytes each.
  CHECK(Mapped({{"\uFF76\uFF9E", "ガ"}, {"\uFF76", "カ"}}, "\uFF76\uFF9E") ==
        "カ[0,1) \uFF9E[1,2)");
}

TEST_CASE("places of what is longer or shorter than before") {
  CHECK(Mapped({{"\uFB01", "fi"}}, "a\uFB01b") == "a[0,1) f[1,2) i[1,2) b[2,3)");
  CHECK(Mapped({{"\u200B", ""}}, "a\u200Bb") == "a[0,1) b[2,3)");
  // Left out at the very beginning, all places slide.
  CHECK(Mapped({{"\u200B", ""}}, "\u200Bab") == "a[0,1) b[1,2)");
  // The further character takes the place of what is left out behind it.
  CHECK(Mapped({{"\uFB01", "fi"}, {"\u200B", ""}}, "\uFB01\u200Bb") ==
        "f[0,1) i[1,2) b[2,3)");
}

TEST_CASE("parts of a text begin with what neither joins nor vanishes") {
  const Charsmap map = Make({{"\u200B", ""}, {"\uFB01", "fi"}});
  for (const char32_t c : {U'a', U'\uFB01', U'ж', U'中', U'😀', U'\u0600'}) {
    CHECK(map.MayBeginPart(c));
  }
  for (const char32_t c : {U'\u200B', U'\u0301', U'\u200D', U'\u094D', U'\n'}) {
    CHECK_FALSE(map.MayBeginPart(c));
  }
}

// UAX #29's rules, each by an example.
TEST_CASE("grapheme clusters") {
  const auto clusters = [](std::string_view text) {
    const ClusterWalker walker(text);
    std::string joined;
    for (size_t at = 0; at < text.size();) {
      const size_t end = walker.EndOf(at);
      if (at > 0) joined += "|";
      joined += text.substr(at, end - at);
      at = end;
    }
    return joined;
  };
  CHECK(clusters("a\r\nb\n\r") == "a|\r\n|b|\n|\r");
  CHECK(clusters("e\u0301\u0323x") == "e\u0301\u0323|x");
  CHECK(clusters("\n\u0301a") == "\n|\u0301|a");
  CHECK(clusters("\u200B\u0301") == "\u200B|\u0301");
  CHECK(clusters("\u0600a1") == "\u0600a|1");
  CHECK(clusters("\u1100\u1161\u11A8\u1100") == "\u1100\u1161\u11A8|\u1100");
  CHECK(clusters("\uAC00\u11A8\u1161") == "\uAC00\u11A8|\u1161");
  CHECK(clusters("\uAC01\u1161") == "\uAC01|\u1161");
  CHECK(clusters("👨\u200D👩\u200D👧a") == "👨\u200D👩\u200D👧|a");
  CHECK(clusters("a\u200D👩") == "a\u200D|👩");
  CHECK(clusters("\u0915\u094D\u0937x") == "\u0915\u094D\u0937|x");
  CHECK(clusters("\u0915\u0937") == "\u0915|\u0937");
  CHECK(clusters("\u0915\u0903") == "\u0915\u0903");
}

TEST_CASE("damaged charsmaps are refused or do no harm") {
  const auto failure = [](std::string bytes) {
    auto map = Charsmap::FromBytes(std::move(bytes), "charsmap");
    REQUIRE_FALSE(map.ok());
    CHECK(map.error().code == ErrorCode::kFormat);
    return map.error().message;
  };
  const std::string good = BuildCharsmap({{"a", "x"}, {"é", "e"}, {"ab", "yz"}});
  failure("");
  failure("\x01\x02");
  failure(std::string("\xFF\xFF\xFF\x7F", 4));
  failure(std::string("\x05\0\0\0aaaaaaaa", 12));
  failure(std::string("\0\0\0\0\xFF", 5));
  CHECK(Charsmap::FromBytes(std::string("\0\0\0\0", 4), "empty").ok());
  std::mt19937 random(5);
  size_t loaded = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good;
    for (int k = 0; k < 4; ++k) {
      bytes[4 + random() % (bytes.size() - 4)] = static_cast<char>(random());
    }
    auto map = Charsmap::FromBytes(bytes, "charsmap");
    if (!map.ok()) continue;
    ++loaded;
    AlignedText in, out;
    in.AppendSource("ab é\u0301abc\u200Dx 中", 0);
    map.value().Append(in, out);
    REQUIRE(IsValidUtf8(out.text()));
  }
  CHECK(loaded > 1000);
}

}  // namespace
}  // namespace pocketbert
