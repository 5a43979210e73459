#include "model/hf_config.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/json_fields.h"
#include "model/family_options.h"

namespace pocketbert {
namespace {

constexpr size_t kMaxLabels = 1'000'000;

// "12" → 12; nothing for all that is no plain natural number below `count`.
std::optional<size_t> LabelIndex(std::string_view key, size_t count) {
  if (key.empty() || key.size() > 9) return std::nullopt;
  size_t index = 0;
  for (const char c : key) {
    if (c < '0' || c > '9') return std::nullopt;
    index = index * 10 + static_cast<size_t>(c - '0');
  }
  if (index >= count) return std::nullopt;
  return index;
}

Result<std::vector<std::string>> ReadLabels(Json config) {
  const Json map = config.FindOrNull("id2label");
  std::vector<std::string> labels;
  if (map.is_null()) {
    PB_ASSIGN_OR_RETURN(const int64_t count,
                        config.IntOr("num_labels", 0, 0, static_cast<int64_t>(kMaxLabels)));
    for (int64_t i = 0; i < count; ++i) labels.push_back("LABEL_" + std::to_string(i));
    return labels;
  }
  if (!map.is_object()) return map.ErrorExpected("an object of labels");
  labels.resize(map.size());
  std::vector<uint8_t> seen(map.size());
  for (const auto [key, value] : map.Members()) {
    const std::optional<size_t> index = LabelIndex(key, labels.size());
    if (!index || seen[*index]) {
      return FormatError(Message(map.Path()) + " has the key \"" + key + "\", expected 0 to " +
                         (labels.size() - 1) + ", each once");
    }
    seen[*index] = true;
    if (!value.is_string() && !value.is_number()) return value.ErrorExpected("a label");
    labels[*index] = value.is_string() ? std::string(value.AsString().value()) : WriteJson(value);
  }
  return labels;
}

// `classifier_activation` and `pooler_hidden_act` are taken where the family obeys them.
Status ReadHeadOptions(Json json, HfConfig& config) {
  JsonFields fields(json);
  config.tie_word_embeddings = fields.Bool("tie_word_embeddings", true);
  constexpr const char* kProblemTypes =
      ", regression, single_label_classification, multi_label_classification";
  config.problem_type = static_cast<ProblemType>(fields.Choice("problem_type", 0, kProblemTypes));
  const char* activation_key = nullptr;
  if (config.family == ModelFamily::kDeberta) activation_key = "pooler_hidden_act";
  if (config.family == ModelFamily::kModernBert) {
    activation_key = "classifier_activation";
    config.head_bias = fields.Bool("classifier_bias", false);
    config.head_mean = fields.Choice("classifier_pooling", 0, "cls, mean") == 1;
  }
  if (activation_key != nullptr) {
    config.head_activation = std::string(fields.String(activation_key, "gelu"));
    if (!ActivationFromName(config.head_activation)) {
      fields.Fail(UnknownActivationError(json, activation_key));
    }
  }
  return fields.FinishOpen();
}

}  // namespace

bool HfConfig::predicts_next_sentence() const {
  return family == ModelFamily::kBert &&
         (HasArchitecture("ForPreTraining") || HasArchitecture("ForNextSentencePrediction"));
}

bool HfConfig::HasArchitecture(std::string_view suffix) const {
  return std::any_of(architectures.begin(), architectures.end(),
                     [&](const std::string& name) { return name.ends_with(suffix); });
}

Result<HfConfig> ParseHfConfig(std::string_view text, std::string_view file) {
  PB_ASSIGN_OR_RETURN(const JsonDocument document, ParseJson(text, file));
  const Json json = document.root();
  if (!json.is_object()) return json.ErrorExpected("an object");
  HfConfig config;
  const Json architectures = json.FindOrNull("architectures");
  if (!architectures.is_null()) {
    PB_RETURN_IF_ERROR(architectures.AsArray());
    for (const Json item : architectures.Items()) {
      PB_ASSIGN_OR_RETURN(const std::string_view name, item.AsString());
      config.architectures.emplace_back(name);
    }
  }
  PB_ASSIGN_OR_RETURN(const ModelType type, FindModelType(json, config.architectures));
  config.family = type.family;
  config.model_type = std::string(type.name);
  PB_ASSIGN_OR_RETURN(FamilyConfig family, ReadFamilyConfig(json, type));
  config.encoder = family.encoder;
  config.activation_name = std::move(family.activation_name);
  PB_ASSIGN_OR_RETURN(config.labels, ReadLabels(json));
  PB_RETURN_IF_ERROR(ReadHeadOptions(json, config));
  return config;
}

}  // namespace pocketbert
