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

TEST_CASE("the heads of the families' ForSequenceClassification") {
  const struct {
    const char* type;
    const char* dense;
    Activation activation;
    const char* output;
  } table[] = {{"bert", "pooler.dense", Activation::kTanh, "classifier"},
               {"distilbert", "pre_classifier", Activation::kRelu, "classifier"},
               {"electra", "classifier.dense", Activation::kGelu, "classifier.out_proj"},
               {"roberta", "classifier.dense", Activation::kTanh, "classifier.out_proj"},
               {"xlm-roberta", "classifier.dense", Activation::kTanh, "classifier.out_proj"},
               {"mpnet", "classifier.dense", Activation::kTanh, "classifier.out_proj"},
               {"albert", "pooler.dense", Activation::kTanh, "classifier"},
               {"deberta-v2", "pooler.dense", Activation::kGelu, "classifier"},
               {"modernbert", "head.dense", Activation::kGelu, "classifier"},
               {"gte", "pooler.dense", Activation::kTanh, "classifier"}};
  for (const auto& row : table) {
    const HfConfig config = Config("{\"model_type\":\"" + std::string(row.type) +
                                   "\",\"relative_attention\":true}");
    const HeadSpec head = CheckpointHead(config, 2).value();
    CHECK(head.name == "default");
    CHECK(head.task == HeadTask::kClassify);
    CHECK(std::string(row.type).find(head.type) != std::string::npos);
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

TEST_CASE("options of config.json that change a head") {
  const HfConfig modern = Config(
      R"({"model_type":"modernbert","classifier_pooling":"mean","classifier_activation":"silu",)"
      R"("classifier_bias":true,"norm_bias":true,"norm_eps":0.5})");
  const HeadSpec head = CheckpointHead(modern, 2).value();
  CHECK(head.input == HeadInput::kMeanToken);
  CHECK(head.config.norm_name == "head.norm");
  CHECK(head.config.activation == Activation::kSilu);
  CHECK(head.config.dense_bias);
  CHECK(head.config.norm_bias);
  CHECK(head.config.norm_eps == 0.5f);
  CHECK(CheckpointHead(Config(R"({"model_type":"modernbert"})"), 2).value().input ==
        HeadInput::kClsToken);
  const HfConfig deberta = Config(
      R"({"model_type":"deberta-v2","relative_attention":true,"pooler_hidden_act":"tanh"})");
  CHECK(CheckpointHead(deberta, 2).value().config.activation == Activation::kTanh);
  const HfConfig pretraining = Config(
      R"({"model_type":"bert","architectures":["BertForPreTraining"],"id2label":{"0":"x"}})");
  const HeadSpec next = CheckpointHead(pretraining, 2).value();
  CHECK(next.config.output_name == "cls.seq_relationship");
  CHECK(next.labels == std::vector<std::string>{"LABEL_0", "LABEL_1"});
}

TEST_CASE("architectures decide what a checkpoint may have heads for") {
  const auto tasks = [](const char* architecture) {
    return CheckpointHeadTasks(Config("{\"model_type\":\"bert\",\"architectures\":[\"Bert" +
                                      std::string(architecture) + "\"]}"));
  };
  using Tasks = std::vector<HeadTask>;
  CHECK(tasks("Model") == Tasks{HeadTask::kClassify});
  CHECK(tasks("ForSequenceClassification") == Tasks{HeadTask::kClassify});
  CHECK(tasks("ForTokenClassification") == Tasks{HeadTask::kTag});
  CHECK(tasks("ForQuestionAnswering") == Tasks{HeadTask::kAnswer});
  CHECK(tasks("ForMaskedLM") == Tasks{HeadTask::kClassify, HeadTask::kFillMask});
  CHECK(tasks("ForMultipleChoice").empty());
}

TEST_CASE("the heads on tokens") {
  const struct {
    const char* type;
    const char* dense;
    const char* norm;
    const char* words;
    Activation activation;
    size_t inner;
  } table[] = {
      {"bert", "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
       "cls.predictions", Activation::kRelu, 24},
      {"distilbert", "vocab_transform", "vocab_layer_norm", "vocab_projector", Activation::kGelu,
       24},
      {"roberta", "lm_head.dense", "lm_head.layer_norm", "lm_head", Activation::kGelu, 24},
      {"electra", "generator_predictions.dense", "generator_predictions.LayerNorm",
       "generator_lm_head", Activation::kGelu, 12},
      {"albert", "predictions.dense", "predictions.LayerNorm", "predictions", Activation::kRelu,
       12},
      {"modernbert", "head.dense", "head.norm", "decoder", Activation::kGelu, 24},
  };
  for (const auto& row : table) {
    CAPTURE(row.type);
    const HfConfig config = Config(
        "{\"model_type\":\"" + std::string(row.type) +
        R"(","hidden_size":24,"dim":24,"embedding_size":12,"n_heads":3,"num_attention_heads":3,)"
        R"("hidden_act":"relu"})");
    const HeadSpec words = CheckpointHead(config, 100, HeadTask::kFillMask).value();
    CHECK(words.input == HeadInput::kTokens);
    CHECK(words.config.tied_output);
    CHECK(words.config.dense_name == row.dense);
    CHECK(words.config.norm_name == row.norm);
    CHECK(words.config.output_name == row.words);
    CHECK(words.config.activation == row.activation);
    CHECK(words.config.inner == row.inner);
    CHECK(words.config.outputs == 100);
    CHECK(words.labels.empty());
    const HeadSpec tag = CheckpointHead(config, 3, HeadTask::kTag).value();
    CHECK(tag.config.output_name == "classifier");
    CHECK(tag.labels.size() == 3);
    const bool modern = std::string(row.type) == "modernbert";
    CHECK(tag.config.dense_name == (modern ? "head.dense" : ""));
    const HeadSpec answer = CheckpointHead(config, 2, HeadTask::kAnswer).value();
    CHECK(answer.config.output_name == (modern ? "classifier" : "qa_outputs"));
    CHECK(answer.labels.empty());
  }
  const HfConfig untied = Config(R"({"model_type":"bert","tie_word_embeddings":false})");
  const HeadSpec decoder = CheckpointHead(untied, 9, HeadTask::kFillMask).value();
  CHECK(decoder.config.output_name == "cls.predictions");
  CHECK_FALSE(decoder.config.tied_output);
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
      CheckpointHead(Config(R"({"model_type":"modernbert"})"), 5, HeadTask::kFillMask).value(),
      CheckpointHead(Encoder(), 3, HeadTask::kTag).value(),
      CheckpointHead(Encoder(), 2, HeadTask::kAnswer).value(),
  };
  const std::string text = WriteHeads(heads);
  const auto parsed = ParseHeads(text, "m: heads");
  if (!parsed.ok()) FAIL(parsed.error().message);
  REQUIRE(parsed.value().size() == 5);
  CHECK(parsed.value()[2].task == HeadTask::kFillMask);
  CHECK(parsed.value()[2].config.tied_output);
  CHECK(parsed.value()[2].config.norm_name == "head.norm");
  CHECK(parsed.value()[2].config.norm_eps == 1e-5f);
  CHECK_FALSE(parsed.value()[2].config.norm_bias);
  CHECK_FALSE(parsed.value()[2].config.dense_bias);
  CHECK(parsed.value()[3].task == HeadTask::kTag);
  CHECK(parsed.value()[4].task == HeadTask::kAnswer);
  CHECK(WriteHeads(parsed.value()) == text);
  CHECK(parsed.value()[1].config.temperature == 1.22f);
  CHECK(parsed.value()[1].labels == heads[1].labels);
  CHECK(parsed.value()[0].config.activation == Activation::kGelu);
  CHECK(parsed.value()[1].input == HeadInput::kSentenceVector);
  CHECK(ParseHeads("[]", "m").value().empty());
  CHECK_FALSE(ParseHeads("{}", "m").ok());
  const std::string twice = WriteHeads(std::vector{heads[0], heads[0]});
  CHECK(Has(ParseHeads(twice, "m").error().message, "second head is named default"));
  for (const auto& [member, bad] : {std::pair<std::string, std::string>{"task", "\"sing\""},
                                    {"norm_eps", "-1"},
                                    {"norm_eps", "1e300"},
                                    {"norm", "3"},
                                    {"tied_output", "1"}}) {
    std::string wrong = WriteHeads(std::vector{heads[0]});
    wrong.insert(2, "\"" + member + "\":" + bad + ",");
    const auto refused = ParseHeads(wrong, "m");
    REQUIRE_FALSE(refused.ok());
    CHECK(Has(refused.error().message, member));
  }
}

}  // namespace
}  // namespace pocketbert
