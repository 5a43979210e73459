#include "text/bpe.h"

#include <catch2/catch_amalgamated.hpp>
#include <random>
#include <string>

namespace pocketbert {
namespace {

using Model = std::unique_ptr<const WordModel>;

// A model of the texts in `vocab` (ids from 0 on) and the merges "a b" of `merges`, both parted by
// commas.
struct ModelText {
  std::string vocab;
  std::string merges;
  std::string options = {};
  bool byte_level = false;

  std::string Json() const {
    std::string json = R"({"type":"BPE","vocab":{)";
    int id = 0;
    for (const std::string& text : Parts(vocab)) {
      if (id > 0) json += ",";
      json += "\"" + text + "\":" + std::to_string(id++);
    }
    json += "},\"merges\":[";
    for (const std::string& text : Parts(merges)) {
      if (json.back() != '[') json += ",";
      json += "\"" + text + "\"";
    }
    return json + "]" + options + "}";
  }

  static std::vector<std::string> Parts(const std::string& list) {
    std::vector<std::string> parts;
    for (size_t at = 0; at < list.size();) {
      const size_t end = std::min(list.find(',', at), list.size());
      parts.push_back(list.substr(at, end - at));
      at = end + 1;
    }
    return parts;
  }
};

Model Make(const ModelText& text) {
  const auto document = ParseJson(text.Json(), "model");
  REQUIRE(document.ok());
  auto data = ReadModelData(document.value().root());
  if (!data.ok()) FAIL(data.error().message);
  auto model = MakeWordModel(document.value().root(), std::move(data).value(), text.byte_level);
  if (!model.ok()) FAIL(model.error().message);
  return std::move(model).value();
}

// "hug[0,3) s[3,4)"
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

TEST_CASE("the merge of the lowest rank comes first, the leftmost of equals") {
  const Model model = Make({"h,u,g,s,ug,hug,gs,ss", "u g,h ug,g s,s s"});
  CHECK(Tokens(model, "hugs") == "hug[0,3) s[3,4)");
  CHECK(Tokens(model, "gsss") == "gs[0,2) ss[2,4)");
  CHECK(Tokens(model, "sss") == "ss[0,2) s[2,3)");
  CHECK(Tokens(model, "ug") == "ug[0,2)");
}

TEST_CASE("an entry is not always what becomes of its text") {
  // "abc" is an entry, but "b c" is merged first.
  const Model model = Make({"a,b,c,bc,ab,abc", "b c,a b,ab c"});
  for (int again = 0; again < 3; ++again) CHECK(Tokens(model, "abc") == "a[0,1) bc[1,3)");
  for (int again = 0; again < 3; ++again) CHECK(Tokens(model, "bc") == "bc[0,2)");
  const Model ignoring = Make({"a,b,c,bc,ab,abc", "b c,a b,ab c", R"(,"ignore_merges":true)"});
  CHECK(Tokens(ignoring, "abc") == "abc[0,3)");
  CHECK(Tokens(ignoring, "abcb") == "a[0,1) bc[1,3) b[3,4)");
}

TEST_CASE("unknown characters") {
  CHECK(Tokens(Make({"a,<unk>", "", R"(,"unk_token":"<unk>")"}), "xéa") ==
        "<unk>[0,1) <unk>[1,3) a[3,4)");
  CHECK(Tokens(Make({"a,<unk>", "", R"(,"unk_token":"<unk>","fuse_unk":true)"}), "xéax") ==
        "<unk>[0,3) a[3,4) <unk>[4,5)");
  // Without an unknown token they are dropped, and what follows slides.
  CHECK(Tokens(Make({"a,b", ""}), "xab") == "a[0,1) b[1,2)");
  CHECK(Tokens(Make({"a,b", ""}), "x") == "");
  CHECK(Tokens(Make({"a", "", R"(,"unk_token":"<unk>")"}), "x") == "failed");
  CHECK(Tokens(Make({"a", "", R"(,"unk_token":"<unk>")"}), "a") == "a[0,1)");
}

TEST_CASE("bytes in place of unknown characters") {
  const std::string options = R"(,"unk_token":"<unk>","byte_fallback":true)";
  const Model model = Make({"a,<unk>,<0xC3>,<0xA9>", "", options});
  CHECK(Tokens(model, "aé") == "a[0,1) <0xC3>[1,2) <0xA9>[2,3)");
  CHECK(Tokens(model, "ü") == "<unk>[0,2)");  // not all its bytes have tokens
}

TEST_CASE("prefix and suffix") {
  const Model suffix =
      Make({"a,b,b</w>,ab</w>,a</w>", "a b</w>", R"(,"end_of_word_suffix":"</w>")"});
  CHECK(Tokens(suffix, "ab") == "ab</w>[0,2)");
  CHECK(Tokens(suffix, "ba") == "b[0,1) a</w>[1,2)");
  const Model prefix =
      Make({"a,b,##b,##a,ab", "a ##b", R"(,"continuing_subword_prefix":"##")"});
  CHECK(Tokens(prefix, "aba") == "ab[0,2) ##a[2,3)");
}

TEST_CASE("byte-level words") {
  // " é" is Ġ Ã © in the vocabulary.
  const Model model = Make({"Ġ,Ã,©,Ã©,ĠÃ©,a,b", "Ã ©,Ġ Ã©", "", true});
  for (int again = 0; again < 2; ++again) {
    CHECK(Tokens(model, " é") == "ĠÃ©[0,3)");
    CHECK(Tokens(model, " aé") == "Ġ[0,1) a[1,2) Ã©[2,4)");
    CHECK(Tokens(model, "Ġ") == "");  // its bytes are C4 A0
  }
}

// What both ways of merging must give: the definition, merge by merge.
std::string SlowTokens(const std::string& word, const std::vector<std::string>& merges) {
  std::vector<std::string> symbols;
  for (const char c : word) symbols.push_back(std::string(1, c));
  for (;;) {
    size_t best = 0, rank = merges.size();
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      const std::string pair = symbols[i] + " " + symbols[i + 1];
      const auto found = static_cast<size_t>(
          std::find(merges.begin(), merges.end(), pair) - merges.begin());
      if (found < rank) {
        rank = found;
        best = i;
      }
    }
    if (rank == merges.size()) break;
    symbols[best] += symbols[best + 1];
    symbols.erase(symbols.begin() + static_cast<ptrdiff_t>(best) + 1);
  }
  std::string text;
  for (const std::string& symbol : symbols) text += text.empty() ? symbol : " " + symbol;
  return text;
}

TEST_CASE("short and long words merge as the definition says") {
  std::mt19937 random(7);
  const ModelText text = {"a,b,aa,ab,ba,aab,abab,aaaa,bab,abba",
                          "a b,b a,a a,a ab,ab ab,aa aa,ba b,ab ba"};
  const std::vector<std::string> merges = ModelText::Parts(text.merges);
  const Model model = Make(text);
  for (int round = 0; round < 300; ++round) {
    std::string word;
    for (size_t k = 1 + random() % 150; k > 0; --k) word += random() % 3 ? 'a' : 'b';
    std::vector<WordToken> tokens;
    WordScratch scratch;
    REQUIRE(model->Tokenize(word, scratch, tokens));
    std::string joined;
    uint32_t at = 0;
    for (const WordToken& token : tokens) {
      CHECK(token.begin == at);
      at = token.end;
      if (!joined.empty()) joined += " ";
      joined += word.substr(token.begin, token.end - token.begin);
    }
    CHECK(joined == SlowTokens(word, merges));
  }
}

// Quadratic time would take hours.
TEST_CASE("a word of a megabyte") {
  const Model model = Make({"a,b,aa,ab,aaaa", "a a,a b,aa aa"});
  std::vector<WordToken> tokens;
  WordScratch scratch;
  REQUIRE(model->Tokenize(std::string(1 << 20, 'a'), scratch, tokens));
  CHECK(tokens.size() == 1 << 18);
  // Each pair is a candidate once, and two more come with each merge.
  CHECK(scratch.candidates.capacity() <= size_t{4} << 20);
}

TEST_CASE("merges that are not right are refused") {
  const auto failure = [](const std::string& json) {
    const auto document = ParseJson(json, "tokenizer.json");
    INFO(json);
    auto data = ReadModelData(document.value().root());
    if (!data.ok()) return data.error().message;
    auto model = MakeWordModel(document.value().root(), std::move(data).value(), false);
    REQUIRE_FALSE(model.ok());
    return model.error().message;
  };
  const std::string begin = R"({"type":"BPE","vocab":{"a":0,"b":1},)";
  CHECK(failure(begin + R"("merges":["a b"]})").find("merges[0] is \"a b\"") != std::string::npos);
  CHECK(failure(begin + R"("merges":["a x"]})").find("in the vocabulary") != std::string::npos);
  CHECK(failure(begin + R"("merges":["ab"]})").find("one blank") != std::string::npos);
  CHECK(failure(begin + R"("merges":["a  b"]})").find("one blank") != std::string::npos);
  CHECK(failure(begin + R"("merges":[["a"]]})").find("two texts") != std::string::npos);
  CHECK(failure(begin + R"("merges":[["a",1]]})").find("merges[0][1] is 1") != std::string::npos);
  CHECK(failure(begin + R"("merges":[1]})").find("merges[0] is 1") != std::string::npos);
  CHECK(failure(begin + R"("merges":{}})").find("merges") != std::string::npos);
  CHECK(failure(R"({"type":"BPE","vocab":{}})").find("merges") != std::string::npos);
  CHECK(failure(begin + R"("merges":[],"dropout":0.1})").find("dropout") != std::string::npos);
  CHECK(failure(begin + R"("merges":[],"other":1})").find("other") != std::string::npos);
  CHECK(failure(begin + R"("merges":["a b"],"continuing_subword_prefix":"###"})")
            .find("continuing_subword_prefix") != std::string::npos);
}

}  // namespace
}  // namespace pocketbert
