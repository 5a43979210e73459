// The `sentence` text of a one-file model:
//   {"from_modules":true,"pooling":["mean"],"include_prompt":true,
//    "steps":[{"type":"dense","path":"2_Dense","inputs":384,"outputs":256,"bias":true,
//              "activation":"tanh"},{"type":"normalize"}],
//    "max_length":256,"prompts":{"query":"query: "},"default_prompt_name":"query",
//    "similarity":"cosine"}

#include <algorithm>

#include "base/json.h"
#include "model/sentence_config.h"

namespace pocketbert {
namespace {

constexpr int64_t kMaxWidth = int64_t{1} << 20;

Status ParseDense(Json json, size_t width, DenseConfig& dense) {
  PB_ASSIGN_OR_RETURN(dense.path, json.GetString("path"));
  PB_ASSIGN_OR_RETURN(const int64_t inputs, json.GetInt("inputs", 1, kMaxWidth));
  PB_ASSIGN_OR_RETURN(const int64_t outputs, json.GetInt("outputs", 1, kMaxWidth));
  PB_ASSIGN_OR_RETURN(dense.bias, json.GetBool("bias"));
  PB_ASSIGN_OR_RETURN(dense.activation_name, json.GetString("activation"));
  const std::optional<Activation> activation = ActivationFromName(dense.activation_name);
  if (!activation) return json.Find("activation")->ErrorExpected("an activation function");
  dense.activation = *activation;
  dense.inputs = static_cast<size_t>(inputs);
  dense.outputs = static_cast<size_t>(outputs);
  if (dense.inputs != width) {
    return json.Find("inputs")->ErrorExpected(std::to_string(width) +
                                              ", the size of what it reads");
  }
  return Done{};
}

Status ParseSteps(Json json, size_t hidden_size, SentenceConfig& sentence) {
  PB_ASSIGN_OR_RETURN(const Json steps, json.GetArray("steps"));
  for (const Json item : steps.Items()) {
    PB_ASSIGN_OR_RETURN(const std::string_view type, item.GetString("type"));
    SentenceStep step;
    if (type == "dense") {
      step.kind = SentenceStep::Kind::kDense;
      PB_RETURN_IF_ERROR(ParseDense(item, sentence.Dimensions(hidden_size), step.dense));
    } else if (type != "normalize") {
      return item.Find("type")->ErrorExpected("dense or normalize");
    }
    sentence.steps.push_back(std::move(step));
  }
  return Done{};
}

Status ParsePrompts(Json json, SentenceConfig& sentence) {
  for (const auto [name, prompt] : json.FindOrNull("prompts").Members()) {
    PB_ASSIGN_OR_RETURN(const std::string_view text, prompt.AsString());
    sentence.prompts.emplace_back(name, text);
  }
  const Json standard = json.FindOrNull("default_prompt_name");
  if (standard.is_null()) return Done{};
  PB_ASSIGN_OR_RETURN(const std::string_view name, standard.AsString());
  sentence.default_prompt_name = std::string(name);
  const bool known = std::any_of(sentence.prompts.begin(), sentence.prompts.end(),
                                 [&](const auto& prompt) { return prompt.first == name; });
  if (!known) return standard.ErrorExpected("the name of one of the prompts");
  return Done{};
}

void WriteStep(const SentenceStep& step, JsonWriter& writer) {
  writer.BeginObject();
  if (step.kind == SentenceStep::Kind::kNormalize) {
    writer.Key("type").String("normalize").EndObject();
    return;
  }
  const DenseConfig& dense = step.dense;
  writer.Key("type").String("dense").Key("path").String(dense.path);
  writer.Key("inputs").Int(static_cast<int64_t>(dense.inputs));
  writer.Key("outputs").Int(static_cast<int64_t>(dense.outputs));
  writer.Key("bias").Bool(dense.bias).Key("activation").String(dense.activation_name);
  writer.EndObject();
}

}  // namespace

std::string WriteSentenceConfig(const SentenceConfig& config) {
  JsonWriter writer;
  writer.BeginObject().Key("from_modules").Bool(config.from_modules);
  writer.Key("pooling").BeginArray();
  for (const PoolingMode mode : config.pooling) writer.String(PoolingModeName(mode));
  writer.EndArray().Key("include_prompt").Bool(config.include_prompt);
  writer.Key("steps").BeginArray();
  for (const SentenceStep& step : config.steps) WriteStep(step, writer);
  writer.EndArray();
  if (config.max_length) {
    writer.Key("max_length").Int(static_cast<int64_t>(*config.max_length));
  }
  writer.Key("prompts").BeginObject();
  for (const auto& [name, text] : config.prompts) writer.Key(name).String(text);
  writer.EndObject();
  if (config.default_prompt_name) {
    writer.Key("default_prompt_name").String(*config.default_prompt_name);
  }
  if (!config.similarity.empty()) writer.Key("similarity").String(config.similarity);
  writer.EndObject();
  return writer.TakeText();
}

Result<SentenceConfig> ParseSentenceConfig(std::string_view text, std::string_view file,
                                           size_t hidden_size) {
  PB_ASSIGN_OR_RETURN(const JsonDocument document, ParseJson(text, file));
  const Json json = document.root();
  SentenceConfig sentence;
  PB_ASSIGN_OR_RETURN(sentence.from_modules, json.GetBool("from_modules"));
  PB_ASSIGN_OR_RETURN(const Json pooling, json.GetArray("pooling"));
  sentence.pooling.clear();
  for (const Json item : pooling.Items()) {
    PB_ASSIGN_OR_RETURN(const std::string_view name, item.AsString());
    const std::optional<PoolingMode> mode = PoolingModeFromName(name);
    if (!mode) return item.ErrorExpected("a pooling mode");
    sentence.pooling.push_back(*mode);
  }
  if (sentence.pooling.empty()) return pooling.ErrorExpected("at least one pooling mode");
  PB_ASSIGN_OR_RETURN(sentence.include_prompt, json.GetBool("include_prompt"));
  PB_RETURN_IF_ERROR(ParseSteps(json, hidden_size, sentence));
  if (!json.FindOrNull("max_length").is_null()) {
    PB_ASSIGN_OR_RETURN(const int64_t length, json.GetInt("max_length", 1));
    sentence.max_length = static_cast<uint64_t>(length);
  }
  PB_RETURN_IF_ERROR(ParsePrompts(json, sentence));
  PB_ASSIGN_OR_RETURN(sentence.similarity, json.StringOr("similarity", ""));
  return sentence;
}

}  // namespace pocketbert
