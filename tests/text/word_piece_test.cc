#include "text/word_piece.h"

#include <catch2/catch_amalgamated.hpp>
#include <random>
#include <string>

namespace pocketbert {
namespace {

WordPiece Make(std::string_view lines, const std::string& options = "") {
  const auto document = ParseJson(R"({"type":"WordPiece")" + options + "}", "model");
  auto model = WordPiece::FromJson(document.value().root(),
                                   Vocabulary::FromLines(lines, "vocab.txt").value());
  if (!model.ok()) FAIL(model.error().message);
  return std::move(model).value();
}

// "un ##aff ##able", and the pieces must lie back to back over the word.
std::string Tokens(const WordPiece& model, std::string_view word) {
  std::vector<WordToken> tokens;
  if (!model.Tokenize(word, tokens)) return "failed";
  std::string text;
  uint32_t at = 0;
  for (const WordToken& token : tokens) {
    CHECK(token.begin == at);
    at = token.end;
    if (!text.empty()) text += " ";
    text += model.vocabulary().Text(static_cast<size_t>(token.id));
  }
  CHECK(at == word.size());
  return text;
}

TEST_CASE("greedy longest match, or one unknown token") {
  const WordPiece model = Make("[UNK]\nun\n##aff\n##able\nuna\naff\n##x\né\n##é\n##中\nab\n##b");
  CHECK(Tokens(model, "unaffable") == "[UNK]");  // "una" is taken, then nothing fits
  CHECK(Tokens(model, "unable") == "[UNK]");
  CHECK(Tokens(model, "unxable") == "un ##x ##able");
  CHECK(Tokens(model, "aff") == "aff");
  CHECK(Tokens(model, "xaff") == "[UNK]");  // "##x" does not begin a word
  CHECK(Tokens(model, "ééé中") == "é ##é ##é ##中");
  CHECK(Tokens(model, "éè") == "[UNK]");
  CHECK(Tokens(model, "##x") == "##x");  // written out, it does
  CHECK(Tokens(model, "abb") == "ab ##b");
}

TEST_CASE("options of the model") {
  const WordPiece short_words = Make("[UNK]\na\n##a\né\n##é", R"(,"max_input_chars_per_word":3)");
  CHECK(Tokens(short_words, "aaa") == "a ##a ##a");
  CHECK(Tokens(short_words, "aaaa") == "[UNK]");
  CHECK(Tokens(short_words, "ééé") == "é ##é ##é");  // three characters in six bytes
  CHECK(Tokens(short_words, "éééé") == "[UNK]");
  const WordPiece other = Make(
      "<unk>\na\n@a", R"(,"unk_token":"<unk>","continuing_subword_prefix":"@")");
  CHECK(Tokens(other, "aa") == "a @a");
  CHECK(Tokens(other, "ab") == "<unk>");
  const WordPiece no_prefix = Make("[UNK]\na\nb", R"(,"continuing_subword_prefix":"")");
  CHECK(Tokens(no_prefix, "abba") == "a b b a");
  CHECK(Tokens(Make("a"), "b") == "failed");
  CHECK(Make("a").unk_id() == -1);
  CHECK(Tokens(Make("[UNK]\na", R"(,"max_input_chars_per_word":18446744073709551615)"),
               std::string(100000, 'b')) == "[UNK]");
}

// The definition, taken literally.
std::string SlowTokens(const Vocabulary& vocabulary, const std::string& word) {
  std::string text;
  size_t at = 0;
  while (at < word.size()) {
    size_t end = word.size();
    std::string piece;
    for (; end > at; --end) {
      piece = (at > 0 ? "##" : "") + word.substr(at, end - at);
      if (vocabulary.Find(piece) >= 0) break;
    }
    if (end == at) return "[UNK]";
    text += (text.empty() ? "" : " ") + piece;
    at = end;
  }
  return text;
}

TEST_CASE("random vocabularies: the same as the definition") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string lines = "[UNK]";
    for (int i = 0; i < 40; ++i) {
      lines += "\n";
      if (random() % 2) lines += "##";
      const size_t length = 1 + random() % (round % 2 ? 4 : 90);
      for (size_t k = 0; k < length; ++k) lines += static_cast<char>('a' + random() % 2);
    }
    const WordPiece model = Make(lines);
    for (int i = 0; i < 50; ++i) {
      std::string word;
      for (size_t k = 1 + random() % 99; k > 0; --k) {
        word += static_cast<char>('a' + random() % 2);
      }
      CHECK(Tokens(model, word) == SlowTokens(model.vocabulary(), word));
    }
  }
}

TEST_CASE("options that are not WordPiece's are refused by name") {
  const auto failure = [](const std::string& json) {
    const auto document = ParseJson(json, "tokenizer.json");
    auto result = WordPiece::FromJson(document.value().root(), Vocabulary());
    INFO(json);
    REQUIRE_FALSE(result.ok());
    return result.error();
  };
  CHECK(failure(R"({"type":"WordPiece","dropout":0.1})").message.find("dropout") !=
        std::string::npos);
  CHECK(failure(R"({"type":"WordPiece","max_input_chars_per_word":-1})").code ==
        ErrorCode::kFormat);
  CHECK(failure("[]").code == ErrorCode::kFormat);
}

TEST_CASE("the model of an old file is told by its members") {
  const auto type = [](const std::string& json) {
    const auto document = ParseJson(json, "tokenizer.json");
    auto name = ModelTypeName(document.value().root());
    return name.ok() ? std::string(name.value()) : name.error().message;
  };
  CHECK(type(R"({"type":"BPE","vocab":[]})") == "BPE");
  CHECK(type(R"({"merges":[],"vocab":{}})") == "BPE");
  CHECK(type(R"({"vocab":[["a",0]]})") == "Unigram");
  CHECK(type(R"({"vocab":{},"unk_token":"x"})") == "WordLevel");
  CHECK(type(R"({"continuing_subword_prefix":"##","max_input_chars_per_word":9})") == "WordPiece");
  CHECK(type(R"({"type":"Byte"})").find("\"Byte\", which is not supported") !=
        std::string::npos);
  CHECK(type("[]").find("expected an object") != std::string::npos);
}

}  // namespace
}  // namespace pocketbert
