#include "text/split.h"

#include <catch2/catch_amalgamated.hpp>
#include <string>

#include "text/pre_tokenizer.h"
#include "text/unicode_tables.h"

namespace pocketbert {
namespace {

// The pieces, parted by "|".
std::string Pieces(const std::string& json, std::string_view text) {
  auto document = ParseJson(json, "test");
  REQUIRE(document.ok());
  auto pre_tokenizer = PreTokenizer::FromJson(document.value().root());
  if (!pre_tokenizer.ok()) FAIL(pre_tokenizer.error().message);
  AlignedText aligned;
  aligned.AppendSource(text, 0);
  PreTokenized words;
  words.Start(aligned, {0, static_cast<uint32_t>(text.size())});
  REQUIRE(pre_tokenizer.value().Apply(words).ok());
  std::string joined;
  for (const Piece& piece : words.pieces) {
    if (!joined.empty()) joined += "|";
    joined += words.text->text().substr(piece.begin, piece.end - piece.begin);
  }
  return joined;
}

std::string SplitAt(const std::string& behavior, bool invert, std::string_view text) {
  return Pieces(R"({"type":"Split","pattern":{"String":"-"},"behavior":")" + behavior +
                    R"(","invert":)" + (invert ? "true}" : "false}"),
                text);
}

// The example of the reference's documentation.
TEST_CASE("Split does with delimiters what its behavior says") {
  const std::string_view text = "the-final--countdown";
  CHECK(SplitAt("Removed", false, text) == "the|final|countdown");
  CHECK(SplitAt("Isolated", false, text) == "the|-|final|-|-|countdown");
  CHECK(SplitAt("MergedWithPrevious", false, text) == "the-|final-|-|countdown");
  CHECK(SplitAt("MergedWithNext", false, text) == "the|-final|-|-countdown");
  CHECK(SplitAt("Contiguous", false, text) == "the|-|final|--|countdown");
  CHECK(SplitAt("Removed", true, text) == "-|-|-");
}

TEST_CASE("Split at the edges of a text") {
  CHECK(SplitAt("Removed", false, "-") == "");
  CHECK(SplitAt("Isolated", false, "-") == "-");
  CHECK(SplitAt("MergedWithPrevious", false, "--a") == "-|-|a");
  CHECK(SplitAt("MergedWithNext", false, "a--") == "a|-|-");
  CHECK(SplitAt("Contiguous", false, "--a--") == "--|a|--");
}

TEST_CASE("pre-tokenizers by type") {
  CHECK(Pieces(R"({"type":"BertPreTokenizer"})", " Hey, you! a_b\tc\xC2\xA0""d ") ==
        "Hey|,|you|!|a|_|b|c|d");
  CHECK(Pieces(R"({"type":"BertPreTokenizer"})", "a。b¿c") == "a|。|b|¿|c");
  CHECK(Pieces(R"({"type":"Whitespace"})", "Hey, man!! a_b  été") == "Hey|,|man|!!|a_b|été");
  CHECK(Pieces(R"({"type":"WhitespaceSplit"})", " Hey, man! \n") == "Hey,|man!");
  CHECK(Pieces(R"({"type":"Punctuation"})", "Hey ..!") == "Hey |.|.|!");
  CHECK(Pieces(R"({"type":"Punctuation","behavior":"Contiguous"})", "Hey ..!") == "Hey |..!");
  CHECK(Pieces(R"({"type":"Digits","individual_digits":true})", "a12b½") == "a|1|2|b|½");
  CHECK(Pieces(R"({"type":"Digits","individual_digits":false})", "a12b½") == "a|12|b|½");
  CHECK(Pieces(R"({"type":"CharDelimiterSplit","delimiter":"é"})", "aéb") == "a|b");
  CHECK(Pieces(R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},)"
               R"({"type":"Digits","individual_digits":true}]})",
               "a1 b22") == "a|1|b|2|2");
  CHECK(Pieces("null", "all of it") == "all of it");
}

TEST_CASE("pre-tokenizers that nothing here computes are refused by name") {
  const auto failure = [](const std::string& json) {
    const auto document = ParseJson(json, "tokenizer.json");
    auto result = PreTokenizer::FromJson(document.value().root());
    INFO(json);
    REQUIRE_FALSE(result.ok());
    return result.error();
  };
  for (const std::string type : {"UnicodeScripts", "FixedLength"}) {
    const Error error = failure("{\"type\":\"" + type + "\"}");
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK(error.message.find(type) != std::string::npos);
  }
  const Error regex =
      failure(R"({"type":"Split","pattern":{"Regex":"\\X+"},"behavior":"Isolated"})");
  CHECK(regex.code == ErrorCode::kUnsupported);
  CHECK(regex.message.find("\\X+") != std::string::npos);
  CHECK(failure(R"({"type":"Split","pattern":{"String":""},"behavior":"Isolated"})").code ==
        ErrorCode::kUnsupported);
  CHECK(failure(R"({"type":"Split","pattern":{"String":"a"},"behavior":"Sideways"})").message.find(
            "Sideways") != std::string::npos);
  CHECK(failure(R"({"type":"BertPreTokenizer","extra":1})").message.find("extra") !=
        std::string::npos);
  CHECK(failure(R"({"type":"Sequence","pretokenizers":[{"type":"UnicodeScripts"}]})").message.find(
            "pretokenizers[0].type") != std::string::npos);
  CHECK(failure(R"({"type":"CharDelimiterSplit","delimiter":"ab"})").message.find(
            "one character") != std::string::npos);
  CHECK(failure("{}").message.find("has no \"type\"") != std::string::npos);
  CHECK(failure("3").code == ErrorCode::kFormat);
}

}  // namespace
}  // namespace pocketbert
