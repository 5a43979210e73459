// config.json. Defaults are those of transformers 4.46: BertConfig, DistilBertConfig,
// ElectraConfig.

#include "model/hf_config.h"

#include <catch2/catch_amalgamated.hpp>
#include <string>

namespace pocketbert {
namespace {

HfConfig Parse(std::string_view text) {
  auto config = ParseHfConfig(text);
  if (!config.ok()) FAIL(config.error().message);
  return std::move(config).value();
}

// The error of a config with these members beside model_type bert.
Error Refusal(std::string_view members) {
  const auto config = ParseHfConfig("{\"model_type\":\"bert\"," + std::string(members) + "}");
  INFO(members);
  REQUIRE_FALSE(config.ok());
  CHECK(config.error().message.starts_with("config.json"));
  return config.error();
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("missing keys take the defaults of BertConfig") {
  const HfConfig config = Parse(R"({"model_type":"bert"})");
  CHECK(config.family == ModelFamily::kBert);
  CHECK(config.encoder.vocab_size == 30522);
  CHECK(config.encoder.hidden_size == 768);
  CHECK(config.encoder.embedding_size == 768);
  CHECK(config.encoder.layers == 12);
  CHECK(config.encoder.heads == 12);
  CHECK(config.encoder.intermediate_size == 3072);
  CHECK(config.encoder.max_positions == 512);
  CHECK(config.encoder.first_position == 0);
  CHECK(config.encoder.type_vocab_size == 2);
  CHECK(config.encoder.layer_norm_eps == 1e-12f);
  CHECK(config.encoder.activation == Activation::kGelu);
  CHECK(config.labels.empty());
  CHECK(config.problem_type == ProblemType::kUnset);
}

TEST_CASE("missing keys take the defaults of ElectraConfig") {
  const HfConfig config = Parse(R"({"model_type":"electra","hidden_act":null})");
  CHECK(config.family == ModelFamily::kElectra);
  CHECK(config.encoder.embedding_size == 128);
  CHECK(config.encoder.hidden_size == 256);
  CHECK(config.encoder.layers == 12);
  CHECK(config.encoder.heads == 4);
  CHECK(config.encoder.intermediate_size == 1024);
  CHECK(config.encoder.type_vocab_size == 2);
  CHECK(config.encoder.has_projection());
}

TEST_CASE("missing keys take the defaults of DistilBertConfig, which has names of its own") {
  const HfConfig standard = Parse(R"({"model_type":"distilbert"})");
  CHECK(standard.encoder.hidden_size == 768);
  CHECK(standard.encoder.layers == 6);
  CHECK(standard.encoder.heads == 12);
  CHECK(standard.encoder.intermediate_size == 3072);
  CHECK(standard.encoder.type_vocab_size == 0);
  const HfConfig config =
      Parse(R"({"model_type":"distilbert","dim":24,"n_layers":2,"n_heads":3,"hidden_dim":40,)"
            R"("activation":"relu","layer_norm_eps":0.5,"hidden_act":"tanh"})");
  CHECK(config.encoder.hidden_size == 24);
  CHECK(config.encoder.embedding_size == 24);
  CHECK(config.encoder.layers == 2);
  CHECK(config.encoder.heads == 3);
  CHECK(config.encoder.intermediate_size == 40);
  CHECK(config.encoder.activation == Activation::kRelu);
  CHECK(config.encoder.layer_norm_eps == 1e-12f);
  CHECK(Parse(R"({"model_type":"distilbert","hidden_size":24})").encoder.hidden_size == 24);
}

TEST_CASE("every key is read") {
  const HfConfig config = Parse(
      R"({"model_type":"bert","architectures":["BertForSequenceClassification"],"vocab_size":117,)"
      R"("hidden_size":24,"num_hidden_layers":2,"num_attention_heads":3,"intermediate_size":40,)"
      R"("max_position_embeddings":48,"type_vocab_size":3,"layer_norm_eps":0.05,)"
      R"("hidden_act":"gelu_new","problem_type":"multi_label_classification",)"
      R"("position_embedding_type":"absolute","is_decoder":false,)"
      R"("pruned_heads":{},"unknown":[1]})");
  CHECK(config.encoder.vocab_size == 117);
  CHECK(config.encoder.hidden_size == 24);
  CHECK(config.encoder.layers == 2);
  CHECK(config.encoder.heads == 3);
  CHECK(config.encoder.intermediate_size == 40);
  CHECK(config.encoder.max_positions == 48);
  CHECK(config.encoder.type_vocab_size == 3);
  CHECK(config.encoder.layer_norm_eps == 0.05f);
  CHECK(config.encoder.activation == Activation::kGeluTanh);
  CHECK(config.problem_type == ProblemType::kMultiLabel);
  CHECK(config.HasArchitecture("ForSequenceClassification"));
  CHECK_FALSE(config.HasArchitecture("ForTokenClassification"));
}

TEST_CASE("keys of id2label count as numbers") {
  std::string map;
  for (const int i : {10, 0, 11, 2, 1, 3, 9, 8, 7, 6, 5, 4}) {
    map += (map.empty() ? "\"" : ",\"") + std::to_string(i) + "\":\"L" + std::to_string(i) + "\"";
  }
  const HfConfig config =
      Parse("{\"model_type\":\"bert\",\"id2label\":{" + map + "},\"num_labels\":2}");
  REQUIRE(config.labels.size() == 12);
  for (size_t i = 0; i < 12; ++i) CHECK(config.labels[i] == "L" + std::to_string(i));
}

TEST_CASE("labels without names are LABEL_n") {
  const HfConfig config = Parse(R"({"model_type":"bert","num_labels":3})");
  CHECK(config.labels == std::vector<std::string>{"LABEL_0", "LABEL_1", "LABEL_2"});
  CHECK(Parse(R"({"model_type":"bert","id2label":{"0":7}})").labels[0] == "7");
}

TEST_CASE("a label map with other keys than 0 to n-1 is refused") {
  for (const char* map :
       {R"({"0":"a","2":"b"})", R"({"1":"a"})", R"({"0":"a","00":"b"})", R"({"-1":"a"})",
        R"({"x":"a"})", R"({"":"a"})", R"({"99999999999999999999":"a"})"}) {
    CHECK(Has(Refusal("\"id2label\":" + std::string(map)).message, "id2label has the key"));
  }
  CHECK(Has(Refusal(R"("id2label":["a"])").message, "id2label"));
  CHECK(Has(Refusal(R"("id2label":{"0":null})").message, "id2label"));
}

TEST_CASE("other networks are refused by name") {
  const auto t5 = ParseHfConfig(R"({"model_type":"t5","architectures":["T5Model"]})");
  REQUIRE_FALSE(t5.ok());
  CHECK(t5.error().code == ErrorCode::kUnsupported);
  CHECK(Has(t5.error().message, "model_type \"t5\""));
  CHECK(Has(t5.error().message, "modernbert"));  // the list of what is known
  const auto none = ParseHfConfig("{}");
  REQUIRE_FALSE(none.ok());
  CHECK(Has(none.error().message, "model_type is missing"));
  CHECK(Parse(R"({"architectures":["BertModel"]})").family == ModelFamily::kBert);
  CHECK(Parse(R"({"architectures":["DistilBertModel"]})").family == ModelFamily::kDistilBert);

  for (const char* members :
       {R"("position_embedding_type":"relative_key")", R"("is_decoder":true)",
        R"("add_cross_attention":true)", R"("is_encoder_decoder":true)",
        R"("pruned_heads":{"0":[1]})", R"("quantization_config":{"quant_method":"gptq"})",
        R"("hidden_act":"geluu")", R"("problem_type":"ranking")"}) {
    const Error error = Refusal(members);
    CHECK(error.code == ErrorCode::kUnsupported);
    const std::string_view text(members);
    CHECK(Has(error.message, text.substr(1, text.find('"', 1) - 1)));  // the key
  }
  CHECK(Has(Refusal(R"("hidden_act":"geluu")").message, "geluu"));
  CHECK(Has(Refusal(R"("position_embedding_type":"relative_key")").message, "relative_key"));
}

TEST_CASE("values of a wrong type or range name the key") {
  for (const char* members :
       {R"("vocab_size":"many")", R"("hidden_size":0)", R"("num_hidden_layers":-1)",
        R"("num_hidden_layers":100000000)", R"("intermediate_size":1.5)",
        R"("max_position_embeddings":[512])", R"("type_vocab_size":257)",
        R"("layer_norm_eps":"tiny")", R"("layer_norm_eps":-1)", R"("layer_norm_eps":1e300)",
        R"("hidden_act":3)", R"("is_decoder":"no")", R"("architectures":"BertModel")"}) {
    const Error error = Refusal(members);
    CHECK(error.code == ErrorCode::kFormat);
    const std::string_view text(members);
    CHECK(Has(error.message, text.substr(1, text.find('"', 1) - 1)));
  }
  const Error heads = Refusal(R"("hidden_size":24,"num_attention_heads":5)");
  CHECK(Has(heads.message, "hidden_size is 24, no multiple of num_attention_heads"));
}

TEST_CASE("text that is no JSON object is refused with the file's name") {
  for (const char* text : {"", "{", "[]", "\"bert\"", "{\"model_type\": \"bert\", "}) {
    const auto config = ParseHfConfig(text);
    REQUIRE_FALSE(config.ok());
    CHECK(config.error().code == ErrorCode::kFormat);
    CHECK(config.error().message.starts_with("config.json"));
  }
}

}  // namespace
}  // namespace pocketbert
