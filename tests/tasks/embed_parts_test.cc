#include "tasks/embed_parts.h"

#include <catch2/catch_amalgamated.hpp>
#include <cmath>

#include "tasks/embed.h"
#include "tasks/fixture.h"

namespace pocketbert {
namespace {

PartEmbeddings EmbedParts(Opened& opened, const std::vector<std::string>& texts,
                          const PartOptions& options) {
  const std::vector<TextPair> pairs(texts.begin(), texts.end());
  PartsRun run;
  PartEmbeddings all;
  do {
    auto result = run.Step(opened.model, opened.session,
                           {std::span(pairs).subspan(all.texts()), all.texts()}, options);
    if (!result.ok()) FAIL(result.error().message);
    const PartEmbeddings& more = result.value();
    all.dimensions = more.dimensions;
    all.data.insert(all.data.end(), more.data.begin(), more.data.end());
    all.parts.insert(all.parts.end(), more.parts.begin(), more.parts.end());
    all.counts.insert(all.counts.end(), more.counts.begin(), more.counts.end());
    all.truncated.insert(all.truncated.end(), more.truncated.begin(), more.truncated.end());
  } while (all.texts() < texts.size());
  return all;
}

Error PartsError(Opened& opened, const std::string& text, const PartOptions& options) {
  const std::vector<TextPair> pairs = {{text, {}}};
  auto result = PartsRun().Step(opened.model, opened.session, {pairs, 7}, options);
  REQUIRE_FALSE(result.ok());
  return std::move(result).error();
}

std::vector<float> EmbedOne(Opened& opened, const std::string& text, const EmbedOptions& options) {
  const std::vector<TextPair> pairs = {{text, {}}};
  auto result = Embed(opened.model, opened.session, pairs, options);
  if (!result.ok()) FAIL(result.error().message);
  return std::move(result).value().data;
}

std::vector<float> Row(const PartEmbeddings& result, size_t row) {
  const auto begin = result.data.begin() + static_cast<ptrdiff_t>(row * result.dimensions);
  return {begin, begin + static_cast<ptrdiff_t>(result.dimensions)};
}

struct Part {
  uint32_t tokens;
  Range range;
};

std::vector<Part> PartsOf(const PartEmbeddings& result) {
  std::vector<Part> parts;
  for (size_t i = 0; i < result.parts.size(); i += 3) {
    parts.push_back({result.parts[i], {result.parts[i + 1], result.parts[i + 2]}});
  }
  return parts;
}

enum class Kind { kText, kWindow, kToken };

PartOptions Windows(Kind kind, size_t max_length, size_t stride) {
  PartOptions options;
  options.tokens = kind == Kind::kToken;
  options.each = kind == Kind::kWindow;
  options.embed.length.max_length = max_length;
  options.stride = stride;
  return options;
}

// Each word is one token, so that a window is what its stretch of the text gives alone.
const std::string kLong = "the old river boat was slow and the new stone mill by one bridge was fast";

TEST_CASE("a window's vector is that of its stretch of the text") {
  const Precision precision = GENERATE(Precision::kFloat32, Precision::kInt8);
  Opened opened = Open(Fixture("enc"), precision);
  const std::string text = "the old river boat was slow and the new stone mill";  // 11 words
  const PartEmbeddings found = EmbedParts(opened, {text}, Windows(Kind::kWindow, 6, 1));
  // Of 4 words each, which begin 3 apart.
  REQUIRE(found.counts == std::vector<uint32_t>{4});
  const std::vector<std::string> stretches = {"the old river boat", "boat was slow and",
                                              "and the new stone", "stone mill"};
  for (size_t w = 0; w < stretches.size(); ++w) {
    const Part part = PartsOf(found)[w];
    CHECK(text.substr(part.range.begin, part.range.end - part.range.begin) == stretches[w]);
    CHECK(part.tokens == (w == 3 ? 4 : 6));
    CHECK(Row(found, w) == EmbedOne(opened, stretches[w], {}));
  }
}

TEST_CASE("the mean of the windows, weighted by their tokens and of length 1") {
  Opened opened = Open(Fixture("enc"));
  PartOptions options = Windows(Kind::kWindow, 6, 0);
  const bool normalize = GENERATE(true, false);
  options.embed.normalize = normalize;
  options.embed.dimensions = 10;
  const std::string text = "the old river boat was slow and the new stone mill";
  const PartEmbeddings each = EmbedParts(opened, {text}, options);
  REQUIRE(each.counts[0] == 3);
  options.each = false;
  const PartEmbeddings together = EmbedParts(opened, {text}, options);
  REQUIRE(together.data.size() == 10);
  CHECK(PartsOf(together).size() == 3);
  std::vector<double> mean(10);
  double squares = 0;
  for (size_t i = 0; i < 10; ++i) {
    mean[i] = (4.0 * Row(each, 0)[i] + 4.0 * Row(each, 1)[i] + 3.0 * Row(each, 2)[i]) / 11;
    squares += mean[i] * mean[i];
  }
  for (size_t i = 0; i < 10; ++i) {
    const double expected = normalize ? mean[i] / std::sqrt(squares) : mean[i];
    CHECK(together.data[i] == Catch::Approx(expected).margin(1e-6));
  }
}

TEST_CASE("a text that fits, or is empty, has the vector that it has without windows") {
  Opened opened = Open(Fixture("enc"), Precision::kInt8);
  for (const std::string text : {"river boat", ""}) {
    for (const Kind kind : {Kind::kText, Kind::kWindow}) {
      const PartEmbeddings found = EmbedParts(opened, {text}, Windows(kind, 32, 8));
      CHECK(found.data == EmbedOne(opened, text, {}));
      REQUIRE(PartsOf(found).size() == 1);
      CHECK(PartsOf(found)[0].range == Range{0, static_cast<uint32_t>(text.size())});
      CHECK(PartsOf(found)[0].tokens == (text.empty() ? 2 : 4));
    }
  }
}

TEST_CASE("windows: the same bits beside others, in small batches, with threads") {
  const Kind kind = GENERATE(Kind::kText, Kind::kWindow, Kind::kToken);
  Opened opened = Open(Fixture("enc"), Precision::kInt8, 512);
  Opened small = Open(Fixture("enc"), Precision::kInt8, 1, 3);
  const std::vector<std::string> texts = {"boat", kLong, "", kLong + " " + kLong, "one day"};
  const PartEmbeddings together = EmbedParts(opened, texts, Windows(kind, 9, 3));
  REQUIRE(together.texts() == texts.size());
  std::vector<float> alone;
  std::vector<uint32_t> counts;
  for (const std::string& text : texts) {
    const PartEmbeddings one = EmbedParts(small, {text}, Windows(kind, 9, 3));
    alone.insert(alone.end(), one.data.begin(), one.data.end());
    counts.push_back(one.counts[0]);
  }
  CHECK(together.counts == counts);
  CHECK(together.data == alone);
  const PartEmbeddings none = EmbedParts(opened, {}, Windows(kind, 9, 3));
  CHECK(none.dimensions == 24);
  CHECK(none.data.empty());
}

TEST_CASE("a prompt is in every window, and in no range") {
  Folder folder = Fixture("enc");
  folder["config_sentence_transformers.json"] = R"({"prompts":{"query":"one day "}})";
  const bool include = GENERATE(true, false);
  if (!include) {
    folder["1_Pooling/config.json"] =
        R"({"word_embedding_dimension":24,"pooling_mode_mean_tokens":true,"include_prompt":false})";
  }
  Opened opened = Open(folder);
  PartOptions options = Windows(Kind::kWindow, 7, 0);
  options.embed.kind = "query";
  const std::string text = "the old river boat was";
  const PartEmbeddings found = EmbedParts(opened, {text}, options);
  REQUIRE(PartsOf(found).size() == 2);
  const std::vector<std::string> stretches = {"the old river", "boat was"};
  EmbedOptions query;
  query.kind = "query";
  for (size_t w = 0; w < 2; ++w) {
    const Range range = PartsOf(found)[w].range;
    CHECK(text.substr(range.begin, range.end - range.begin) == stretches[w]);
    CHECK(Row(found, w) == EmbedOne(opened, stretches[w], query));
  }
}

TEST_CASE("windows that can not be") {
  Opened opened = Open(Fixture("enc"));
  CHECK(PartsError(opened, kLong, Windows(Kind::kText, 6, 4)).message ==
        "text 7: the stride is 4, expected below 4, the tokens of the text in a window");
  CHECK(PartsError(opened, kLong, Windows(Kind::kText, 2, 0)).code == ErrorCode::kTooLong);
  CHECK(PartsError(opened, kLong, Windows(Kind::kText, 33, 0)).code ==
        ErrorCode::kInvalidArgument);
  PartOptions options = Windows(Kind::kWindow, 6, 0);
  options.embed.prompt = kLong;
  CHECK(PartsError(opened, kLong, options).code == ErrorCode::kTooLong);
  options.embed.prompt.reset();
  options.embed.prompt_name = "nosuch";
  CHECK(PartsError(opened, kLong, options).code == ErrorCode::kInvalidArgument);
}

TEST_CASE("more windows than memory should hold") {
  Opened opened = Open(Fixture("enc"));
  std::string text;
  for (size_t i = 0; i <= (1 << 24) / 24; ++i) text += "a ";
  const Error error = PartsError(opened, text, Windows(Kind::kWindow, 3, 0));
  CHECK(error.code == ErrorCode::kTooLong);
  CHECK(error.message ==
        "text 7: has 699051 windows, more than 64 MB of vectors");
}

TEST_CASE("tokens: their mean is the vector of the text") {
  Opened opened = Open(Fixture("enc"));
  PartOptions options;
  options.tokens = true;
  options.embed.normalize = false;
  const std::string text = "the \xF0\x9F\x9A\xA3 old boats";
  const PartEmbeddings raw = EmbedParts(opened, {text, "sail"}, options);
  REQUIRE(raw.counts.size() == 2);
  EmbedOptions plain;
  plain.normalize = false;
  const std::vector<float> mean = EmbedOne(opened, text, plain);
  for (size_t i = 0; i < 24; ++i) {
    double sum = 0;
    for (size_t t = 0; t < raw.counts[0]; ++t) sum += Row(raw, t)[i];
    CHECK(mean[i] == Catch::Approx(sum / raw.counts[0]).margin(1e-6));
  }
  // [CLS] the … old boat s [SEP]
  CHECK(PartsOf(raw)[0].range == Range{});
  CHECK(PartsOf(raw)[1].range == Range{0, 3});
  const Part old = PartsOf(raw)[raw.counts[0] - 4];
  CHECK(old.range == Range{7, 10});

  options.embed.normalize.reset();
  options.embed.dimensions = 8;
  const PartEmbeddings scaled = EmbedParts(opened, {text, "sail"}, options);
  REQUIRE(scaled.dimensions == 8);
  for (size_t t = 0; t < PartsOf(raw).size(); ++t) {
    double squares = 0;
    for (size_t i = 0; i < 8; ++i) squares += std::pow(Row(raw, t)[i], 2);
    for (size_t i = 0; i < 8; ++i) {
      CHECK(Row(scaled, t)[i] == Catch::Approx(Row(raw, t)[i] / std::sqrt(squares)).margin(1e-6));
    }
  }
}

TEST_CASE("tokens of a text that is cut, of a prompt, and dimensions out of range") {
  Opened opened = Open(Fixture("enc"));
  PartOptions options = Windows(Kind::kToken, 6, 0);
  const PartEmbeddings cut = EmbedParts(opened, {kLong, "boat"}, options);
  CHECK(cut.counts == std::vector<uint32_t>{6, 3});
  CHECK(cut.truncated == std::vector<uint8_t>{1, 0});
  options.embed.prompt = "one day ";
  const PartEmbeddings with = EmbedParts(opened, {"boat"}, options);
  REQUIRE(PartsOf(with).size() == 5);
  CHECK(PartsOf(with)[2].range == Range{});
  CHECK(PartsOf(with)[3].range == Range{0, 4});
  options.embed.dimensions = 25;
  CHECK(PartsError(opened, "boat", options).message ==
        "dimensions is 25, expected 1 to 24");
  options.embed.dimensions.reset();
  options.embed.length.truncate = Truncate::kError;
  CHECK(PartsError(opened, kLong, options).code == ErrorCode::kTooLong);
}

TEST_CASE("parts of a model whose vectors are no numbers") {
  Folder folder = Fixture("enc");
  FillTensor("encoder.layer.1.output.LayerNorm.weight", kHuge, folder);
  Opened opened = Open(folder);
  for (const Kind kind : {Kind::kText, Kind::kWindow, Kind::kToken}) {
    const Error error = PartsError(opened, "the old river boat", Windows(kind, 6, 0));
    CHECK(error.code == ErrorCode::kFormat);
    CHECK(error.message == "text 7: the model's vectors are no numbers");
  }
}

}  // namespace
}  // namespace pocketbert
