// A line-by-line front of the tokenizer for compare.py: JSON objects in, JSON objects out.
//
//   {"load": {"tokenizer_json": "…", "vocab_txt": "…", …}}                      → {"ok": true}
//   {"text": "…", "pair": "…", "add_special_tokens": true, "encode_special_tokens": false,
//    "max_length": 8, "stride": 2, "strategy": "only_first", "left": true}      → {"ids": […], …}
//   {"texts": ["…", …], options as above}       → {"ids": [[…], …], "offsets": …, "words": …}
//   {"decode": [101, …], "skip": true}                                          → {"text": "…"}
// Errors come back as {"error": "…"}.

#include <cstdio>
#include <iostream>
#include <optional>
#include <string>

#include "base/json.h"
#include "support/text_encoding.h"
#include "text/tokenizer.h"

namespace pocketbert {
namespace {

std::optional<std::string> Optional(Json json, std::string_view key) {
  const Json value = json.FindOrNull(key);
  if (value.is_null()) return std::nullopt;
  return std::string(value.AsString().value());
}

std::optional<std::string_view> View(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

void WriteEncoding(const Encoding& encoding, JsonWriter& writer) {
  const auto list = [&](std::string_view key, const auto& values) {
    writer.Key(key).BeginArray();
    for (const auto value : values) writer.Int(value);
    writer.EndArray();
  };
  writer.BeginObject();
  list("ids", encoding.ids);
  list("type_ids", encoding.type_ids);
  list("attention_mask", encoding.attention_mask);
  list("special_tokens_mask", encoding.special_tokens_mask);
  list("word_ids", encoding.word_ids);
  list("sequence_ids", encoding.sequence_ids);
  writer.Key("offsets").BeginArray();
  for (const Range range : encoding.offsets) writer.Int(range.begin).Int(range.end);
  writer.EndArray().Key("overflow").BeginArray();
  for (const Encoding& window : encoding.overflow) WriteEncoding(window, writer);
  writer.EndArray().EndObject();
}

std::string ErrorLine(const Error& error) {
  JsonWriter writer;
  writer.BeginObject().Key("error").String(error.message).EndObject();
  return writer.TakeText();
}

class Probe {
 public:
  std::string Answer(const std::string& line) {
    const auto document = ParseJson(line, "line");
    if (!document.ok()) return ErrorLine(document.error());
    const Json json = document.value().root();
    if (json.Find("load")) return Load(json.FindOrNull("load"));
    if (!tokenizer_) return R"({"error":"nothing is loaded"})";
    if (json.Find("texts")) return EncodeMany(json);
    return json.Find("decode") ? Decode(json) : Encode(json);
  }

 private:
  std::string Load(Json json) {
    const auto tokenizer_json = Optional(json, "tokenizer_json");
    const auto vocab_txt = Optional(json, "vocab_txt");
    const auto config = Optional(json, "tokenizer_config_json");
    const auto map = Optional(json, "special_tokens_map_json");
    const auto added = Optional(json, "added_tokens_json");
    TokenizerFiles files;
    files.tokenizer_json = View(tokenizer_json);
    files.vocab_txt = View(vocab_txt);
    files.tokenizer_config_json = View(config);
    files.special_tokens_map_json = View(map);
    files.added_tokens_json = View(added);
    tokenizer_.reset();
    auto tokenizer = Tokenizer::FromFiles(files);
    if (!tokenizer.ok()) return ErrorLine(tokenizer.error());
    // The compiled form must behave alike, so that is what is tried.
    tables_ = tokenizer.value().CompiledVocabulary();
    auto compiled = Tokenizer::FromCompiled(tokenizer.value().CompiledConfig(), tables_);
    if (!compiled.ok()) return ErrorLine(compiled.error());
    tokenizer_.emplace(std::move(compiled).value());
    return R"({"ok":true})";
  }

  static EncodeOptions ReadOptions(Json json) {
    EncodeOptions options;
    options.add_special_tokens = json.BoolOr("add_special_tokens", true).value();
    options.encode_special_tokens = json.BoolOr("encode_special_tokens", false).value();
    if (const int64_t length = json.IntOr("max_length", -1).value(); length >= 0) {
      Truncation truncation;
      truncation.max_length = static_cast<size_t>(length);
      truncation.stride = static_cast<size_t>(json.IntOr("stride", 0).value());
      const std::string_view strategy = json.StringOr("strategy", "longest_first").value();
      if (strategy == "only_first") truncation.strategy = TruncationStrategy::kOnlyFirst;
      if (strategy == "only_second") truncation.strategy = TruncationStrategy::kOnlySecond;
      if (json.BoolOr("left", false).value()) truncation.direction = Side::kLeft;
      options.truncation = truncation;
    }
    return options;
  }

  std::string Encode(Json json) {
    const std::string text = *Optional(json, "text");
    const auto pair = Optional(json, "pair");
    const auto encoding = EncodeText(*tokenizer_, text, View(pair), ReadOptions(json));
    if (!encoding.ok()) return ErrorLine(encoding.error());
    JsonWriter writer;
    WriteEncoding(encoding.value(), writer);
    return writer.TakeText();
  }

  std::string EncodeMany(Json json) {
    const EncodeOptions options = ReadOptions(json);
    JsonWriter ids, offsets, words;
    ids.BeginArray();
    offsets.BeginArray();
    words.BeginArray();
    for (Json text : json.FindOrNull("texts").Items()) {
      const auto encoding = EncodeText(*tokenizer_, text.AsString().value(), {}, options);
      if (!encoding.ok()) return ErrorLine(encoding.error());
      ids.BeginArray();
      for (const int32_t id : encoding.value().ids) ids.Int(id);
      ids.EndArray();
      offsets.BeginArray();
      for (const Range range : encoding.value().offsets) offsets.Int(range.begin).Int(range.end);
      offsets.EndArray();
      words.BeginArray();
      for (const int32_t id : encoding.value().word_ids) words.Int(id);
      words.EndArray();
    }
    ids.EndArray();
    offsets.EndArray();
    words.EndArray();
    return "{\"ids\":" + ids.text() + ",\"offsets\":" + offsets.text() + ",\"words\":" +
           words.text() + "}";
  }

  std::string Decode(Json json) {
    std::vector<int32_t> ids;
    for (Json id : json.FindOrNull("decode").Items()) {
      ids.push_back(static_cast<int32_t>(id.AsInt().value()));
    }
    DecodeOptions options;
    options.skip_special_tokens = json.BoolOr("skip", true).value();
    JsonWriter writer;
    writer.BeginObject().Key("text").String(tokenizer_->Decode(ids, options)).EndObject();
    return writer.TakeText();
  }

  std::vector<uint8_t> tables_;  // which tokenizer_ stands on
  std::optional<Tokenizer> tokenizer_;
};

}  // namespace
}  // namespace pocketbert

int main() {
  pocketbert::Probe probe;
  std::string line;
  while (std::getline(std::cin, line)) std::cout << probe.Answer(line) << "\n" << std::flush;
  return 0;
}
