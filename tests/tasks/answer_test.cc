#include "tasks/answer.h"

#include <catch2/catch_amalgamated.hpp>
#include <cmath>
#include <cstring>

#include "support/text_encoding.h"
#include "tasks/fixture.h"

namespace pocketbert {
namespace {

const std::string kFamilies = std::string(POCKETBERT_SOURCE_DIR) + "/tests/cases-families/hand/";

Answers Ask(Opened& opened, const std::vector<TextPair>& items, const AnswerOptions& options = {}) {
  auto result = AnswerAll(opened.model, opened.session, items, options);
  if (!result.ok()) FAIL(result.error().message);
  REQUIRE(result.value().items() == items.size());
  return std::move(result).value();
}

Error AskError(Opened& opened, const std::vector<TextPair>& items, const AnswerOptions& options) {
  auto result = AnswerAll(opened.model, opened.session, items, options);
  REQUIRE_FALSE(result.ok());
  return std::move(result).error();
}

std::optional<size_t> SizeOption(Json options, const char* name) {
  const Json value = options.FindOrNull(name);
  if (value.is_null()) return std::nullopt;
  return static_cast<size_t>(options.GetInt(name, 0, 1 << 20).value());
}

AnswerOptions OptionsOf(Json json) {
  AnswerOptions options;
  options.windows = {SizeOption(json, "max_seq_len"), SizeOption(json, "doc_stride")};
  options.max_answer_len = SizeOption(json, "max_answer_len").value_or(15);
  options.top_k = SizeOption(json, "top_k").value_or(1);
  options.handle_impossible_answer = !json.FindOrNull("handle_impossible_answer").is_null();
  return options;
}

void RunCase(Json test, const Folder& folder) {
  Opened opened = Open(folder);
  const Json input = test.Get("input").value();
  const std::string question(input.GetString("question").value());
  const std::string context(input.GetString("context").value());
  const AnswerOptions options = OptionsOf(test.Get("options").value());
  const Json expect = test.Get("expect").value();
  if (!expect.FindOrNull("error").is_null()) {
    CHECK(AskError(opened, {{question, context}}, options).message ==
          "text 0: the context is empty");
    return;
  }
  const Answers result = Ask(opened, {{question, context}}, options);
  const Json expected = expect.GetArray("answers").value();
  const double most = expect.GetDouble("abs").value();
  REQUIRE(result.answers.size() == expected.size());
  size_t i = 0;
  for (Json item : expected.Items()) {
    const Answer& answer = result.answers[i++];
    INFO("answer " << i - 1);
    CHECK(answer.range.begin == item.GetInt("start", 0, 10000).value());
    CHECK(answer.range.end == item.GetInt("end", 0, 10000).value());
    CHECK(std::abs(static_cast<double>(answer.score) - item.GetDouble("score").value()) <= most);
  }
}

size_t RunCases(const std::string& hand) {
  const auto file = ParseJson(ReadFile(hand + "qa.json"), "qa.json");
  REQUIRE(file.ok());
  size_t ran = 0;
  for (Json test : file.value().root().GetArray("cases").value().Items()) {
    INFO(test.GetString("id").value());
    const std::string dir(test.Get("model").value().GetString("dir").value());
    RunCase(test, ReadFolder(hand + dir));
    ++ran;
  }
  return ran;
}

TEST_CASE("reference answers of tests/cases and tests/cases-families on the fixtures") {
  CHECK(RunCases(kHand) == 11);
  CHECK(RunCases(kFamilies) == 7);
}

const std::string kLong = [] {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "the river is long and the mill is old . ";
  return text + "it was built by anna stone . the man was never in the city . ";
}();
const std::vector<TextPair> kItems = {
    {"who built the bridge", "It was built by Anna Stones, near the city."},
    {"who built the bridge", kLong},
    {"who sold it", "near and with of a mill"}};

std::vector<float> NumbersOf(const Answers& answers) {
  std::vector<float> numbers;
  for (const Answer& answer : answers.answers) {
    numbers.push_back(answer.score);
    numbers.push_back(static_cast<float>(answer.range.begin));
    numbers.push_back(static_cast<float>(answer.range.end));
  }
  return numbers;
}

TEST_CASE("answers depend on neither neighbours nor batch size nor threads") {
  const Precision precision = GENERATE(Precision::kFloat32, Precision::kInt8);
  Opened opened = Open(Fixture("qa"), precision, 256);
  Opened threaded = Open(Fixture("qa"), precision, 1, 2);
  AnswerOptions options;
  options.top_k = 5;
  const std::vector<float> together = NumbersOf(Ask(opened, kItems, options));
  CHECK(NumbersOf(Ask(threaded, kItems, options)) == together);
  std::vector<float> alone;
  for (const TextPair& item : kItems) {
    const std::vector<float> numbers = NumbersOf(Ask(threaded, {item}, options));
    alone.insert(alone.end(), numbers.begin(), numbers.end());
  }
  CHECK(alone == together);
}

TEST_CASE("the best answers, best first, and not more than there are") {
  Opened opened = Open(Fixture("qa"));
  AnswerOptions options;
  options.top_k = 4;
  const Answers few = Ask(opened, kItems, options);
  options.top_k = 1000;
  options.max_answer_len = 2;
  const Answers all = Ask(opened, {{"who", "anna stone or the city woman"}}, options);
  // Beside the context are [CLS], the question's one token and twice [SEP]. Of n tokens: n answers of
  // one and n - 1 of two.
  const size_t tokens = all.tokens[0] - 4;
  CHECK(all.answers.size() == 2 * tokens - 1);
  for (size_t i = 1; i < all.answers.size(); ++i) {
    CHECK(all.answers[i - 1].score >= all.answers[i].score);
  }
  CHECK(few.counts == std::vector<uint32_t>{4, 4, 4});
}

TEST_CASE("the empty answer and its threshold") {
  Opened opened = Open(Fixture("qa"));
  // tests/cases: the empty answer has 0.91298 here.
  const std::vector<TextPair> item = {{"who sold it", "near and with of for"}};
  AnswerOptions options;
  options.handle_impossible_answer = true;
  options.top_k = 2;
  const Answers first = Ask(opened, item, options);
  CHECK(first.answers[0].range == Range{0, 0});
  options.null_threshold = 1;
  const Answers second = Ask(opened, item, options);
  CHECK(second.answers[1].range == Range{0, 0});
  CHECK(second.answers[1].score == first.answers[0].score);
  options.null_threshold = first.answers[0].score - first.answers[1].score;
  options.null_threshold = std::nextafter(options.null_threshold, -1.0f);
  options.null_threshold = std::nextafter(options.null_threshold, -1.0f);
  CHECK(Ask(opened, item, options).answers[0].range == Range{0, 0});
}

TEST_CASE("a context of blanks has the empty answer") {
  Opened opened = Open(Fixture("qa"));
  const Answers none = Ask(opened, {{"who", "   "}});
  REQUIRE(none.answers.size() == 1);
  CHECK(none.answers[0].score == 0);
  CHECK(none.answers[0].range == Range{0, 0});
  AnswerOptions options;
  options.handle_impossible_answer = true;
  CHECK(Ask(opened, {{"who", "   "}}, options).answers[0].score == 1);
}

TEST_CASE("what answering refuses") {
  Opened opened = Open(Fixture("qa"));
  const auto code = [&](const TextPair& item, const AnswerOptions& options = {}) {
    return AskError(opened, {item}, options).code;
  };
  CHECK(code({"", "the mill"}) == ErrorCode::kInvalidArgument);
  CHECK(code({"who", ""}) == ErrorCode::kInvalidArgument);
  CHECK(code({"who", {}}) == ErrorCode::kInvalidArgument);
  CHECK(code({kLong, "the mill"}) == ErrorCode::kTooLong);
  AnswerOptions options;
  options.windows = {.max_length = 20, .stride = 19};
  for (const std::string& context : {kLong, std::string("the mill")}) {
    CHECK(code({"who", context}, options) == ErrorCode::kInvalidArgument);
    CHECK(AskError(opened, {{"who", context}}, options).message ==
          "text 0: the doc_stride is 19, expected below 16, the tokens of the context in a window");
  }
  options.windows = {.max_length = 4};
  CHECK(AskError(opened, {{"who", "the mill"}}, options).message ==
        "text 0: the question and special tokens have 4 tokens, which leaves no room for the "
        "context in a window of 4 (max_seq_len)");
  options = {};
  options.top_k = 0;
  CHECK(code({"who", "the mill"}, options) == ErrorCode::kInvalidArgument);
  options = {};
  options.max_answer_len = 0;
  CHECK(code({"who", "the mill"}, options) == ErrorCode::kInvalidArgument);
  Opened without = Open(Fixture("ner"));
  CHECK(AskError(without, kItems, {}).code == ErrorCode::kUnsupported);
}

TEST_CASE("a question that leaves little room: the stride gives way if nobody asked for one") {
  Opened opened = Open(Fixture("qa"));
  const std::string question = "who was the man in the city by the river and the old mill";
  AnswerOptions options;
  options.windows = {.max_length = 24};
  CHECK(Ask(opened, {{question, kLong}}, options).answers.size() == 1);
}

TEST_CASE("a model whose scores are no numbers is told") {
  Folder folder = Fixture("qa");
  FillTensor("qa_outputs.weight", kHuge, folder);
  Opened opened = Open(folder);
  const Error error = AskError(opened, kItems, {});
  CHECK(error.code == ErrorCode::kFormat);
  CHECK(error.message == "text 0: the model's scores are no numbers");
}

}  // namespace
}  // namespace pocketbert
