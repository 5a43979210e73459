#include "tasks/classify.h"

#include <catch2/catch_amalgamated.hpp>
#include <cmath>

#include "support/safetensors_builder.h"
#include "tasks/embed.h"
#include "tasks/fixture.h"

namespace pocketbert {
namespace {

Classification ClassifyAll(Opened& opened, const std::vector<TextPair>& items,
                           const ClassifyOptions& options = {}) {
  auto result = Classify(opened.model, opened.session, items, options);
  if (!result.ok()) FAIL(result.error().message);
  REQUIRE(result.value().texts() == items.size());
  REQUIRE(result.value().scores.size() == items.size() * result.value().labels_per_text);
  return std::move(result).value();
}

Error ClassifyError(Opened& opened, const ClassifyOptions& options) {
  const std::vector<TextPair> items = {{"boat", {}}};
  auto result = Classify(opened.model, opened.session, items, options);
  REQUIRE_FALSE(result.ok());
  return std::move(result).error();
}

std::vector<TextPair> ItemsOf(Json test) {
  std::vector<TextPair> items;
  for (Json item : test.Get("input").value().GetArray("items").value().Items()) {
    TextPair pair{item.GetString("text").value(), std::nullopt};
    if (const Json second = item.FindOrNull("pair"); !second.is_null()) {
      pair.pair = second.AsString().value();
    }
    items.push_back(pair);
  }
  return items;
}

void RunCase(Json test, const Folder& folder) {
  Opened opened = Open(folder);
  ClassifyOptions options;
  if (!test.Get("options").value().FindOrNull("activation").is_null()) {
    options.activation = ScoreFunction::kNone;
  }
  const Classification result = ClassifyAll(opened, ItemsOf(test), options);
  const std::vector<std::string>& labels = opened.model.heads()[0].spec.labels;
  const Json expect = test.Get("expect").value();
  const double most = expect.GetDouble("abs").value();
  size_t at = 0;
  for (Json item : expect.GetArray("results").value().Items()) {
    REQUIRE(item.size() == result.labels_per_text);
    for (Json expected : item.Items()) {
      CHECK(labels[result.labels[at]] == expected.GetString("label").value());
      CHECK(std::abs(result.scores[at] - expected.GetDouble("score").value()) <= most);
      ++at;
    }
  }
}

size_t RunCases(const std::string& hand) {
  const auto file = ParseJson(ReadFile(hand + "classify.json"), "classify.json");
  REQUIRE(file.ok());
  size_t ran = 0;
  for (Json test : file.value().root().GetArray("cases").value().Items()) {
    // Weights of another format.
    if (test.Get("options").value().Find("weights")) continue;
    const std::optional<Folder> folder = CaseFolder(test, hand);
    REQUIRE(folder);
    INFO(test.GetString("id").value());
    RunCase(test, *folder);
    ++ran;
  }
  return ran;
}

TEST_CASE("reference scores of tests/cases/hand on the fixtures") { CHECK(RunCases(kHand) == 11); }

TEST_CASE("reference scores of other families, cross-encoders and next-sentence heads") {
  CHECK(RunCases(kFamiliesHand) == 17);
}

const std::vector<TextPair> kItems = {{"The old river boat was slow.", "Sail on!"},
                                      {"", {}},
                                      {"Sail on!", {}},
                                      {"one day and one night", ""},
                                      {"A new stone bridge by the mill", "water city"}};

TEST_CASE("an item's bits depend on neither its neighbours nor batch size nor threads") {
  const Precision precision = GENERATE(Precision::kFloat32, Precision::kInt8);
  Opened opened = Open(Fixture("cls"), precision);
  Opened small = Open(Fixture("cls"), precision, 1, 2);
  const Classification together = ClassifyAll(opened, kItems);
  const Classification apart = ClassifyAll(small, kItems);
  CHECK(together.scores == apart.scores);
  CHECK(together.labels == apart.labels);
  for (size_t i = 0; i < kItems.size(); ++i) {
    const Classification alone = ClassifyAll(small, {kItems[i]});
    CHECK(std::equal(alone.scores.begin(), alone.scores.end(),
                     together.scores.begin() + static_cast<ptrdiff_t>(3 * i)));
  }
}

TEST_CASE("score functions by their formulas") {
  Opened opened = Open(Fixture("cls"));
  const auto scores = [&](ScoreFunction function) {
    ClassifyOptions options;
    options.activation = function;
    const Classification result = ClassifyAll(opened, {kItems[0]}, options);
    std::vector<double> by_label(3);
    for (size_t i = 0; i < 3; ++i) by_label[result.labels[i]] = result.scores[i];
    return by_label;
  };
  const std::vector<double> logits = scores(ScoreFunction::kNone);
  const double sum = std::exp(logits[0]) + std::exp(logits[1]) + std::exp(logits[2]);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(scores(ScoreFunction::kSoftmax)[i] == Catch::Approx(std::exp(logits[i]) / sum));
    CHECK(scores(ScoreFunction::kSigmoid)[i] == Catch::Approx(1 / (1 + std::exp(-logits[i]))));
  }
}

TEST_CASE("top_k keeps the best labels, best first") {
  Opened opened = Open(Fixture("cls-many"));
  const Classification all = ClassifyAll(opened, kItems);
  ClassifyOptions options;
  options.top_k = 5;
  const Classification best = ClassifyAll(opened, kItems, options);
  REQUIRE(all.labels_per_text == 12);
  REQUIRE(best.labels_per_text == 5);
  for (size_t i = 0; i < kItems.size(); ++i) {
    for (size_t k = 0; k < 5; ++k) {
      CHECK(best.labels[5 * i + k] == all.labels[12 * i + k]);
      CHECK(best.scores[5 * i + k] == all.scores[12 * i + k]);
    }
    for (size_t k = 1; k < 12; ++k) CHECK(all.scores[12 * i + k - 1] >= all.scores[12 * i + k]);
  }
  options.top_k = 100;
  CHECK(ClassifyAll(opened, kItems, options).labels_per_text == 12);
  options.top_k = 0;
  CHECK(ClassifyError(opened, options).message == "top_k is 0, expected 1 or more");
}

TEST_CASE("a head that is not there") {
  Opened opened = Open(Fixture("cls"));
  ClassifyOptions options;
  options.head = "topics";
  const Error unknown = ClassifyError(opened, options);
  CHECK(unknown.code == ErrorCode::kInvalidArgument);
  CHECK(unknown.message.find("topics") != std::string::npos);
  Opened without = Open(Fixture("enc"));
  const Error none = ClassifyError(without, {});
  CHECK(none.code == ErrorCode::kUnsupported);
}

// ---- Named heads: 24 → 5 → 3 on the sentence vector, with made-up weights.

struct HeadNumbers {
  std::vector<float> dense = std::vector<float>(5 * 24), dense_bias = std::vector<float>(5);
  std::vector<float> output = std::vector<float>(3 * 5), output_bias = {0.5f, -0.25f, 0.125f};
};

HeadNumbers MakeHead() {
  HeadNumbers head;
  for (size_t i = 0; i < head.dense.size(); ++i) {
    head.dense[i] = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) / 40;
  }
  for (size_t i = 0; i < 5; ++i) head.dense_bias[i] = static_cast<float>(i) / 8 - 0.25f;
  for (size_t i = 0; i < 15; ++i) {
    head.output[i] = static_cast<float>(static_cast<int>(i * 7 % 13) - 6) / 4;
  }
  return head;
}

// out(gelu(dense(x))) in double precision.
std::vector<double> HeadLogits(const HeadNumbers& head, const std::vector<float>& x) {
  std::vector<double> logits(head.output_bias.begin(), head.output_bias.end());
  for (size_t i = 0; i < 5; ++i) {
    double inner = head.dense_bias[i];
    for (size_t k = 0; k < 24; ++k) inner += double{head.dense[24 * i + k]} * x[k];
    inner *= 0.5 * (1 + std::erf(inner / std::sqrt(2.0)));
    for (size_t n = 0; n < 3; ++n) logits[n] += head.output[5 * n + i] * inner;
  }
  return logits;
}

void AddHead(const std::string& name, const std::string& temperature, Folder& folder) {
  const HeadNumbers head = MakeHead();
  const testing::Bytes bytes = testing::SafetensorsBuilder()
                                   .AddFloats("dense.bias", {5}, head.dense_bias)
                                   .AddFloats("dense.weight", {5, 24}, head.dense)
                                   .AddFloats("out_proj.bias", {3}, head.output_bias)
                                   .AddFloats("out_proj.weight", {3, 5}, head.output)
                                   .Build();
  folder["heads/" + name + ".safetensors"] = std::string(bytes.begin(), bytes.end());
  folder["heads/" + name + ".json"] =
      R"({"name":")" + name + R"(","type":"EnhancedClassifier","labels":["a","b","c"],)" +
      R"("input":"mean-pooled, L2-normalized sentence vector","layers":[)" +
      R"({"name":"dense","in":24,"out":5},{"activation":"gelu"},{"dropout":0.3},)" +
      R"({"name":"out_proj","in":5,"out":3}],"temperature":)" + temperature + "}";
}

TEST_CASE("named heads on the sentence vector, with temperature") {
  Folder folder = Fixture("enc");
  AddHead("cold", "1", folder);
  AddHead("warm", "2.5", folder);
  Opened opened = Open(folder);
  const std::vector<TextPair> texts = {{"The old river boat was slow.", {}}, {"Sail on!", {}}};
  const auto vectors = Embed(opened.model, opened.session, texts, {});
  REQUIRE(vectors.ok());
  const auto by_label = [&](const std::string& head, std::optional<ScoreFunction> function) {
    ClassifyOptions options;
    options.head = head;
    options.activation = function;
    const Classification result = ClassifyAll(opened, texts, options);
    std::vector<double> scores(6);
    for (size_t i = 0; i < 6; ++i) scores[i / 3 * 3 + result.labels[i]] = result.scores[i];
    return scores;
  };
  for (size_t t = 0; t < texts.size(); ++t) {
    const auto begin = vectors.value().data.begin() + static_cast<ptrdiff_t>(24 * t);
    const std::vector<float> vector(begin, begin + 24);
    const std::vector<double> logits = HeadLogits(MakeHead(), vector);
    for (const auto& [head, temperature] : {std::pair{"cold", 1.0}, std::pair{"warm", 2.5}}) {
      double sum = 0;
      for (double logit : logits) sum += std::exp(logit / temperature);
      for (size_t n = 0; n < 3; ++n) {
        CHECK(by_label(head, {})[3 * t + n] ==
              Catch::Approx(std::exp(logits[n] / temperature) / sum).margin(1e-6));
        CHECK(by_label(head, ScoreFunction::kNone)[3 * t + n] ==
              Catch::Approx(logits[n]).margin(1e-5));
      }
    }
  }
  ClassifyOptions neither;
  const Error error = ClassifyError(opened, neither);
  CHECK(error.code == ErrorCode::kInvalidArgument);
  CHECK(error.message.find("cold") != std::string::npos);
  CHECK(error.message.find("warm") != std::string::npos);
}

TEST_CASE("a classifier whose scores are no numbers is told") {
  Folder folder = Fixture("cls");
  FillTensor("classifier.weight", kHuge, folder);
  Opened opened = Open(folder);
  for (const auto activation : {ScoreFunction::kNone, ScoreFunction::kSoftmax}) {
    ClassifyOptions options;
    options.activation = activation;
    const Error error = ClassifyError(opened, options);
    CHECK(error.code == ErrorCode::kFormat);
    CHECK(error.message == "text 0: the model's scores are no numbers");
  }
}

}  // namespace
}  // namespace pocketbert
