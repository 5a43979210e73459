#include "text/plain_words.h"

#include <string>
#include <vector>

#include "support/text_encoding.h"
#include "tiny_tokenizer.h"

namespace pocketbert {
namespace {

// A second BertPreTokenizer finds nothing to do, but is no longer what the short way stands for.
constexpr char kStageByStage[] =
    R"({"type":"Sequence","pretokenizers":[{"type":"BertPreTokenizer"},)"
    R"({"type":"BertPreTokenizer"}]})";

std::string Normalizer(const char* clean, const char* lower) {
  return std::string(R"({"type":"BertNormalizer","clean_text":)") + clean +
         R"(,"handle_chinese_chars":true,"strip_accents":null,"lowercase":)" + lower + "}";
}

// Texts of what plain words are and of what they end at.
std::vector<std::string> Texts() {
  std::vector<std::string> parts = {
      "hello",  "HELLO",  "Unaffable", "un",   "unaffableaaaa", "new",  "York", "!",      "!!",
      "a",      "A.a",    " ",         "  ",   "\t",            "\n",   "\r\n", "\v",     "\f",
      "\x01",   "\x7F",   "\xC2\xA0",  "é",    "e\u0301",       "\u0301", "中",   "😀",     "\xFF",
      "[SEP]",  "[",      "]",         "x-y",  "\uFFFD",        "~",    "0123", "\u2019", "the",
      std::string(8, 'a'), std::string(9, 'a'), std::string(64, 'a'), std::string(65, 'a'),
      std::string(101, 'a'), std::string(1, '\0')};
  std::vector<std::string> texts = parts;
  uint32_t state = 7;
  const auto random = [&](size_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  for (const size_t length : {2, 3, 5, 9, 30, 200, 5000}) {
    for (size_t i = 0; i < 4000 / length + 3; ++i) {
      std::string text;
      // Some texts are mostly plain, some not at all.
      const size_t most = random(3) == 0 ? parts.size() : 16;
      for (size_t k = 0; k < length; ++k) {
        text += parts[random(random(20) == 0 ? parts.size() : most)];
        if (random(2) == 0) text += ' ';
      }
      texts.push_back(text);
    }
  }
  return texts;
}

void CheckSame(const Tokenizer& short_way, const Tokenizer& stages, const std::string& text,
               const EncodeOptions& options) {
  const Encoding have = EncodeText(short_way, text, std::nullopt, options).value();
  const Encoding want = EncodeText(stages, text, std::nullopt, options).value();
  const bool same = have.ids == want.ids && have.offsets == want.offsets &&
                    have.word_ids == want.word_ids && have.type_ids == want.type_ids &&
                    have.special_tokens_mask == want.special_tokens_mask &&
                    have.sequence_ids == want.sequence_ids && have.truncated == want.truncated;
  INFO(text);
  CHECK(same);
}

TEST_CASE("plain words become what they become stage by stage") {
  const std::vector<std::string> texts = Texts();
  for (const char* clean : {"true", "false"}) {
    for (const char* lower : {"true", "false"}) {
      for (const char* most : {"100", "8", "2"}) {
        TinyTokenizer tiny;
        tiny.normalizer = Normalizer(clean, lower);
        tiny.model_options = R"("unk_token":"[UNK]","continuing_subword_prefix":"##",)"
                             R"("max_input_chars_per_word":)" + std::string(most);
        const Tokenizer short_way = tiny.Load();
        tiny.pre_tokenizer = kStageByStage;
        const Tokenizer stages = tiny.Load();
        INFO("clean_text " << clean << ", lowercase " << lower << ", " << most << " characters");
        for (const std::string& text : texts) CheckSame(short_way, stages, text, {});
        EncodeOptions cut;
        cut.truncation = Truncation{.max_length = 9, .direction = Side::kLeft};
        for (const std::string& text : texts) CheckSame(short_way, stages, text, cut);
      }
    }
  }
}

TEST_CASE("plain words are done up to the run that is not for them") {
  BertNormalizer normalizer({});
  const PlainWords plain_words(normalizer);
  TinyTokenizer tiny;
  const JsonDocument json = ParseJson("{" + tiny.model_options + R"(,"type":"WordPiece"})", "model")
                                .value();
  const VocabularyEntry entries[] = {{"[UNK]", 0}, {"hello", 1}, {"a", 2}, {"##a", 3}, {".", 4}};
  const WordPiece model =
      WordPiece::FromJson(json.root(), Vocabulary::FromEntries(entries, "test").value()).value();
  const auto append = [&](std::string_view text, size_t enough = 100) {
    int32_t word_id = 10;
    std::vector<WordToken> pieces;
    std::vector<Token> tokens = {{7, {}, -1}};
    const TokenMarks marks(1, 0);
    const size_t done = plain_words.Append(model, text, enough, {100, marks, word_id, pieces},
                                           tokens);
    std::string trace = std::to_string(done) + " " + std::to_string(word_id) + ":";
    for (size_t i = 1; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      CHECK(token.marks.bits() == marks.bits());
      trace += " " + std::to_string(token.id) + "@" + std::to_string(token.range.begin) + "-" +
               std::to_string(token.range.end) + "w" + std::to_string(token.word_id);
    }
    return trace;
  };
  CHECK(append("Hello aaa.") == "10 13: 1@100-105w10 2@106-107w11 3@107-108w11 3@108-109w11 "
                                "4@109-110w12");
  CHECK(append("hello a.\xC3\xA9 a") == "6 11: 1@100-105w10");
  CHECK(append("hello\n\xC3\xA9") == "6 11: 1@100-105w10");
  CHECK(append("\xC3\xA9 hello") == "0 10:");
  CHECK(append("a a\x01") == "2 11: 2@100-101w10");
  CHECK(append("a " + std::string(65, 'a')) == "2 11: 2@100-101w10");
  CHECK(append(" \t\r\n") == "4 10:");
  CHECK(append("") == "0 10:");
  CHECK(append("a a a", 2) == "4 12: 2@100-101w10 2@102-103w11");
  CHECK(append("a  a", 1) == "2 11: 2@100-101w10");
  CHECK(append("b") == "1 11: 0@100-101w10");
}

}  // namespace
}  // namespace pocketbert
