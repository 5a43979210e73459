#include "text/unigram.h"

#include <catch2/catch_amalgamated.hpp>
#include <random>
#include <string>

namespace pocketbert {
namespace {

using Model = std::unique_ptr<const WordModel>;

Model Make(const std::string& vocab, const std::string& options = R"(,"unk_id":0)") {
  const auto document =
      ParseJson(R"({"type":"Unigram","vocab":[)" + vocab + "]" + options + "}", "model");
  REQUIRE(document.ok());
  auto data = ReadModelData(document.value().root());
  if (!data.ok()) FAIL(data.error().message);
  auto model = MakeWordModel(document.value().root(), std::move(data).value(), false);
  if (!model.ok()) FAIL(model.error().message);
  return std::move(model).value();
}

// "un[0,2) able[2,6)"
std::string Tokens(const Model& model, std::string_view word) {
  std::vector<WordToken> tokens;
  WordScratch scratch;
  if (!model->Tokenize(word, scratch, tokens)) return "failed";
  std::string text;
  for (const WordToken& token : tokens) {
    if (!text.empty()) text += " ";
    text += model->vocabulary().Text(static_cast<size_t>(token.id));
    text += "[" + std::to_string(token.begin) + "," + std::to_string(token.end) + ")";
  }
  return text;
}

TEST_CASE("the largest sum of scores wins") {
  const Model model = Make(R"(["?",0],["a",-1],["b",-1],["ab",-3],["abc",-9],["c",-2.5],["é",-1])");
  for (int again = 0; again < 2; ++again) {
    CHECK(Tokens(model, "ab") == "a[0,1) b[1,2)");  // -2 beats -3
    CHECK(Tokens(model, "abc") == "a[0,1) b[1,2) c[2,3)");
  }
  const Model other = Make(R"(["?",0],["a",-1],["b",-2],["ab",-2.5],["é",-1])");
  for (int again = 0; again < 2; ++again) CHECK(Tokens(other, "ab") == "ab[0,2)");
  CHECK(Tokens(other, "abéb") == "ab[0,2) é[2,4) b[4,5)");
  // Of equal sums the first found stays: that with the earlier last piece.
  const Model equal = Make(R"(["?",0],["a",-1],["aa",-2],["aaa",-3])");
  CHECK(Tokens(equal, "aaa") == "aaa[0,3)");
}

TEST_CASE("runs of unknown characters are one token") {
  const Model model = Make(R"(["?",0],["a",-1],["xyxyxy",-90])");
  CHECK(Tokens(model, "xéa") == "?[0,3) a[3,4)");
  CHECK(Tokens(model, "axax") == "a[0,1) ?[1,2) a[2,3) ?[3,4)");
  // The least score is -90, an unknown character costs 100: the entry is better than six.
  CHECK(Tokens(model, "xyxyxy") == "xyxyxy[0,6)");
  CHECK(Tokens(Make(R"(["a",-1])", ""), "ax") == "failed");
  CHECK(Tokens(Make(R"(["a",-1])", ""), "aa") == "a[0,1) a[1,2)");
}

TEST_CASE("bytes in place of unknown characters have the range of the whole run") {
  const std::string options = R"(,"unk_id":0,"byte_fallback":true)";
  const Model model =
      Make(R"(["?",0],["a",-1],["<0xC3>",-2],["<0xA9>",-2],["<0x78>",-2])", options);
  CHECK(Tokens(model, "aé") == "a[0,1) <0xC3>[1,3) <0xA9>[1,3)");
  CHECK(Tokens(model, "xé") == "<0x78>[0,3) <0xC3>[0,3) <0xA9>[0,3)");
  CHECK(Tokens(model, "éz") == "?[0,3)");
}

using Entries = std::vector<std::pair<std::string, double>>;

double BestScore(const Entries& entries, const std::string& word) {
  std::vector<double> best(word.size() + 1, -1e9);
  best[0] = 0;
  for (size_t at = 0; at < word.size(); ++at) {
    for (const auto& [text, score] : entries) {
      if (word.compare(at, text.size(), text) != 0) continue;
      best[at + text.size()] = std::max(best[at + text.size()], best[at] + score);
    }
  }
  return best[word.size()];
}

TEST_CASE("random words have the best score there is") {
  std::mt19937 random(3);
  Entries entries = {{"a", -3}, {"b", -3}};
  std::string json = R"(["?",0],["a",-3],["b",-3])";
  for (int i = 0; i < 60; ++i) {
    std::string text;
    for (size_t k = 2 + random() % 14; k > 0; --k) text += random() % 2 ? 'a' : 'b';
    const double score = -1 - static_cast<double>(random() % 2000) / 64;
    const auto same = [&](const auto& entry) { return entry.first == text; };
    if (std::any_of(entries.begin(), entries.end(), same)) continue;
    entries.emplace_back(text, score);
    json += ",[\"" + text + "\"," + std::to_string(score) + "]";
  }
  const Model model = Make(json);
  for (int round = 0; round < 300; ++round) {
    std::string word;
    for (size_t k = 1 + random() % 40; k > 0; --k) word += random() % 2 ? 'a' : 'b';
    std::vector<WordToken> tokens;
    WordScratch scratch;
    REQUIRE(model->Tokenize(word, scratch, tokens));
    double sum = 0;
    uint32_t at = 0;
    for (const WordToken& token : tokens) {
      CHECK(token.begin == at);
      at = token.end;
      sum += model->scores()[static_cast<size_t>(token.id)];
      CHECK(model->vocabulary().Text(static_cast<size_t>(token.id)) ==
            word.substr(token.begin, token.end - token.begin));
    }
    CHECK(at == word.size());
    CHECK(sum == BestScore(entries, word));
  }
}

// Quadratic time would take hours.
TEST_CASE("a word of a megabyte of pieces") {
  const Model model = Make(R"(["?",0],["a",-3],["aa",-4],["aaaaaaaa",-5])");
  std::vector<WordToken> tokens;
  WordScratch scratch;
  REQUIRE(model->Tokenize(std::string(1 << 20, 'a'), scratch, tokens));
  CHECK(tokens.size() == 1 << 17);
  tokens.clear();
  REQUIRE(model->Tokenize(std::string(1 << 20, 'x'), scratch, tokens));
  CHECK(tokens.size() == 1);
}

TEST_CASE("vocabularies that are not right are refused") {
  const auto failure = [](const std::string& json) {
    const auto document = ParseJson(json, "tokenizer.json");
    INFO(json);
    if (!document.ok()) return document.error().message;
    auto data = ReadModelData(document.value().root());
    if (!data.ok()) return data.error().message;
    auto model = MakeWordModel(document.value().root(), std::move(data).value(), false);
    REQUIRE_FALSE(model.ok());
    return model.error().message;
  };
  const auto vocab = [&](const std::string& list, const std::string& options = "") {
    return failure(R"({"type":"Unigram","vocab":)" + list + options + "}");
  };
  CHECK(vocab("{}").find("vocab") != std::string::npos);
  CHECK(vocab("[1]").find("vocab[0] is 1") != std::string::npos);
  CHECK(vocab(R"([["a"]])").find("a text and its score") != std::string::npos);
  CHECK(vocab(R"([["a","b"]])").find("a text and its score") != std::string::npos);
  CHECK(vocab(R"([[1,2]])").find("a text and its score") != std::string::npos);
  CHECK(vocab(R"([["a",null]])").find("vocab[0][1] is null") != std::string::npos);
  CHECK(vocab(R"([["a",NaN]])").find("not valid JSON") != std::string::npos);
  CHECK(vocab(R"([["a",-1e999]])").find("1e999") != std::string::npos);
  CHECK(vocab(R"([["a",1]])", R"(,"unk_id":1)").find("unk_id is 1") != std::string::npos);
  CHECK(vocab(R"([["a",1]])", R"(,"unk_id":-1)").find("unk_id is -1") != std::string::npos);
  CHECK(vocab(R"([["a",1]])", R"(,"alpha":1)").find("alpha") != std::string::npos);
  CHECK(vocab("[[\"" + std::string(1025, 'a') + "\",1]]").find("1025 bytes") != std::string::npos);
}

}  // namespace
}  // namespace pocketbert
