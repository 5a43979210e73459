// sentence-transformers' files. Meanings and defaults are those of sentence-transformers 5.

#include "model/sentence_config.h"

#include <catch2/catch_amalgamated.hpp>
#include <string>
#include <vector>

namespace pocketbert {
namespace {

constexpr size_t kHidden = 24;

struct Module {
  const char* type;
  const char* path;
};

std::string ModulesJson(const std::vector<Module>& modules) {
  std::string text = "[";
  for (size_t i = 0; i < modules.size(); ++i) {
    const std::string type = std::string(modules[i].type).find('.') == std::string::npos
                                 ? "sentence_transformers.models." + std::string(modules[i].type)
                                 : modules[i].type;
    text += (i == 0 ? "" : ",") + std::string("{\"idx\":") + std::to_string(i) + ",\"name\":\"" +
            std::to_string(i) + "\",\"path\":\"" + modules[i].path + "\",\"type\":\"" + type +
            "\"}";
  }
  return text + "]";
}

FolderTexts Folder(const std::vector<Module>& modules, std::string pooling = "{}") {
  FolderTexts files;
  files.Add("modules.json", ModulesJson(modules));
  files.Add("1_Pooling/config.json", std::move(pooling));
  return files;
}

SentenceConfig Read(const FolderTexts& files) {
  auto config = ReadSentenceFiles(files, kHidden);
  if (!config.ok()) FAIL(config.error().message);
  return std::move(config).value();
}

Error Refusal(const FolderTexts& files) {
  const auto config = ReadSentenceFiles(files, kHidden);
  REQUIRE_FALSE(config.ok());
  return config.error();
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::vector<PoolingMode> Pooling(std::string json) {
  return Read(Folder({{"Transformer", ""}, {"Pooling", "1_Pooling"}}, std::move(json))).pooling;
}

TEST_CASE("without modules.json: mean pooling, length 1") {
  const SentenceConfig config = Read({});
  CHECK_FALSE(config.from_modules);
  CHECK(config.pooling == std::vector{PoolingMode::kMean});
  CHECK(config.normalizes());
  CHECK(config.Dimensions(kHidden) == kHidden);
  CHECK_FALSE(config.max_length.has_value());
}

TEST_CASE("a Normalize module is obeyed, its absence too") {
  const std::vector<Module> plain = {{"Transformer", ""}, {"Pooling", "1_Pooling"}};
  CHECK_FALSE(Read(Folder(plain)).normalizes());
  std::vector<Module> with = plain;
  with.push_back({"Normalize", "2_Normalize"});
  const SentenceConfig config = Read(Folder(with));
  CHECK(config.from_modules);
  CHECK(config.normalizes());
  with.push_back({"Dropout", "3_Dropout"});
  CHECK(Read(Folder(with)).normalizes());
}

TEST_CASE("all pooling modes, in both spellings of the configuration") {
  const struct {
    const char* legacy;
    const char* name;
    PoolingMode mode;
  } table[] = {
      {"pooling_mode_cls_token", "cls", PoolingMode::kCls},
      {"pooling_mode_max_tokens", "max", PoolingMode::kMax},
      {"pooling_mode_mean_tokens", "mean", PoolingMode::kMean},
      {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", PoolingMode::kMeanSqrtLen},
      {"pooling_mode_weightedmean_tokens", "weightedmean", PoolingMode::kWeightedMean},
      {"pooling_mode_lasttoken", "lasttoken", PoolingMode::kLastToken}};
  for (const auto& row : table) {
    CHECK(Pooling("{\"" + std::string(row.legacy) + "\":true}") == std::vector{row.mode});
    CHECK(Pooling("{\"pooling_mode\":\"" + std::string(row.name) + "\"}") == std::vector{row.mode});
    CHECK(PoolingModeFromName(PoolingModeName(row.mode)) == row.mode);
  }
  CHECK(Pooling("{}") == std::vector{PoolingMode::kMean});
  CHECK(Pooling(R"({"pooling_mode_cls_token":false,"pooling_mode_mean_tokens":false})") ==
        std::vector{PoolingMode::kMean});
}

TEST_CASE("several pooling modes are set side by side in the reference's order") {
  const std::vector<PoolingMode> modes =
      Pooling(R"({"pooling_mode_mean_tokens":true,"pooling_mode_cls_token":true,)"
              R"("pooling_mode_max_tokens":true,"word_embedding_dimension":24})");
  CHECK(modes == std::vector{PoolingMode::kCls, PoolingMode::kMax, PoolingMode::kMean});
  const std::vector<PoolingMode> listed = {PoolingMode::kMean, PoolingMode::kCls};
  CHECK(Pooling(R"({"pooling_mode":["mean","cls"],"embedding_dimension":24})") == listed);
  CHECK(Pooling(R"({"pooling_mode":"mean+cls"})") == listed);
  SentenceConfig config;
  config.pooling = modes;
  CHECK(config.Dimensions(kHidden) == 3 * kHidden);
}

TEST_CASE("unknown pooling is refused by name") {
  const std::vector<Module> modules = {{"Transformer", ""}, {"Pooling", "1_Pooling"}};
  for (const char* json :
       {R"({"pooling_mode":"attention"})", R"({"pooling_mode":["mean","attention"]})",
        R"({"pooling_mode_attention":true})"}) {
    const Error error = Refusal(Folder(modules, json));
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK(Has(error.message, "attention"));
    CHECK(Has(error.message, "1_Pooling/config.json"));
  }
  CHECK(Has(Refusal(Folder(modules, R"({"word_embedding_dimension":48})")).message,
            "word_embedding_dimension is 48"));
  CHECK(Has(Refusal(Folder(modules, R"({"include_prompt":3})")).message, "include_prompt"));
  FolderTexts files;
  files.Add("modules.json", ModulesJson(modules));
  CHECK(Has(Refusal(files).message, "1_Pooling/config.json is missing"));
}

TEST_CASE("unknown modules are refused by name, as is another order") {
  for (const char* type :
       {"WeightedLayerPooling", "LayerNorm", "CNN", "custom_st.Pooling", "torch.nn.Normalize"}) {
    const Error error =
        Refusal(Folder({{"Transformer", ""}, {"Pooling", "1_Pooling"}, {type, "2_X"}}));
    CHECK(error.code == ErrorCode::kUnsupported);
    CHECK(Has(error.message, type));
  }
  CHECK(Refusal(Folder({{"Transformer", ""}})).code == ErrorCode::kUnsupported);
  CHECK(Refusal(Folder({{"Pooling", "1_Pooling"}, {"Transformer", ""}})).code ==
        ErrorCode::kUnsupported);
  CHECK(Refusal(Folder({{"Transformer", ""}, {"Normalize", "1"}, {"Pooling", "1_Pooling"}})).code ==
        ErrorCode::kUnsupported);
  CHECK(Refusal(Folder({{"Transformer", ""}, {"Pooling", "1_Pooling"}, {"Pooling", "1_Pooling"}}))
            .code == ErrorCode::kUnsupported);
}

TEST_CASE("module types of newer versions have longer paths") {
  CHECK(Read(Folder({{"sentence_transformers.base.modules.transformer.Transformer", ""},
                     {"sentence_transformers.sentence_transformer.modules.pooling.Pooling",
                      "1_Pooling"},
                     {"sentence_transformers.base.modules.normalize.Normalize", "2_Normalize"}}))
            .normalizes());
}

const std::vector<Module> kWithDense = {
    {"Transformer", ""}, {"Pooling", "1_Pooling"}, {"Dense", "2_Dense"}, {"Dense", "3_Dense"}};

FolderTexts DenseFolder(std::string first, std::string second) {
  FolderTexts files = Folder(kWithDense);
  files.Add("2_Dense/config.json", std::move(first));
  files.Add("3_Dense/config.json", std::move(second));
  return files;
}

constexpr const char* kFirstDense =
    R"({"in_features":24,"out_features":10,"bias":false,)"
    R"("activation_function":"torch.nn.modules.linear.Identity"})";

TEST_CASE("Dense modules chain, with activations by class path") {
  const SentenceConfig config =
      Read(DenseFolder(kFirstDense, R"({"in_features":10,"out_features":7})"));
  REQUIRE(config.steps.size() == 2);
  CHECK(config.steps[0].dense.LinearName() == "modules.2_Dense.linear");
  CHECK(config.steps[0].dense.activation == Activation::kLinear);
  CHECK_FALSE(config.steps[0].dense.bias);
  CHECK(config.steps[1].dense.activation == Activation::kTanh);  // the class's default
  CHECK(config.steps[1].dense.bias);
  CHECK(config.Dimensions(kHidden) == 7);
  const struct {
    const char* path;
    Activation activation;
  } table[] = {{"torch.nn.modules.activation.Tanh", Activation::kTanh},
               {"torch.nn.modules.activation.GELU", Activation::kGelu},
               {"torch.nn.modules.activation.ReLU", Activation::kRelu},
               {"torch.nn.modules.activation.SiLU", Activation::kSilu},
               {"torch.nn.modules.activation.Sigmoid", Activation::kSigmoid}};
  for (const auto& row : table) {
    const std::string json = R"({"in_features":10,"out_features":7,"activation_function":")" +
                             std::string(row.path) + "\"}";
    CHECK(Read(DenseFolder(kFirstDense, json)).steps[1].dense.activation == row.activation);
  }
}

TEST_CASE("what a Dense module can't do here is refused by name") {
  const struct {
    const char* json;
    const char* named;
  } table[] = {
      {R"({"in_features":11,"out_features":7})", "in_features"},
      {R"({"in_features":10})", "out_features"},
      {R"({"in_features":10,"out_features":7,"activation_function":"my.Tanh"})", "my.Tanh"},
      {R"({"in_features":10,"out_features":7,)"
       R"("activation_function":"torch.nn.modules.activation.ELU"})",
       "ELU"},
      {R"({"in_features":10,"out_features":7,"use_residual":true})", "use_residual"},
      {R"({"in_features":10,"out_features":7,"module_input_name":"token_embeddings"})",
       "token_embeddings"},
  };
  for (const auto& row : table) {
    const Error error = Refusal(DenseFolder(kFirstDense, row.json));
    CHECK(Has(error.message, "3_Dense/config.json"));
    CHECK(Has(error.message, row.named));
  }
  CHECK(Has(Refusal(Folder(kWithDense)).message, "2_Dense/config.json is missing"));
}

TEST_CASE("max_seq_length, prompts and similarity") {
  FolderTexts files;
  files.Add("sentence_bert_config.json", R"({"max_seq_length":32,"do_lower_case":true})");
  files.Add(
      "config_sentence_transformers.json",
      R"({"prompts":{"query":"query: ","document":"passage: "},"default_prompt_name":"query",)"
      R"("similarity_fn_name":"cosine"})");
  const SentenceConfig config = Read(files);
  CHECK(config.max_length == 32);
  CHECK(config.do_lower_case);
  REQUIRE(config.prompts.size() == 2);
  CHECK(config.prompts[1] == std::pair<std::string, std::string>("document", "passage: "));
  CHECK(config.default_prompt_name == "query");
  CHECK(config.similarity == "cosine");

  files.Add("sentence_bert_config.json", R"({"max_seq_length":null})");
  CHECK_FALSE(Read(files).max_length.has_value());
  files.Add("sentence_bert_config.json", R"({"max_seq_length":0})");
  CHECK(Has(Refusal(files).message, "max_seq_length"));
  files.Add("sentence_bert_config.json", "{}");
  files.Add("config_sentence_transformers.json", R"({"prompts":{},"default_prompt_name":"q"})");
  CHECK(Has(Refusal(files).message, "default_prompt_name"));
}

TEST_CASE("older models keep the encoder's files in a folder of their own") {
  FolderTexts files = Folder({{"Transformer", "0_Transformer"}, {"Pooling", "1_Pooling"}});
  files.Add("0_Transformer/sentence_bert_config.json", R"({"max_seq_length":99})");
  const SentenceConfig config = Read(files);
  CHECK(config.transformer_path == "0_Transformer");
  CHECK(config.max_length == 99);
}

TEST_CASE("the one-file form reads back as it was") {
  FolderTexts files = DenseFolder(
      R"({"in_features":24,"out_features":10,"bias":false})",
      R"({"in_features":10,"out_features":7,)"
      R"("activation_function":"torch.nn.modules.activation.GELU"})");
  files.Add("modules.json", ModulesJson({{"Transformer", ""},
                                         {"Pooling", "1_Pooling"},
                                         {"Dense", "2_Dense"},
                                         {"Dense", "3_Dense"},
                                         {"Normalize", "4_Normalize"}}));
  files.Add("1_Pooling/config.json", R"({"pooling_mode":"mean","include_prompt":false})");
  files.Add("sentence_bert_config.json", R"({"max_seq_length":32})");
  files.Add(
      "config_sentence_transformers.json",
      R"({"prompts":{"query":"\"ü: "},"default_prompt_name":"query","similarity_fn_name":"dot"})");
  const SentenceConfig config = Read(files);
  const std::string text = WriteSentenceConfig(config);
  const auto parsed = ParseSentenceConfig(text, "m: sentence", kHidden);
  if (!parsed.ok()) FAIL(parsed.error().message);
  CHECK(WriteSentenceConfig(parsed.value()) == text);
  CHECK(parsed.value().from_modules);
  CHECK_FALSE(parsed.value().include_prompt);
  CHECK(parsed.value().prompts == config.prompts);
  CHECK(parsed.value().max_length == 32);
  CHECK(parsed.value().normalizes());
  REQUIRE(parsed.value().steps.size() == 3);
  CHECK(parsed.value().steps[1].dense.activation == Activation::kGelu);
  CHECK_FALSE(ParseSentenceConfig(text, "m: sentence", kHidden + 1).ok());
  CHECK_FALSE(ParseSentenceConfig("{}", "m: sentence", kHidden).ok());
}

}  // namespace
}  // namespace pocketbert
