#include "model/head_config.h"

#include "model/checkpoint_heads.h"

#include <catch2/catch_amalgamated.hpp>
#include <string>

namespace pocketbert {
namespace {

HfConfig Config(std::string_view text) {
  auto config = ParseHfConfig(text);
  if (!config.ok()) FAIL(config.error().message);
  return std::move(config).value();
}

const HfConfig& Encoder() {
  static const HfConfig config =
      Config(R"({"model_type":"electra","hidden_size":24,"num_attention_heads":3})");
  return config;
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The shape of heads/topics.json of the package's own model.
std::string HeadJson(std::string_view layers, std::string_view more = "") {
  return R"({"name":"topics","type":"EnhancedClassifier","labels":["a","b"],"layers":)" +
         std::string(layers) + std::string(more) + "}";
}
constexpr std::string_view kLayers =
    R"([{"name":"dense","in":24,"out":16},{"activation":"gelu"},{"dropout":0.3,"inference":"off"},)"
    R"({"name":"out_proj","in":16,"out":2}])";

HeadSpec ReadHead(const std::string& text, size_t vector_size = 24) {
  auto head = ParseHeadFile(text, "heads/topics.json", Encoder(), vector_size);
  if (!head.ok()) FAIL(head.error().message);
  return std::move(head).value();
}

Error Refusal(const std::string& text) {
  const auto head = ParseHeadFile(text, "heads/topics.json", Encoder(), 24);
  REQUIRE_FALSE(head.ok());
  CHECK(Has(head.error().message, "heads/topics.json"));
  return head.error();
}

TEST_CASE("the heads of the three families' ForSequenceClassification") {
  const struct {
    const char* type;
    const char* dense;
    Activation activation;
    const char* output;
  } table[] = {{"bert", "pooler.dense", Activation::kTanh, "classifier"},
               {"distilbert", "pre_classifier", Activation::kRelu, "classifier"},
               {"electra", "classifier.dense", Activation::kGelu, "classifier.out_proj"}};
  for (const auto& row : table) {
    const HfConfig config = Config("{\"model_type\":\"" + std::string(row.type) + "\"}");
    const HeadSpec head = CheckpointHead(config, 2).value();
    CHECK(head.name == "default");
    CHECK(head.type == row.type);
    CHECK(head.input == HeadInput::kClsToken);
    CHECK(head.config.dense_name == row.dense);
    CHECK(head.config.output_name == row.output);
    CHECK(head.config.activation == row.activation);
    CHECK(head.config.inputs == config.encoder.hidden_size);
    CHECK(head.config.inner == config.encoder.hidden_size);
    CHECK(head.config.outputs == 2);
    CHECK(head.config.temperature == 1);
    CHECK(head.labels == std::vector<std::string>{"LABEL_0", "LABEL_1"});
  }
}

TEST_CASE("problem type and number of labels decide how scores are made") {
  const auto scores = [](const char* problem, size_t outputs) {
    return CheckpointHead(
               Config("{\"model_type\":\"bert\",\"problem_type\":" + std::string(problem) + "}"),
               outputs)
        .value()
        .score_function;
  };
  CHECK(scores("null", 3) == ScoreFunction::kSoftmax);
  CHECK(scores("null", 1) == ScoreFunction::kSigmoid);
  CHECK(scores("\"single_label_classification\"", 3) == ScoreFunction::kSoftmax);
  CHECK(scores("\"single_label_classification\"", 1) == ScoreFunction::kSigmoid);
  CHECK(scores("\"multi_label_classification\"", 3) == ScoreFunction::kSigmoid);
  CHECK(scores("\"regression\"", 1) == ScoreFunction::kNone);
  CHECK(scores("\"regression\"", 3) == ScoreFunction::kNone);
}

TEST_CASE("another number of labels than outputs is refused with both") {
  const HfConfig config = Config(R"({"model_type":"bert","id2label":{"0":"a","1":"b"}})");
  CHECK(CheckpointHead(config, 2).value().labels == std::vector<std::string>{"a", "b"});
  const auto head = CheckpointHead(config, 3);
  REQUIRE_FALSE(head.ok());
  CHECK(Has(head.error().message, "classifier.weight has 3 rows"));
  CHECK(Has(head.error().message, "names 2 labels"));
}

TEST_CASE("an EnhancedClassifier file") {
  const HeadSpec head = ReadHead(HeadJson(
      kLayers, R"(,"input":"mean-pooled, L2-normalized sentence vector","temperature":1.22)"));
  CHECK(head.name == "topics");
  CHECK(head.type == "enhanced");
  CHECK(head.input == HeadInput::kSentenceVector);
  CHECK(head.config.dense_name == "heads.topics.dense");
  CHECK(head.config.output_name == "heads.topics.out_proj");
  CHECK(head.config.inputs == 24);
  CHECK(head.config.inner == 16);
  CHECK(head.config.outputs == 2);
  CHECK(head.config.activation == Activation::kGelu);
  CHECK(head.config.temperature == 1.22f);
  CHECK(head.labels == std::vector<std::string>{"a", "b"});
  CHECK(head.score_function == ScoreFunction::kSoftmax);
  CHECK(ReadHead(HeadJson(kLayers, R"(,"input":"[CLS]")"), 99).input == HeadInput::kClsToken);
  CHECK(ReadHead(HeadJson(kLayers, R"(,"probabilities":"sigmoid of the logits")")).score_function ==
        ScoreFunction::kSigmoid);
}

TEST_CASE("a head of one linear map") {
  const HeadSpec head = ReadHead(HeadJson(R"([{"name":"out","in":24,"out":2}])"));
  CHECK(head.config.dense_name.empty());
  CHECK(head.config.output_name == "heads.topics.out");
  CHECK(head.config.inner == 24);
  CHECK(head.config.outputs == 2);
}

TEST_CASE("head files that can't be computed are refused by name") {
  const auto layers = [](std::string_view text) { return HeadJson(text); };
  CHECK(Has(Refusal(layers(R"([{"name":"dense","in":25,"out":2}])")).message, "in is 25"));
  CHECK(
      Has(Refusal(layers(R"([{"name":"a","in":24,"out":9},{"name":"b","in":8,"out":2}])")).message,
          "in is 8"));
  CHECK(Has(Refusal(layers(R"([{"name":"a","in":24,"out":3}])")).message, "2 labels"));
  CHECK(Has(Refusal(layers(R"([{"convolution":3}])")).message, "no linear map"));
  CHECK(Has(Refusal(layers(R"([{"activation":"gelu"},{"name":"a","in":24,"out":2}])")).message,
            "gelu"));
  CHECK(Has(Refusal(layers(R"([{"name":"a","in":24,"out":9},{"activation":"gelo"}])")).message,
            "gelo"));
  CHECK(Has(Refusal(layers(R"([{"name":"a","in":24,"out":9},{"name":"b","in":9,"out":9},)"
                           R"({"name":"c","in":9,"out":2}])"))
                .message,
            "third linear map"));
  CHECK(Refusal(layers("[]")).code == ErrorCode::kFormat);
  CHECK(Has(Refusal(HeadJson(kLayers, R"(,"temperature":0)")).message, "temperature"));
  CHECK(Has(Refusal(HeadJson(kLayers, R"(,"input":"a picture")")).message, "input"));
  CHECK(Has(Refusal(R"({"name":"topics","type":"SetFit","labels":[],"layers":[]})").message,
            "SetFit"));
}

TEST_CASE("the one-file form of heads reads back as it was") {
  const std::vector<HeadSpec> heads = {
      CheckpointHead(Encoder(), 3).value(),
      ReadHead(HeadJson(kLayers, R"(,"temperature":1.22)")),
  };
  const std::string text = WriteHeads(heads);
  const auto parsed = ParseHeads(text, "m: heads");
  if (!parsed.ok()) FAIL(parsed.error().message);
  REQUIRE(parsed.value().size() == 2);
  CHECK(WriteHeads(parsed.value()) == text);
  CHECK(parsed.value()[1].config.temperature == 1.22f);
  CHECK(parsed.value()[1].labels == heads[1].labels);
  CHECK(parsed.value()[0].config.activation == Activation::kGelu);
  CHECK(parsed.value()[1].input == HeadInput::kSentenceVector);
  CHECK(ParseHeads("[]", "m").value().empty());
  CHECK_FALSE(ParseHeads("{}", "m").ok());
  const std::string twice = WriteHeads(std::vector{heads[0], heads[0]});
  CHECK(Has(ParseHeads(twice, "m").error().message, "second head is named default"));
}

}  // namespace
}  // namespace pocketbert
