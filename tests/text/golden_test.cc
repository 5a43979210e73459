// The tokenizer against recorded behaviour of Hugging Face's tokenizers 0.23.3: see
// tests/reference/text/make_golden.py.

#include "golden_files.h"
#include "support/text_encoding.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer.h"
#include "text/utf8.h"
#include "tiny_tokenizer.h"

namespace pocketbert {
namespace {

void CheckEncoding(const Encoding& have, Json want) {
  CHECK(have.ids == Numbers(want.Get("ids").value()));
  CHECK(have.offsets == FlatRanges(want.Get("off").value()));
  CHECK(have.word_ids == Numbers(want.Get("w").value()));
  if (!want.Find("type")) return;
  CHECK(have.type_ids == Numbers(want.Get("type").value()));
  CHECK(have.attention_mask == Numbers<uint8_t>(want.Get("attention").value()));
  CHECK(have.special_tokens_mask == Numbers<uint8_t>(want.Get("special").value()));
  CHECK(have.sequence_ids == Numbers<int8_t>(want.Get("sequence").value()));
}

TEST_CASE("every normalizer, pre-tokenizer and kind of added token encodes as the reference") {
  const std::vector<JsonDocument> lines = ReadJsonLines("tests/golden/text/encode.jsonl");
  const Json head = lines[0].root();
  std::string loaded_for;
  std::optional<Tokenizer> tokenizer;
  size_t compared = 0;
  for (size_t i = 1; i < lines.size(); ++i) {
    const Json line = lines[i].root();
    const auto part = [&](std::string_view list, std::string_view index) {
      return WriteJson(ItemAt(head.Get(list).value(),
                              static_cast<size_t>(line.GetInt(index).value())));
    };
    TinyTokenizer tiny;
    tiny.normalizer = part("normalizers", "n");
    tiny.pre_tokenizer = part("pre_tokenizers", "p");
    tiny.added_tokens = part("added", "a");
    tiny.vocabulary = WriteJson(head.Get("vocab").value());
    if (const std::string json = tiny.Json(); json != loaded_for) {
      loaded_for = json;
      auto result = Tokenizer::FromFiles({.tokenizer_json = json});
      if (!result.ok()) FAIL(result.error().message);
      tokenizer.emplace(std::move(result).value());
    }
    const std::string text = Text(line.Get("t").value());
    INFO(tiny.normalizer << " " << tiny.pre_tokenizer << " " << WriteJson(line.Get("t").value()));
    auto encoding = EncodeText(*tokenizer, text, std::nullopt, {});
    REQUIRE(encoding.ok());
    CheckEncoding(encoding.value(), line);
    ++compared;
  }
  CHECK(compared > 500);
}

EncodeOptions ReadOptions(Json line) {
  EncodeOptions options;
  options.add_special_tokens = line.GetBool("add_special_tokens").value();
  const Json truncation = line.Get("truncation").value();
  options.truncation.emplace();
  options.truncation->max_length = static_cast<size_t>(truncation.GetInt("max_length").value());
  options.truncation->stride = static_cast<size_t>(truncation.GetInt("stride").value());
  const std::string_view strategy = truncation.GetString("strategy").value();
  options.truncation->strategy = strategy == "only_first"    ? TruncationStrategy::kOnlyFirst
                                 : strategy == "only_second" ? TruncationStrategy::kOnlySecond
                                                             : TruncationStrategy::kLongestFirst;
  if (truncation.GetString("direction").value() == "left") {
    options.truncation->direction = Side::kLeft;
  }
  if (const Json padding = line.FindOrNull("padding"); !padding.is_null()) {
    options.padding.emplace();
    if (padding.Find("length")) {
      options.padding->length = static_cast<size_t>(padding.GetInt("length").value());
    }
    options.padding->pad_to_multiple_of =
        static_cast<size_t>(padding.IntOr("pad_to_multiple_of", 0).value());
    if (padding.StringOr("direction", "right").value() == "left") {
      options.padding->direction = Side::kLeft;
    }
    options.padding->pad_id = static_cast<int32_t>(padding.IntOr("pad_id", 0).value());
    options.padding->pad_type_id = static_cast<int32_t>(padding.IntOr("pad_type_id", 0).value());
  }
  return options;
}

TEST_CASE("truncation, windows, pairs and padding as the reference") {
  const std::vector<JsonDocument> encode = ReadJsonLines("tests/golden/text/encode.jsonl");
  TinyTokenizer tiny;
  tiny.vocabulary = WriteJson(encode[0].root().Get("vocab").value());
  const Tokenizer tokenizer = tiny.Load();
  size_t windows = 0;
  size_t errors = 0;
  for (const JsonDocument& document : ReadJsonLines("tests/golden/text/options.jsonl")) {
    const Json line = document.root();
    INFO(WriteJson(line));
    const std::string text = Text(line.Get("t").value());
    const Json pair_json = line.FindOrNull("pair");
    const std::string pair = pair_json.is_null() ? "" : Text(pair_json);
    auto encoding = EncodeText(
        tokenizer, text, pair_json.is_null() ? std::nullopt : std::optional<std::string_view>(pair),
        ReadOptions(line));
    if (line.Find("error")) {
      CHECK_FALSE(encoding.ok());
      ++errors;
      continue;
    }
    if (!encoding.ok()) FAIL(encoding.error().message);
    CheckEncoding(encoding.value(), line);
    const Json overflow = line.Get("overflow").value();
    REQUIRE(encoding.value().overflow.size() == overflow.size());
    CHECK(encoding.value().truncated == (overflow.size() > 0));
    for (size_t i = 0; i < overflow.size(); ++i) {
      CheckEncoding(encoding.value().overflow[i], ItemAt(overflow, i));
      ++windows;
    }
  }
  CHECK(windows > 50);
  CHECK(errors > 10);
}

// All code points in lines of 256, an "a" before each.
std::vector<std::string> AllCodePoints() {
  std::vector<std::string> lines(1);
  size_t count = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    if (count > 0 && count % 256 == 0) {
      lines.back().push_back('a');
      lines.emplace_back();
    }
    char bytes[4];
    lines.back().push_back('a');
    lines.back().append(bytes, WriteUtf8(c, bytes));
    ++count;
  }
  lines.back().push_back('a');
  return lines;
}

TEST_CASE("every code point is normalized and split as the reference") {
  const std::vector<std::string> lines = AllCodePoints();
  for (const JsonDocument& document : ReadJsonLines("tests/golden/text/unicode.jsonl")) {
    const Json table = document.root();
    std::string out;
    if (const std::optional<Json> json = table.Find("normalizer")) {
      const Normalizer normalizer = Normalizer::FromJson(*json).value();
      for (const std::string& line : lines) {
        out.append(normalizer.Normalize(line).value()).append("\n");
      }
    } else {
      const PreTokenizer splitter =
          PreTokenizer::FromJson(table.Get("pre_tokenizer").value()).value();
      PreTokenized words;
      AlignedText text;
      for (const std::string& line : lines) {
        text.Clear();
        text.AppendSource(line, 0);
        words.Start(text, {0, static_cast<uint32_t>(line.size())});
        REQUIRE(splitter.Apply(words).ok());
        for (size_t i = 0; i < words.pieces.size(); ++i) {
          const Piece piece = words.pieces[i];
          if (i > 0) out.push_back('|');
          out.append(line, piece.begin, piece.end - piece.begin);
        }
        out.push_back('\n');
      }
    }
    INFO(table.GetString("name").value());
    CHECK(FnvHash(out) == table.GetString("hash").value());
  }
}

}  // namespace
}  // namespace pocketbert
