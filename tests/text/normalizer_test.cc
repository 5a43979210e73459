#include "text/normalizer.h"

#include <catch2/catch_amalgamated.hpp>
#include <string>

#include "golden_files.h"

namespace pocketbert {
namespace {

Normalizer Make(const std::string& json) {
  auto document = ParseJson(json, "test");
  REQUIRE(document.ok());
  auto normalizer = Normalizer::FromJson(document.value().root());
  if (!normalizer.ok()) FAIL(normalizer.error().message);
  return std::move(normalizer).value();
}

std::string Normalize(const std::string& json, std::string_view text) {
  return Make(json).Normalize(text).value();
}

std::string Form(const std::string& type, std::string_view text) {
  return Normalize("{\"type\":\"" + type + "\"}", text);
}

TEST_CASE("normal forms: UAX #15's own examples") {
  CHECK(Form("NFD", "\u00C5") == "A\u030A");
  CHECK(Form("NFC", "A\u030A") == "\u00C5");
  CHECK(Form("NFC", "\u212B") == "\u00C5");
  CHECK(Form("NFC", "s\u0323\u0307") == "\u1E69");
  CHECK(Form("NFC", "s\u0307\u0323") == "\u1E69");
  CHECK(Form("NFC", "\u1E0B\u0323") == "\u1E0D\u0307");
  CHECK(Form("NFD", "q\u0307\u0323") == "q\u0323\u0307");
  CHECK(Form("NFKC", "\uFB01") == "fi");
  CHECK(Form("NFKC", "2\u2075") == "25");
  CHECK(Form("NFKD", "\u1E9B\u0323") == "s\u0323\u0307");
  CHECK(Form("NFC", "\uAC00\u11A8") == "\uAC01");
  CHECK(Form("NFC", "\u1112\u1161\u11AB\u1100\u1173\u11AF") == "\uD55C\uAE00");
  CHECK(Form("NFD", "\uD55C") == "\u1112\u1161\u11AB");
  // A mark in between of the same class blocks; one of a lower class does not.
  CHECK(Form("NFC", "a\u0300\u0301") == "\u00E0\u0301");
  CHECK(Form("NFC", "a\u0323\u0301") == "\u1EA1\u0301");
  CHECK(Form("NFC", "a\u0327\u0301") == "\u00E1\u0327");
  CHECK(Form("NFC", "\u0301a") == "\u0301a");
  CHECK(Form("NFC", "") == "");
}

TEST_CASE("BertNormalizer: each switch by itself") {
  const auto bert = [](const std::string& options, std::string_view text) {
    return Normalize("{\"type\":\"BertNormalizer\"," + options + "}", text);
  };
  const std::string off =
      R"("clean_text":false,"handle_chinese_chars":false,"strip_accents":false,"lowercase":)";
  CHECK(bert(off + "false", "A\tÉ\u200B中") == "A\tÉ\u200B中");
  CHECK(bert(off + "true", "A\tÉ\u200BİΣ") == "a\té\u200Bi\u0307σ");
  CHECK(bert(R"("clean_text":true,"handle_chinese_chars":false,"strip_accents":false,)"
             R"("lowercase":false)",
             std::string("a") + '\0' + "b\uFFFD\u200B\x7F\u00ADc\td\ne\u00A0f\u3000g") ==
        "abc d e f g");
  CHECK(bert(R"("clean_text":false,"handle_chinese_chars":true,"strip_accents":false,)"
             R"("lowercase":false)",
             "a中文b") == "a 中  文 b");
  CHECK(bert(R"("clean_text":false,"handle_chinese_chars":false,"strip_accents":true,)"
             R"("lowercase":false)",
             "Éé\u0323が한") == "Eeか\u1112\u1161\u11AB");
  // strip_accents null follows lowercase.
  CHECK(bert(R"("strip_accents":null,"lowercase":false)", "É") == "É");
  CHECK(bert(R"("strip_accents":null,"lowercase":true)", "É") == "e");
  CHECK(bert(R"("lowercase":true)", "ĲİẞΣ") == "ĳißσ");
}

TEST_CASE("marks that stay are put in order across dropped characters") {
  // U+116B6 stays (class 9); the non-spacing mark before it (class 230) is dropped.
  const Normalizer normalizer = Make(R"({"type":"BertNormalizer"})");
  AlignedText text, other;
  text.AppendSource("a\u0820\x0B\U000116B6", 0);
  REQUIRE(normalizer.Apply(text, other).ok());
  CHECK(text.text() == "a\U000116B6");
  // It takes the place of the first mark, as in the reference.
  CHECK(text.RangeOf(1, 5) == Range{1, 2});
}

TEST_CASE("simple normalizers") {
  CHECK(Form("Lowercase", "HELLO ÀÉÎ ὈΔΥΣΣΕΎΣ İ") == "hello àéî ὀδυσσεύσ i\u0307");
  CHECK(Form("StripAccents", "e\u0301\u0903x") == "ex");
  CHECK(Form("StripAccents", "é") == "é");
  const std::string strip = R"({"type":"Strip","strip_left":true,"strip_right":)";
  CHECK(Normalize(strip + "true}", " \t\u3000a b\u00A0\n") == "a b");
  CHECK(Normalize(strip + "false}", "  a  ") == "a  ");
  CHECK(Normalize(strip + "true}", " \u2028 ") == "");
  CHECK(Normalize(R"({"type":"Replace","pattern":{"String":"aa"},"content":"b"})", "aaaaa") ==
        "bba");
  CHECK(Normalize(R"({"type":"Replace","pattern":{"String":"."},"content":""})", ".a.b.") == "ab");
  CHECK(Normalize(R"({"type":"Prepend","prepend":"▁"})", "a") == "▁a");
  CHECK(Normalize(R"({"type":"Prepend","prepend":"▁"})", "") == "");
  CHECK(Normalize(R"({"type":"Sequence","normalizers":[{"type":"NFD"},{"type":"StripAccents"},)"
                  R"({"type":"Sequence","normalizers":[{"type":"Lowercase"}]}]})",
                  "ÉTÉ") == "ete");
  CHECK(Normalize("null", "Éa") == "Éa");
}

TEST_CASE("places of what was replaced, prepended, composed and stripped") {
  const auto ranges = [](const std::string& json, std::string_view source) {
    AlignedText text, other;
    text.AppendSource(source, 10);
    REQUIRE(Make(json).Apply(text, other).ok());
    std::string out;
    for (const char* at = text.bytes(); at < text.bytes() + text.size();) {
      const auto begin = static_cast<size_t>(at - text.bytes());
      ReadUtf8(at);
      const Range range = text.RangeOf(begin, static_cast<size_t>(at - text.bytes()));
      out += std::to_string(range.begin - 10) + "-" + std::to_string(range.end - 10) + " ";
    }
    return out;
  };
  CHECK(ranges("null", "aé😀b") == "0-1 1-2 2-4 4-5 ");
  CHECK(ranges(R"({"type":"Prepend","prepend":"xy"})", "😀b") == "0-2 0-2 0-2 2-3 ");
  CHECK(ranges(R"({"type":"Replace","pattern":{"String":"bc"},"content":"xyz"})", "abcd") ==
        "0-1 2-3 2-3 2-3 3-4 ");
  CHECK(ranges(R"({"type":"NFC"})", "e\u0301x") == "0-1 2-3 ");
  CHECK(ranges(R"({"type":"NFD"})", "éx") == "0-1 0-1 1-2 ");
  CHECK(ranges(R"({"type":"Strip"})", "  a ") == "2-3 ");
  CHECK(ranges(R"({"type":"BertNormalizer"})", "中é\u200Bx") == "0-1 0-1 0-1 1-2 3-4 ");
}

TEST_CASE("normalizers that nothing here computes are refused by name") {
  const auto failure = [](const std::string& json) {
    const auto document = ParseJson(json, "tokenizer.json");
    auto result = Normalizer::FromJson(document.value().root());
    INFO(json);
    REQUIRE_FALSE(result.ok());
    return result.error();
  };
  for (const std::string type : {"ByteLevel", "UnicodeFilter", "Foo"}) {
    const Error error = failure("{\"type\":\"" + type + "\"}");
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK(error.message.find("\"" + type + "\"") != std::string::npos);
  }
  const Error regex = failure(R"({"type":"Replace","pattern":{"Regex":"(a)\\1"},"content":" "})");
  CHECK(regex.code == ErrorCode::kUnsupported);
  CHECK(regex.message.find("(a)\\1") != std::string::npos);
  CHECK(failure(R"({"type":"BertNormalizer","fold":true})").message.find("fold") !=
        std::string::npos);
  CHECK(failure(R"({"type":"BertNormalizer","lowercase":"yes"})").code == ErrorCode::kFormat);
  CHECK(failure(R"({"type":"Prepend"})").code == ErrorCode::kFormat);
}

// Ordering marks must not take quadratic time: a megabyte would take hours.
TEST_CASE("a megabyte of combining marks is put in order") {
  std::string text = "a";
  const char* const marks[] = {"\u0323", "\u0301", "\u0345"};
  for (size_t i = 0; i < 500000; ++i) text += marks[i % 3];
  const std::string decomposed = Form("NFD", text);
  REQUIRE(decomposed.size() == text.size());
  std::string expected = "a";
  const auto repeat = [&](std::string_view mark, size_t times) {
    for (size_t i = 0; i < times; ++i) expected += mark;
  };
  repeat("\u0323", 166667);
  repeat("\u0301", 166667);
  repeat("\u0345", 166666);
  CHECK(decomposed == expected);
  CHECK(Form("NFC", text).substr(0, 3) == "\u1EA1");
  CHECK(Normalize(R"({"type":"BertNormalizer"})", text) == "a");
}

}  // namespace
}  // namespace pocketbert
