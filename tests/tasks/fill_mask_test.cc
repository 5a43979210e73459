#include "tasks/fill_mask.h"

#include <catch2/catch_amalgamated.hpp>
#include <cmath>
#include <cstring>

#include "tasks/fixture.h"
#include "tasks/text_block.h"

namespace pocketbert {
namespace {

struct Request {
  std::vector<std::string> texts;
  std::vector<std::string> targets = {};
  size_t top_k = 5;
  LengthOptions length = {};
};

std::vector<TextPair> Items(const std::vector<std::string>& texts) {
  std::vector<TextPair> items;
  for (const std::string& text : texts) items.push_back({text, std::nullopt});
  return items;
}

Result<FilledMasks> Fill(Opened& opened, const Request& request) {
  const std::vector<TextPair> texts = Items(request.texts), targets = Items(request.targets);
  return FillMaskBatch(opened.model, opened.session, {texts, 0},
                       {.length = request.length, .top_k = request.top_k, .targets = targets});
}

FilledMasks FillAll(Opened& opened, const Request& request) {
  auto result = Fill(opened, request);
  if (!result.ok()) FAIL(result.error().message);
  REQUIRE(result.value().size() == request.texts.size());
  return std::move(result).value();
}

Error FillError(Opened& opened, const Request& request) {
  auto result = Fill(opened, request);
  REQUIRE_FALSE(result.ok());
  return std::move(result).error();
}

std::vector<std::string> Strings(Json list) {
  std::vector<std::string> strings;
  for (const Json item : list.Items()) strings.emplace_back(item.AsString().value());
  return strings;
}

size_t RunCases(const std::string& hand) {
  const auto file = ParseJson(ReadFile(hand + "fill-mask.json"), "fill-mask.json");
  REQUIRE(file.ok());
  size_t ran = 0;
  for (Json test : file.value().root().GetArray("cases").value().Items()) {
    INFO(test.GetString("id").value());
    Opened opened = Open(CaseFolder(test, hand).value());
    const Json options = test.Get("options").value();
    Request request{.texts = {std::string(
                        test.Get("input").value().GetString("text").value())}};
    if (options.Find("top_k")) {
      request.top_k = static_cast<size_t>(options.GetInt("top_k").value());
    }
    if (options.Find("targets")) {
      request.targets = Strings(options.GetArray("targets").value());
    }
    const Json expect = test.Get("expect").value();
    ++ran;
    if (expect.Find("error")) {
      CHECK(FillError(opened, request).message.find("mask") != std::string::npos);
      continue;
    }
    const FilledMasks result = FillAll(opened, request);
    const Json masks = expect.GetArray("masks").value();
    REQUIRE(result.masks == std::vector<uint32_t>{static_cast<uint32_t>(masks.size())});
    size_t at = 0;
    for (Json mask : masks.Items()) {
      REQUIRE(mask.size() == result.words_per_mask);
      for (Json word : mask.Items()) {
        CHECK(result.ids[at] == word.GetInt("id").value());
        CHECK(std::abs(result.scores[at] - word.GetDouble("score").value()) <=
              expect.GetDouble("abs").value());
        ++at;
      }
    }
  }
  return ran;
}

TEST_CASE("masks filled as in the reference, in all families") {
  CHECK(RunCases(kHand) == 5);
  CHECK(RunCases(kFamiliesHand) == 6);
}

const std::vector<std::string> kTexts = {"the old [MASK] was slow", "[MASK]",
                                         "the [MASK] river [MASK].",
                                         "sail [MASK] [MASK] [MASK] [MASK] [MASK] [MASK] [MASK]"};

TEST_CASE("a text's words depend on neither its neighbours nor batch size nor threads") {
  const Precision precision = GENERATE(Precision::kFloat32, Precision::kInt8);
  Opened opened = Open(Fixture("mlm"), precision);
  Opened threaded = Open(Fixture("mlm"), precision, 1, 2);
  const FilledMasks together = FillAll(opened, {.texts = kTexts, .top_k = 117});
  CHECK(together.masks == std::vector<uint32_t>{1, 1, 2, 7});
  size_t at = 0, text_at = 0;
  for (const std::string& text : kTexts) {
    const FilledMasks alone = FillAll(threaded, {.texts = {text}, .top_k = 117});
    for (size_t i = 0; i < alone.ids.size(); ++i) {
      REQUIRE(alone.ids[i] == together.ids[at + i]);
      REQUIRE(alone.scores[i] == together.scores[at + i]);
    }
    CHECK(std::equal(alone.texts.begin(), alone.texts.end(),
                     together.texts.begin() + static_cast<ptrdiff_t>(text_at)));
    at += alone.ids.size();
    text_at += alone.texts.size();
  }
  CHECK(at == together.ids.size());
}

TEST_CASE("scores are shares of the vocabulary, best first; fewer words are the best of them") {
  Opened opened = Open(Fixture("mlm"));
  const FilledMasks all = FillAll(opened, {.texts = {kTexts[0]}, .top_k = 1000});
  REQUIRE(all.words_per_mask == 117);
  double sum = 0;
  for (size_t i = 0; i < all.scores.size(); ++i) {
    sum += all.scores[i];
    if (i > 0) CHECK(all.scores[i - 1] >= all.scores[i]);
  }
  CHECK(sum == Catch::Approx(1).margin(1e-5));
  for (const size_t top_k : {1, 2, 7, 60, 116}) {
    const FilledMasks best = FillAll(opened, {.texts = {kTexts[0]}, .top_k = top_k});
    CHECK(std::vector<int32_t>(all.ids.begin(),
                               all.ids.begin() + static_cast<ptrdiff_t>(top_k)) == best.ids);
  }
}

std::vector<std::string> TextsOf(const FilledMasks& result) {
  std::vector<std::string> texts;
  for (const TextPair& item : SplitTexts(result.texts, result.ends)) {
    texts.emplace_back(item.text);
    texts.emplace_back(item.pair.value());
  }
  return texts;
}

TEST_CASE("sequences: without special tokens for one mask, with them for several") {
  Opened opened = Open(Fixture("mlm"));
  const FilledMasks one = FillAll(
      opened, {.texts = {"The old [MASK] was slow."}, .targets = {"boat", "##s"}, .top_k = 2});
  const std::vector<std::string> texts = TextsOf(one);
  REQUIRE(texts.size() == 4);
  const size_t boat = texts[0] == "boat" ? 0 : 2;
  CHECK(texts[boat] == "boat");
  CHECK(texts[boat + 1] == "the old boat was slow.");
  CHECK(texts[2 - boat] == "##s");
  CHECK(texts[3 - boat] == "the olds was slow.");
  const FilledMasks two = FillAll(
      opened, {.texts = {"the [MASK] river [MASK]"}, .targets = {"old"}, .top_k = 1});
  CHECK(TextsOf(two) == std::vector<std::string>{"old", "[CLS] the old river [MASK] [SEP]", "old",
                                                 "[CLS] the [MASK] river old [SEP]"});
}

TEST_CASE("targets that are no entry stand for their first token, and it is said") {
  Opened opened = Open(Fixture("mlm"));
  const FilledMasks plain = FillAll(opened, {.texts = {kTexts[0]}, .targets = {"boat"}});
  CHECK(plain.words_per_mask == 1);
  CHECK(plain.notes == "[]");
  const FilledMasks upper =
      FillAll(opened, {.texts = {kTexts[0]}, .targets = {"Boat", "boat", "BOAT"}});
  CHECK(upper.ids == plain.ids);
  CHECK(upper.scores == plain.scores);
  CHECK(upper.notes.find("\\\"Boat\\\" is no entry") != std::string::npos);
  CHECK(upper.notes.find("BOAT") != std::string::npos);
  for (const std::string target : {"", " ", "\xe6\xbc\xa2"}) {
    const Error error = FillError(opened, {.texts = {kTexts[0]}, .targets = {"boat", target}});
    CHECK(error.code == ErrorCode::kInvalidArgument);
    CHECK(error.message.find("target \"" + target) != std::string::npos);
  }
}

TEST_CASE("what can not be filled is refused by name") {
  Opened opened = Open(Fixture("mlm"));
  const Error none = FillError(opened, {.texts = {"the [MASK]", "", "boat"}});
  CHECK(none.code == ErrorCode::kInvalidArgument);
  CHECK(none.message == "text 1 has no mask token, expected at least one [MASK]");
  const Error cut =
      FillError(opened, {.texts = {"the old boat [MASK]"}, .length = {.max_length = 4}});
  CHECK(cut.message.find("in the part that is kept") != std::string::npos);
  CHECK(FillError(opened, {.texts = {"[MASK]"}, .top_k = 0}).message ==
        "top_k is 0, expected 1 or more");
  Opened encoder = Open(Fixture("enc"));
  CHECK(FillError(encoder, {.texts = {"[MASK]"}}).code == ErrorCode::kUnsupported);
  const auto empty = Fill(opened, {.texts = {}});
  REQUIRE(empty.ok());
  CHECK(empty.value().size() == 0);
}

// mlm with a decoder of its own: the word embeddings times `factor`.
Folder Untied(float factor) {
  Folder folder = Fixture("mlm");
  std::string& config = folder["config.json"];
  config.insert(config.find('{') + 1, "\"tie_word_embeddings\": false, ");
  std::string& file = folder["model.safetensors"];
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, file.data(), 8);
  std::string header = file.substr(8, header_bytes), data = file.substr(8 + header_bytes);
  const auto document = ParseJson(header, "header");
  REQUIRE(document.ok());
  const Json words =
      document.value().root().Get("bert.embeddings.word_embeddings.weight").value();
  REQUIRE(words.GetString("dtype").value() == "F32");
  std::vector<size_t> range;
  for (const Json at : words.GetArray("data_offsets").value().Items()) {
    range.push_back(static_cast<size_t>(at.AsInt().value()));
  }
  std::vector<float> decoder((range[1] - range[0]) / sizeof(float));
  std::memcpy(decoder.data(), data.data() + range[0], range[1] - range[0]);
  for (float& weight : decoder) weight *= factor;
  const std::string end = std::to_string(data.size());
  data.append(reinterpret_cast<const char*>(decoder.data()), range[1] - range[0]);
  header.resize(header.rfind('}'));
  header += ",\"cls.predictions.decoder.weight\":{\"dtype\":\"F32\",\"shape\":[117,24]," +
            ("\"data_offsets\":[" + end + "," + std::to_string(data.size()) + "]}}");
  header_bytes = header.size();
  file.assign(reinterpret_cast<const char*>(&header_bytes), 8).append(header).append(data);
  return folder;
}

TEST_CASE("a decoder that is not tied to the word embeddings") {
  const Request request{.texts = {kTexts[0]}, .top_k = 117};
  Opened tied = Open(Fixture("mlm"));
  const FilledMasks expected = FillAll(tied, request);
  Opened same = Open(Untied(1));
  const FilledMasks found = FillAll(same, request);
  for (size_t i = 0; i < 117; ++i) {
    CHECK(found.scores[i] == Catch::Approx(expected.scores[i]).epsilon(1e-5));
  }
  // A decoder of zeros leaves the bias alone.
  Opened none = Open(Untied(0));
  const FilledMasks first = FillAll(none, request);
  const FilledMasks second = FillAll(none, {.texts = {kTexts[1]}, .top_k = 117});
  CHECK(first.ids == second.ids);
  CHECK(first.scores == second.scores);
  CHECK(first.ids != expected.ids);
}

TEST_CASE("a cut text keeps the masks that are left") {
  Opened opened = Open(Fixture("mlm"));
  const FilledMasks result =
      FillAll(opened, {.texts = {"[MASK] boat [MASK]"}, .length = {.max_length = 4}});
  CHECK(result.masks == std::vector<uint32_t>{1});
  CHECK(result.tokens == std::vector<uint32_t>{4});
  CHECK(result.truncated == std::vector<uint8_t>{1});
}

}  // namespace
}  // namespace pocketbert
