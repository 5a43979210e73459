// The compiled form of tokenizers, and files that are not what they should be.

#include "text/model_data.h"

#include <cstring>
#include <random>

#include "compiled_tokenizer.h"
#include "golden_files.h"
#include "support/charsmap_builder.h"
#include "support/gunzip.h"
#include "support/text_encoding.h"
#include "text/tokenizer.h"

namespace pocketbert {
namespace {

Vocabulary SmallVocabulary() { return Vocabulary::FromLines("a\nb\nab\nabc", "test").value(); }

std::vector<uint8_t> Serialize(const ModelData& data) {
  std::vector<std::string_view> charsmaps(data.charsmaps.begin(), data.charsmaps.end());
  return SerializeModel({data.vocabulary, data.scores, data.merges, charsmaps});
}

// With the bytes that it stands on.
struct ReadData {
  std::vector<uint8_t> bytes;
  ModelData data;
};

ReadData RoundTrip(const ModelData& data) {
  std::vector<uint8_t> bytes = Serialize(data);
  auto read = ModelData::FromBytes(bytes);
  if (!read.ok()) FAIL(read.error().message);
  return {std::move(bytes), std::move(read).value()};
}

TEST_CASE("all parts come back as they were") {
  ModelData data = {SmallVocabulary(), {}, {{0, 1, 2}, {2, 1, 0}, {3, 3, 3}}, {"one", ""}};
  for (const std::vector<double>& scores :
       {std::vector<double>{}, {0, -1.5, -2.25, 1e30}, {0.1, -1e300, 0, -0.0}}) {
    data.scores = scores;
    const ReadData read = RoundTrip(data);
    CHECK(read.data.scores == scores);
    CHECK(read.data.merges == data.merges);
    CHECK(read.data.charsmaps == data.charsmaps);
    CHECK(read.data.vocabulary.Find("abc") == 3);
  }
}

TEST_CASE("a vocabulary alone keeps the form it always had") {
  const ModelData data = {SmallVocabulary(), {}, {}, {}};
  CHECK(Serialize(data) == data.vocabulary.Serialize());
  CHECK(RoundTrip(data).data.vocabulary.size() == 4);
}

TEST_CASE("damaged parts are refused") {
  const ModelData good = {SmallVocabulary(), {0, -1, -2, -3}, {{0, 1, 2}}, {"map"}};
  const auto fails = [](const ModelData& data) {
    const std::vector<uint8_t> bytes = Serialize(data);
    auto read = ModelData::FromBytes(bytes);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == ErrorCode::kFormat);
  };
  fails({SmallVocabulary(), good.scores, {{0, 1, 4}}, {"map"}});
  fails({SmallVocabulary(), good.scores, {{-1, 1, 2}}, {"map"}});
  fails({SmallVocabulary(), {0, -1, -2}, good.merges, {"map"}});
  for (const double score : {std::numeric_limits<double>::quiet_NaN(),
                             -std::numeric_limits<double>::infinity()}) {
    fails({SmallVocabulary(), {0, score, -2, -3}, good.merges, {"map"}});
  }
  const std::vector<uint8_t> bytes = Serialize(good);
  for (size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(ModelData::FromBytes(std::span(bytes).first(size)).ok());
  }
  std::vector<uint8_t> longer = bytes;
  longer.push_back(0);
  CHECK_FALSE(ModelData::FromBytes(longer).ok());
}

TEST_CASE("random bytes do no harm") {
  const ModelData good = {SmallVocabulary(), {0, -1, -2, -3}, {{0, 1, 2}}, {"map"}};
  const std::vector<uint8_t> bytes = Serialize(good);
  std::mt19937 random(11);
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> damaged = bytes;
    for (size_t k = 1 + random() % 4; k > 0; --k) {
      damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    }
    auto read = ModelData::FromBytes(damaged);
    if (!read.ok()) CHECK(read.error().code == ErrorCode::kFormat);
  }
}

// The default model's file was made when there was only WordPiece.
TEST_CASE("files made before there were parts still load") {
  const std::string file = ReadTestFile("models/default/default.pocketbert.safetensors");
  uint64_t header_bytes;
  std::memcpy(&header_bytes, file.data(), 8);
  const JsonDocument header = ParseTestJson(std::string_view(file).substr(8, header_bytes));
  const Json tensor = header.root().Get("tokenizer.vocab").value();
  const std::vector<size_t> ends = Numbers<size_t>(tensor.Get("data_offsets").value());
  const auto* const data = reinterpret_cast<const uint8_t*>(file.data()) + 8 + header_bytes;
  const Json metadata = header.root().Get("__metadata__").value();
  auto tokenizer =
      Tokenizer::FromCompiled(metadata.GetString("tokenizer").value(),
                              std::span(data + ends.at(0), ends.at(1) - ends.at(0)));
  if (!tokenizer.ok()) FAIL(tokenizer.error().message);
  CHECK(EncodeText(tokenizer.value(), "Hello, world!", {}, {}).value().ids ==
        std::vector<int32_t>{101, 7592, 1010, 2088, 999, 102});
}

// Small tokenizers of each kind, to be damaged.
std::vector<std::string> SmallTokenizers() {
  return {
      R"({"added_tokens":[{"id":0,"content":"<s>","special":true,"lstrip":true}],)"
      R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":true},)"
      R"("post_processor":{"type":"RobertaProcessing","sep":["<s>",0],"cls":["<s>",0]},)"
      R"("decoder":{"type":"ByteLevel"},"model":{"type":"BPE","unk_token":"<s>",)"
      R"("vocab":{"<s>":0,"a":1,"b":2,"ab":3,"Ġ":4},"merges":["a b"]}})",
      R"({"normalizer":{"type":"Sequence","normalizers":[{"type":"Nmt"},{"type":"Replace",)"
      R"("pattern":{"Regex":" {2,}"},"content":" "}]},"pre_tokenizer":{"type":"Metaspace",)"
      R"("prepend_scheme":"first"},"decoder":{"type":"Metaspace"},"model":{"type":"Unigram",)"
      R"("unk_id":0,"vocab":[["<unk>",0],["▁",-1],["a",-2.5],["▁ab",-3]]}})",
      R"({"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(?i:a|b)+|[^a]"},)"
      R"("behavior":"Isolated"},"model":{"type":"WordLevel","unk_token":"a","vocab":{"a":0}}})",
      R"({"model":{"type":"BPE","byte_fallback":true,"fuse_unk":true,"unk_token":"<u>",)"
      R"("end_of_word_suffix":"</w>","vocab":{"<u>":0,"a":1,"b</w>":2,"ab</w>":3,"<0x20>":4},)"
      R"("merges":[["a","b</w>"]]},"decoder":{"type":"Sequence","decoders":[)"
      R"({"type":"ByteFallback"},{"type":"Fuse"},)"
      R"({"type":"Strip","content":" ","start":1,"stop":0}]}})"};
}

void Use(const Tokenizer& tokenizer) {
  for (const char* text : {"", "ab <s> ba\n\u0301é", "  aab", "😀 ab"}) {
    auto encodings = tokenizer.Encode(text, "b a", {});
    if (!encodings.ok()) continue;
    std::vector<int32_t> ids;
    for (const Token& token : encodings.value().tokens) ids.push_back(token.id);
    tokenizer.Decode(ids, {});
  }
}

TEST_CASE("small tokenizers load, and in compiled form") {
  for (const std::string& json : SmallTokenizers()) {
    auto tokenizer = Tokenizer::FromFiles({.tokenizer_json = json});
    if (!tokenizer.ok()) FAIL(tokenizer.error().message);
    Use(tokenizer.value());
    const CompiledTokenizer compiled(tokenizer.value());
    CHECK(compiled.tokenizer.CompiledConfig() == tokenizer.value().CompiledConfig());
    Use(compiled.tokenizer);
  }
}

// Values of other kinds and sizes in every place.
TEST_CASE("damaged tokenizer.json files are refused or do no harm") {
  const char* const values[] = {"null", "true", "0", "-1", "4294967296", "1e308", "\"\"",
                                "\"x\"", "[]", "{}", "[[\"a\",1]]", "{\"a\":1}"};
  std::mt19937 random(17);
  size_t refused = 0;
  for (const std::string& json : SmallTokenizers()) {
    for (int round = 0; round < 1500; ++round) {
      std::string damaged = json;
      const size_t at = damaged.find_first_of(":,[", random() % damaged.size());
      if (at == std::string::npos) continue;
      const size_t end = std::min(damaged.find_first_of(",]}", at + 1), damaged.size());
      damaged.replace(at + 1, end - at - 1, values[random() % std::size(values)]);
      auto tokenizer = Tokenizer::FromFiles({.tokenizer_json = damaged});
      if (!tokenizer.ok()) {
        CHECK_FALSE(tokenizer.error().message.empty());
        ++refused;
        continue;
      }
      Use(tokenizer.value());
      INFO(damaged);
      Use(CompiledTokenizer(tokenizer.value()).tokenizer);
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("charsmaps that are not right") {
  const auto load = [](const std::string& map) {
    return Tokenizer::FromFiles(
        {.tokenizer_json = R"({"normalizer":{"type":"Precompiled","precompiled_charsmap":)" + map +
                           R"(},"model":{"type":"WordLevel","vocab":{"a":0}}})"});
  };
  CHECK(load("null").ok());
  CHECK(load("\"AAAAAA==\"").ok());  // an empty trie
  for (const char* map : {"\"\"", "\"AAAA\"", "\"A\"", "\"AAA?\"", "1", "[]", "\"/////w==\""}) {
    INFO(map);
    auto tokenizer = load(map);
    REQUIRE_FALSE(tokenizer.ok());
    CHECK(tokenizer.error().code == ErrorCode::kFormat);
    CHECK(tokenizer.error().message.find("precompiled_charsmap") != std::string::npos);
  }
}

TEST_CASE("what does not fit together is refused by name") {
  const auto failure = [](const std::string& json) {
    auto tokenizer = Tokenizer::FromFiles({.tokenizer_json = json});
    INFO(json);
    REQUIRE_FALSE(tokenizer.ok());
    CHECK(tokenizer.error().code == ErrorCode::kUnsupported);
    return tokenizer.error().message;
  };
  const std::string level = R"({"type":"ByteLevel"})";
  const std::string model = R"("model":{"type":"WordLevel","vocab":{"a":0}}})";
  CHECK(failure("{\"pre_tokenizer\":" + level + "," + model).find("WordLevel") !=
        std::string::npos);
  CHECK(failure("{\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[" + level +
                R"(,{"type":"Digits"}]},)" + model)
            .find("comes after ByteLevel") != std::string::npos);
  CHECK(failure("{\"decoder\":{\"type\":\"CTC\"}," + model).find("CTC") != std::string::npos);
  CHECK(failure("{\"normalizer\":{\"type\":\"ByteLevel\"}," + model).find("ByteLevel") !=
        std::string::npos);
}

}  // namespace
}  // namespace pocketbert
