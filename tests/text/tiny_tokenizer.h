#pragma once
// A tokenizer.json out of parts, for tests.

#include <catch2/catch_amalgamated.hpp>
#include <string>

#include "text/tokenizer.h"

namespace pocketbert {

// Uncased BERT over a vocabulary of one's own, whose first five entries must be the special tokens.
struct TinyTokenizer {
  std::string normalizer =
      R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,)"
      R"("strip_accents":null,"lowercase":true})";
  std::string pre_tokenizer = R"({"type":"BertPreTokenizer"})";
  std::string added_tokens = "[]";  // besides the special ones
  std::string decoder = R"({"type":"WordPiece","prefix":"##","cleanup":true})";
  std::string truncation = "null";
  std::string padding = "null";
  std::string post_processor =
      R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[CLS]","type_id":0}},)"
      R"({"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[SEP]","type_id":0}}],)"
      R"("pair":[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},)"
      R"({"SpecialToken":{"id":"[SEP]","type_id":0}},{"Sequence":{"id":"B","type_id":1}},)"
      R"({"SpecialToken":{"id":"[SEP]","type_id":1}}],"special_tokens":{)"
      R"("[CLS]":{"id":"[CLS]","ids":[2],"tokens":["[CLS]"]},)"
      R"("[SEP]":{"id":"[SEP]","ids":[3],"tokens":["[SEP]"]}}})";
  std::string vocabulary =
      R"({"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"[MASK]":4,"hello":5,"world":6,"un":7,)"
      R"("##aff":8,"##able":9,"!":10,"ete":11,"a":12,"##a":13,"new":14,"york":15,"the":16})";
  std::string model_options =
      R"("unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100)";

  std::string Json() const {
    std::string tokens;
    int id = 0;
    for (const char* content : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
      tokens.append(tokens.empty() ? "" : ",")
          .append("{\"id\":" + std::to_string(id++) + ",\"content\":\"" + content)
          .append(R"(","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,)")
          .append(R"("special":true})");
    }
    if (added_tokens.size() > 2) tokens += "," + added_tokens.substr(1, added_tokens.size() - 2);
    return R"({"version":"1.0","truncation":)" + truncation + R"(,"padding":)" + padding +
           R"(,"added_tokens":[)" + tokens + R"(],"normalizer":)" + normalizer +
           R"(,"pre_tokenizer":)" + pre_tokenizer + R"(,"post_processor":)" + post_processor +
           R"(,"decoder":)" + decoder + R"(,"model":{"type":"WordPiece",)" + model_options +
           R"(,"vocab":)" + vocabulary + "}}";
  }

  Tokenizer Load() const {
    const std::string json = Json();
    auto tokenizer = Tokenizer::FromFiles({.tokenizer_json = json});
    if (!tokenizer.ok()) FAIL(tokenizer.error().message);
    return std::move(tokenizer).value();
  }

  // The message of the error that loading gives.
  std::string LoadFailure() const {
    const std::string json = Json();
    auto tokenizer = Tokenizer::FromFiles({.tokenizer_json = json});
    INFO(json);
    REQUIRE_FALSE(tokenizer.ok());
    return tokenizer.error().message;
  }
};

}  // namespace pocketbert
