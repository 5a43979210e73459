#include "tasks/tag_entities.h"

#include <catch2/catch_amalgamated.hpp>
#include <cmath>

#include "support/text_encoding.h"
#include "tasks/fixture.h"

namespace pocketbert {
namespace {

const std::string kFamilies = std::string(POCKETBERT_SOURCE_DIR) + "/tests/cases-families/hand/";

Tagging TagAll(Opened& opened, const std::vector<TextPair>& texts, const TagOptions& options = {}) {
  auto result = Tag(opened.model, opened.session, texts, options);
  if (!result.ok()) FAIL(result.error().message);
  REQUIRE(result.value().texts() == texts.size());
  return std::move(result).value();
}

Error TagError(Opened& opened, const std::vector<TextPair>& texts, const TagOptions& options) {
  auto result = Tag(opened.model, opened.session, texts, options);
  REQUIRE_FALSE(result.ok());
  return std::move(result).error();
}

Aggregation AggregationFromName(std::string_view name) {
  const std::string_view names[] = {"none", "simple", "first", "average", "max"};
  const auto found = std::find(std::begin(names), std::end(names), name);
  REQUIRE(found != std::end(names));
  return static_cast<Aggregation>(found - std::begin(names));
}

void RunCase(Json test, const Folder& folder) {
  Opened opened = Open(folder);
  TagOptions options;
  options.aggregation =
      AggregationFromName(test.Get("options").value().GetString("aggregation").value());
  const std::string text(test.Get("input").value().GetString("text").value());
  const Tagging result = TagAll(opened, {{text, {}}}, options);
  const Json expect = test.Get("expect").value();
  const double most = expect.GetDouble("abs").value();
  const auto head = opened.model.RequireHead("", HeadTask::kTag);
  REQUIRE(head.ok());
  const Json expected = expect.GetArray("entities").value();
  REQUIRE(result.entities.size() == expected.size());
  size_t i = 0;
  for (Json item : expected.Items()) {
    const Entity& entity = result.entities[i++];
    INFO("entity " << i - 1);
    CHECK(head.value()->spec.labels[entity.label].substr(result.prefixes[entity.label]) ==
          item.GetString("label").value());
    CHECK(entity.range.begin == item.GetInt("start", 0, 1000).value());
    CHECK(entity.range.end == item.GetInt("end", 0, 1000).value());
    CHECK(std::abs(static_cast<double>(entity.score) - item.GetDouble("score").value()) <= most);
    if (item.FindOrNull("index").is_null()) continue;
    CHECK(entity.index == item.GetInt("index", 0, 1000).value());
    CHECK(opened.model.tokenizer().IdToToken(entity.id) == item.GetString("token").value());
  }
}

size_t RunCases(const std::string& hand) {
  const auto file = ParseJson(ReadFile(hand + "ner.json"), "ner.json");
  REQUIRE(file.ok());
  size_t ran = 0;
  for (Json test : file.value().root().GetArray("cases").value().Items()) {
    if (!test.Get("options").value().FindOrNull("weights").is_null()) continue;
    INFO(test.GetString("id").value());
    const std::string dir(test.Get("model").value().GetString("dir").value());
    RunCase(test, ReadFolder(hand + dir));
    ++ran;
  }
  return ran;
}

TEST_CASE("reference entities of tests/cases and tests/cases-families on the fixtures") {
  CHECK(RunCases(kHand) == 8);
  CHECK(RunCases(kFamilies) == 12);
}

const std::vector<TextPair> kTexts = {{"Anna Smithson met Li in New York and Lyon", {}},
                                      {"", {}},
                                      {"corp, anna corp York", {}},
                                      {"Paris met Paris from Paris", {}}};

std::vector<float> ScoresOf(const Tagging& tagging) {
  std::vector<float> scores;
  for (const Entity& entity : tagging.entities) scores.push_back(entity.score);
  return scores;
}

TEST_CASE("a text's entities depend on neither its neighbours nor batch size nor threads") {
  const Precision precision = GENERATE(Precision::kFloat32, Precision::kInt8);
  Opened opened = Open(Fixture("ner"), precision, 128);
  Opened threaded = Open(Fixture("ner"), precision, 1, 2);
  TagOptions options;
  options.aggregation = Aggregation::kNone;
  options.ignore_labels = {};
  const Tagging together = TagAll(opened, kTexts, options);
  CHECK(together.counts[1] == 0);
  CHECK(ScoresOf(TagAll(threaded, kTexts, options)) == ScoresOf(together));
  std::vector<float> alone;
  for (const TextPair& text : kTexts) {
    const std::vector<float> scores = ScoresOf(TagAll(threaded, {text}, options));
    alone.insert(alone.end(), scores.begin(), scores.end());
  }
  CHECK(alone == ScoresOf(together));
}

TEST_CASE("a long text in windows: every token once, in order, as its window has it") {
  Opened opened = Open(Fixture("ner"));
  std::string text;
  for (int i = 0; i < 40; ++i) text += "Anna Smithson met Li in New York , ";
  TagOptions options;
  options.aggregation = Aggregation::kNone;
  options.ignore_labels = {};
  options.windows = {.max_length = 16, .stride = 6};
  const Tagging all = TagAll(opened, {{text, {}}}, options);
  const size_t tokens = all.tokens[0] - 2;
  REQUIRE(all.entities.size() == tokens);
  for (size_t i = 0; i < tokens; ++i) CHECK(all.entities[i].index == i + 1);

  // Windows of 14 tokens begin every 8; of what two share, each has 3.
  auto whole = opened.model.tokenizer().Encode(text, {}, {});
  REQUIRE(whole.ok());
  const auto unit = [&](size_t token) { return whole.value().tokens[token + 1].range; };
  const size_t begin = 8 * 3, end = begin + 14;
  const std::string window =
      text.substr(unit(begin).begin, unit(end - 1).end - unit(begin).begin);
  const Tagging part = TagAll(opened, {{window, {}}}, options);
  REQUIRE(part.entities.size() == 14);
  for (size_t i = 3; i < 11; ++i) {
    CHECK(part.entities[i].score == all.entities[begin + i].score);
    CHECK(part.entities[i].label == all.entities[begin + i].label);
  }
}

TEST_CASE("labels that are left out") {
  Opened opened = Open(Fixture("ner"));
  const auto count = [&](Aggregation aggregation, std::vector<std::string_view> ignored) {
    TagOptions options;
    options.aggregation = aggregation;
    options.ignore_labels = std::move(ignored);
    return TagAll(opened, {kTexts[0]}, options).entities.size();
  };
  // PER met PER in LOC and LOC: tokens anna smith ##son, li, new york, lyon, and three others.
  CHECK(count(Aggregation::kSimple, {"O"}) == 4);
  CHECK(count(Aggregation::kSimple, {}) == 7);
  CHECK(count(Aggregation::kSimple, {"O", "PER"}) == 2);
  CHECK(count(Aggregation::kSimple, {"O", "B-PER"}) == 4);
  CHECK(count(Aggregation::kNone, {"O", "I-PER"}) == 5);
  CHECK(count(Aggregation::kNone, {"O", "PER"}) == 7);
}

TEST_CASE("what tagging refuses") {
  Opened opened = Open(Fixture("ner"));
  TagOptions options;
  options.windows = {.max_length = 2};
  const Error room = TagError(opened, kTexts, options);
  CHECK(room.code == ErrorCode::kTooLong);
  CHECK(room.message == "text 0: the special tokens and prompt have 2 tokens, which leaves no room "
                        "for the text in a window of 2 (maxLength)");
  options.windows = {.max_length = 6, .stride = 4};
  CHECK(TagError(opened, {{"Anna", {}}}, options).code == ErrorCode::kInvalidArgument);
  const Error stride = TagError(opened, kTexts, options);
  CHECK(stride.code == ErrorCode::kInvalidArgument);
  CHECK(stride.message ==
        "text 0: the stride is 4, expected below 4, the tokens of the text in a window");
  options.windows = {.max_length = 100000};
  CHECK(TagError(opened, kTexts, options).code == ErrorCode::kInvalidArgument);
  const std::string huge((size_t{1} << 22) + 1, 'x');
  const Error error = TagError(opened, {{"one", {}}, {huge, {}}}, {});
  CHECK(error.code == ErrorCode::kTooLong);
  CHECK(error.message == "text 1: has 4194305 bytes of UTF-8, expected at most 4194304");
  Opened without = Open(Fixture("enc"));
  CHECK(TagError(without, kTexts, {}).code == ErrorCode::kUnsupported);
}

TEST_CASE("tagging by a model whose scores are no numbers is refused") {
  Folder folder = Fixture("ner");
  FillTensor("classifier.weight", kHuge, folder);
  Opened opened = Open(folder);
  const Error error = TagError(opened, kTexts, {});
  CHECK(error.code == ErrorCode::kFormat);
  CHECK(error.message == "text 0: the model's scores are no numbers");
}

}  // namespace
}  // namespace pocketbert
