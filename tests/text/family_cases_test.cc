// Tokenizers of all kinds against recorded behaviour of Hugging Face's tokenizers 0.23.3: the cases
// and fuzz lines of tests/cases-families (see the README there).

#include <filesystem>
#include <optional>

#include "compiled_tokenizer.h"
#include "golden_files.h"
#include "support/gunzip.h"
#include "support/text_encoding.h"
#include "text/tokenizer.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

const std::string kFolder = "tests/cases-families/";

Side ReadSide(Json json) {
  return json.StringOr("direction", "right").value() == "left" ? Side::kLeft : Side::kRight;
}

// null: none; "file": as the tokenizer.json says.
std::optional<Truncation> ReadTruncationOption(Json json, const Tokenizer& tokenizer) {
  if (json.is_string()) return tokenizer.file_truncation();
  if (json.is_null()) return std::nullopt;
  Truncation truncation;
  truncation.max_length = static_cast<size_t>(json.GetInt("max_length").value());
  truncation.stride = static_cast<size_t>(json.IntOr("stride", 0).value());
  truncation.direction = ReadSide(json);
  const std::string_view strategy = json.StringOr("strategy", "longest_first").value();
  truncation.strategy = strategy == "only_first"    ? TruncationStrategy::kOnlyFirst
                        : strategy == "only_second" ? TruncationStrategy::kOnlySecond
                                                    : TruncationStrategy::kLongestFirst;
  return truncation;
}

std::optional<Padding> ReadPaddingOption(Json json, const Tokenizer& tokenizer) {
  if (json.is_string()) return tokenizer.file_padding();
  if (json.is_null()) return std::nullopt;
  Padding padding;
  if (const Json length = json.FindOrNull("length"); length.is_number()) {
    padding.length = static_cast<size_t>(length.AsInt().value());
  }
  padding.direction = ReadSide(json);
  padding.pad_to_multiple_of = static_cast<size_t>(json.IntOr("pad_to_multiple_of", 0).value());
  padding.pad_type_id = static_cast<int32_t>(json.IntOr("pad_type_id", 0).value());
  return padding;
}

EncodeOptions ReadOptions(Json json, const Tokenizer& tokenizer) {
  EncodeOptions options;
  options.add_special_tokens = json.BoolOr("add_special_tokens", true).value();
  options.encode_special_tokens = json.BoolOr("encode_special_tokens", false).value();
  options.truncation = ReadTruncationOption(json.FindOrNull("truncation"), tokenizer);
  options.padding = ReadPaddingOption(json.FindOrNull("padding"), tokenizer);
  return options;
}

std::vector<Range> NestedRanges(Json list) {
  std::vector<Range> ranges;
  for (Json item : list.Items()) {
    const std::vector<uint32_t> ends = Numbers<uint32_t>(item);
    ranges.push_back({ends.at(0), ends.at(1)});
  }
  return ranges;
}

void CheckCaseEncoding(const Tokenizer& tokenizer, const Encoding& have, Json want) {
  CHECK(have.ids == Numbers(want.Get("ids").value()));
  std::vector<std::string> have_tokens, want_tokens;
  for (const int32_t id : have.ids) {
    have_tokens.emplace_back(tokenizer.IdToToken(id).value_or("none"));
  }
  for (Json item : want.Get("tokens").value().Items()) want_tokens.push_back(Text(item));
  CHECK(have_tokens == want_tokens);
  if (const Json offsets = want.FindOrNull("offsets"); !offsets.is_null()) {
    CHECK(have.offsets == NestedRanges(offsets));
  }
  CHECK(have.type_ids == Numbers(want.Get("type_ids").value()));
  CHECK(have.attention_mask == Numbers<uint8_t>(want.Get("attention_mask").value()));
  CHECK(have.special_tokens_mask == Numbers<uint8_t>(want.Get("special_tokens_mask").value()));
  const Json overflow = want.FindOrNull("overflow");
  REQUIRE(have.overflow.size() == overflow.size());
  for (size_t i = 0; i < overflow.size(); ++i) {
    CheckCaseEncoding(tokenizer, have.overflow[i], ItemAt(overflow, i));
  }
}

struct CaseTexts {
  std::vector<std::string> texts;  // and pairs, empty where there is none
  std::vector<TextPair> items;
};

CaseTexts ReadTexts(Json input) {
  CaseTexts read;
  std::vector<bool> pairs;
  const auto add = [&](Json item) {
    read.texts.push_back(Text(item.Get("text").value()));
    const Json pair = item.FindOrNull("pair");
    pairs.push_back(!pair.is_null());
    read.texts.push_back(pair.is_null() ? "" : Text(pair));
  };
  if (const Json batch = input.FindOrNull("batch"); !batch.is_null()) {
    for (Json item : batch.Items()) add(item);
  } else {
    add(input);
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    TextPair item = {read.texts[2 * i]};
    if (pairs[i]) item.pair = read.texts[2 * i + 1];
    read.items.push_back(item);
  }
  return read;
}

void CheckCase(const Tokenizer& tokenizer, Json test_case) {
  const CaseTexts texts = ReadTexts(test_case.Get("input").value());
  const EncodeOptions options = ReadOptions(test_case.FindOrNull("options"), tokenizer);
  auto encodings = tokenizer.EncodeBatch(texts.items, options);
  if (!encodings.ok()) FAIL(encodings.error().message);
  const std::vector<Encoding> have = Unpack(encodings.value());
  const Json want = test_case.Get("expect").value().Get("encodings").value();
  REQUIRE(have.size() == want.size());
  for (size_t i = 0; i < have.size(); ++i) {
    INFO("item " << i << ": " << texts.items[i].text);
    CheckCaseEncoding(tokenizer, have[i], ItemAt(want, i));
  }
}

// Features that a case allows to be refused, and that are.
constexpr std::string_view kRefused[] = {"#split-backref"};

TEST_CASE("tokenize cases of other families, also in compiled form") {
  const std::string text = WithoutLoneSurrogates(ReadTestFile(kFolder + "hand/tokenize.json"));
  const JsonDocument document = ParseTestJson(text);
  const Json tokenizers = document.root().Get("tokenizers").value();
  size_t passed = 0;
  for (Json test_case : document.root().Get("cases").value().Items()) {
    const std::string name = Text(test_case.Get("tokenizer").value());
    INFO(Text(test_case.Get("id").value()) << ": " << Text(test_case.Get("why").value()));
    const std::string json = WriteJson(tokenizers.Get(name.substr(1)).value());
    auto tokenizer = Tokenizer::FromFiles({.tokenizer_json = json});
    if (std::find(std::begin(kRefused), std::end(kRefused), name) != std::end(kRefused)) {
      CHECK(test_case.Get("expect").value().Find("or_error"));
      REQUIRE_FALSE(tokenizer.ok());
      CHECK(tokenizer.error().code == ErrorCode::kUnsupported);
      continue;
    }
    if (!tokenizer.ok()) {
      FAIL_CHECK(tokenizer.error().message);
      continue;
    }
    CheckCase(tokenizer.value(), test_case);
    const CompiledTokenizer compiled(tokenizer.value());
    CheckCase(compiled.tokenizer, test_case);
    CHECK(compiled.tokenizer.CompiledVocabulary() == compiled.bytes);
    ++passed;
  }
  CHECK(passed == 85);
}

std::string Unpacked(const std::string& path) { return Gunzip(ReadTestFile(path)).Run(); }

// Lines {"t": text, "p": second text, "ids", "off"}; returns how many there were.
size_t CheckFuzzLines(const Tokenizer& tokenizer, const std::string& lines) {
  size_t count = 0;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line); ++count) {
    const JsonDocument document = ParseTestJson(WithoutLoneSurrogates(line));
    const Json json = document.root();
    const std::string text = Text(json.Get("t").value());
    const Json pair_json = json.FindOrNull("p");
    const std::string pair = pair_json.is_null() ? "" : Text(pair_json);
    auto encoding = EncodeText(
        tokenizer, text, pair_json.is_null() ? std::nullopt : std::optional<std::string_view>(pair),
        {});
    if (!encoding.ok()) FAIL(encoding.error().message);
    INFO(line);
    CHECK(encoding.value().ids == Numbers(json.Get("ids").value()));
    CHECK(encoding.value().offsets == FlatRanges(json.Get("off").value()));
  }
  return count;
}

CompiledTokenizer LoadCompiled(const std::string& json) {
  auto tokenizer = Tokenizer::FromFiles({.tokenizer_json = json});
  if (!tokenizer.ok()) FAIL(tokenizer.error().message);
  return CompiledTokenizer(tokenizer.value());
}

TEST_CASE("fuzz lines of other families") {
  for (const char* name : {"bbpe", "unigram", "wordpiece-ko"}) {
    INFO(name);
    const std::string path = kFolder + "fuzz/" + name;
    const CompiledTokenizer compiled = LoadCompiled(Unpacked(path + ".tokenizer.json.gz"));
    CHECK(CheckFuzzLines(compiled.tokenizer, Unpacked(path + "-hand.jsonl.gz")) == 1500);
  }
}

// Long texts are worked on by parts, where the tokenizer allows; the lines of a file as one text,
// with a part's length of them at a time, show that it makes no difference.
TEST_CASE("long texts are the same in parts") {
  for (const char* name : {"bbpe", "unigram"}) {
    INFO(name);
    const std::string path = kFolder + "fuzz/" + name;
    const std::string json = Unpacked(path + ".tokenizer.json.gz");
    const CompiledTokenizer by_parts = LoadCompiled(json);
    // A normalizer that does nothing and works on whole texts only.
    const JsonDocument document = ParseTestJson(json);
    const Json normalizer = document.root().FindOrNull("normalizer");
    const std::string old = "\"normalizer\":" + WriteJson(normalizer);
    const std::string compact = WriteJson(document.root());
    const size_t at = compact.find(old);
    REQUIRE(at != std::string::npos);
    std::string other = compact;
    other.replace(at, old.size(),
                  R"("normalizer":{"type":"Sequence","normalizers":[)" +
                      (normalizer.is_null() ? "" : WriteJson(normalizer) + ",") +
                      R"({"type":"Strip","strip_left":false,"strip_right":false}]})");
    const CompiledTokenizer whole = LoadCompiled(other);
    std::string text;
    std::istringstream stream(Unpacked(path + "-hand.jsonl.gz"));
    for (std::string line; std::getline(stream, line);) {
      text += Text(ParseTestJson(WithoutLoneSurrogates(line)).root().Get("t").value()) + " a";
      if (text.size() < 30000) continue;
      const Encoding a = EncodeText(by_parts.tokenizer, text, {}, {}).value();
      const Encoding b = EncodeText(whole.tokenizer, text, {}, {}).value();
      CHECK(a.ids == b.ids);
      CHECK(a.offsets == b.offsets);
      CHECK(a.word_ids == b.word_ids);
      text = text.substr(0, text.size() % 50 == 0 ? 0 : 3);
      if (!IsValidUtf8(text)) text.clear();
    }
  }
}

// vocab.json and merges.txt, as RoBERTa's folder has them beside tokenizer.json.
TEST_CASE("the same fuzz lines without tokenizer.json") {
  const std::string path = kFolder + "fuzz/bbpe";
  const JsonDocument document = ParseTestJson(Unpacked(path + ".tokenizer.json.gz"));
  const Json model = document.root().Get("model").value();
  const std::string vocab = WriteJson(model.Get("vocab").value());
  std::string merges = "#version: 0.2\n";
  for (Json merge : model.Get("merges").value().Items()) {
    merges += Text(ItemAt(merge, 0)) + " " + Text(ItemAt(merge, 1)) + "\n";
  }
  auto tokenizer = Tokenizer::FromFiles({.vocab_json = vocab, .merges_txt = merges});
  if (!tokenizer.ok()) FAIL(tokenizer.error().message);
  CHECK(tokenizer.value().special_ids().mask == tokenizer.value().TokenToId("<mask>"));
  CHECK(CheckFuzzLines(tokenizer.value(), Unpacked(path + "-hand.jsonl.gz")) == 1500);
}

// Its tokenizer.json has 9 MB: tests/reference/text/build_xlmr.py makes it.
TEST_CASE("fuzz lines of the whole XLM-R table") {
  const std::string file = "build/xlmr/tokenizer.json";
  if (!std::filesystem::exists(std::string(POCKETBERT_SOURCE_DIR) + "/" + file)) {
    SKIP(file << " is not there: see tests/reference/text/build_xlmr.py");
  }
  const CompiledTokenizer compiled = LoadCompiled(ReadTestFile(file));
  CHECK(compiled.bytes.size() < 4'000'000);
  CHECK(CheckFuzzLines(compiled.tokenizer, Unpacked(kFolder + "fuzz/xlmr-full-hand.jsonl.gz")) == 400);
}

}  // namespace
}  // namespace pocketbert
