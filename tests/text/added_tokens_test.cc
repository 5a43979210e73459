#include "text/added_tokens.h"

#include <catch2/catch_amalgamated.hpp>
#include <string>

namespace pocketbert {
namespace {

AddedTokens Make(const std::string& json, std::string_view vocabulary = "[PAD]\n[UNK]\nhello") {
  const auto document = ParseJson(json, "added_tokens");
  const auto normalizer =
      ParseJson(R"({"type":"BertNormalizer"})", "normalizer");
  auto added = AddedTokens::Create(document.value().root(),
                                   Vocabulary::FromLines(vocabulary, "vocab.txt").value(),
                                   Normalizer::FromJson(normalizer.value().root()).value());
  if (!added.ok()) FAIL(added.error().message);
  return std::move(added).value();
}

// What is found in a source text, with "|" between the pieces and "<" ">" around tokens.
std::string Marked(const TokenFinder& finder, std::string_view text, bool skip_special = false) {
  std::vector<TokenMatch> matches;
  finder.FindAll(text, skip_special, matches);
  std::string marked;
  size_t at = 0;
  for (const TokenMatch& match : matches) {
    marked += text.substr(at, match.begin - at);
    marked += "<" + std::string(text.substr(match.begin, match.end - match.begin)) + ">";
    at = match.end;
  }
  return marked + std::string(text.substr(at));
}

TEST_CASE("added tokens are found leftmost, then longest") {
  const AddedTokens added = Make(
      R"([{"content":"ab","normalized":false},{"content":"abcd","normalized":false},)"
      R"({"content":"bcde","normalized":false},{"content":"é","normalized":false}])");
  const TokenFinder& finder = added.in_source();
  CHECK(Marked(finder, "xabcdex") == "x<abcd>ex");
  CHECK(Marked(finder, "abcabab") == "<ab>c<ab><ab>");
  CHECK(Marked(finder, "bcdeé") == "<bcde><é>");
  CHECK(Marked(finder, "") == "");
  CHECK(added.in_normalized().empty());
}

TEST_CASE("flags of added tokens") {
  const AddedTokens added = Make(
      R"([{"content":"[L]","lstrip":true,"normalized":false},)"
      R"({"content":"[R]","rstrip":true,"normalized":false},)"
      R"({"content":"cat","single_word":true,"normalized":false},)"
      R"({"content":"[S]","special":true}])");
  const TokenFinder& finder = added.in_source();
  CHECK(Marked(finder, "a \t\u00A0[L] b") == "a< \t\u00A0[L]> b");
  CHECK(Marked(finder, "a [R] \u3000 b") == "a <[R] \u3000 >b");
  CHECK(Marked(finder, "[R]  [L]") == "<[R]  ><[L]>");
  CHECK(Marked(finder, "cat cats concat cat") == "<cat> cats concat <cat>");
  CHECK(Marked(finder, "cat, (cat) écat cat_ 1cat") == "<cat>, (<cat>) écat cat_ 1cat");
  CHECK(Marked(finder, "[S][S]") == "<[S]><[S]>");
  CHECK(Marked(finder, "[S] cat", true) == "[S] <cat>");
}

TEST_CASE("normalized tokens are looked for in normalized form") {
  const AddedTokens added = Make(R"([{"content":"Été"},{"content":"[S]","special":true}])");
  CHECK(Marked(added.in_normalized(), "un ete ici") == "un <ete> ici");
  CHECK(added.DecodedText(*added.FindByContent("Été")) == "ete");
  CHECK(added.DecodedText(*added.FindByContent("[S]")) == "[S]");
}

TEST_CASE("ids come from the vocabulary, or go on behind it") {
  const AddedTokens added = Make(
      R"([{"id":77,"content":"hello"},{"id":50,"content":"x"},{"id":3,"content":"y"},)"
      R"({"content":""},{"content":"x","special":true,"normalized":false}])");
  CHECK(added.all().size() == 3);
  CHECK(added.FindByContent("hello")->id == 2);
  CHECK(added.FindByContent("x")->id == 3);
  CHECK(added.FindByContent("y")->id == 4);
  CHECK(added.FindById(3)->content == "x");
  CHECK(added.FindById(0) == nullptr);
  CHECK(added.FindByContent("z") == nullptr);
  // Named again: the later flags count.
  CHECK(added.FindByContent("x")->special);
  CHECK(added.IsSpecialText("x"));
  CHECK_FALSE(added.IsSpecialText("hello"));
}

TEST_CASE("added tokens that are not right are refused") {
  const auto failure = [](const std::string& json) {
    const auto document = ParseJson(json, "tokenizer.json");
    auto result = AddedTokens::Create(document.value().root(), Vocabulary(), Normalizer());
    INFO(json);
    REQUIRE_FALSE(result.ok());
    return result.error();
  };
  CHECK(failure("{}").code == ErrorCode::kFormat);
  CHECK(failure(R"([{"id":1}])").message.find("content") != std::string::npos);
  CHECK(failure(R"([{"content":"a","lstrip":1}])").message.find("[0].lstrip") != std::string::npos);
  CHECK(failure(R"([{"content":"a","fuzzy":true}])").code == ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace pocketbert
