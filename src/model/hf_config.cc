#include "model/hf_config.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "base/json.h"

namespace pocketbert {
namespace {

constexpr int64_t kMaxVocabulary = int64_t{1} << 28;
constexpr int64_t kMaxWidth = int64_t{1} << 20;
constexpr int64_t kMaxLayers = 1000;
constexpr int64_t kMaxPositions = int64_t{1} << 24;
constexpr int64_t kMaxTypes = 256;  // token types travel as bytes
constexpr size_t kMaxLabels = 1'000'000;

// A key of config.json, a second spelling that the configuration class takes for it, and the value
// if neither is there.
struct SizeKey {
  std::string_view key;
  std::string_view alias;
  int64_t fallback;
};

// What a family calls the sizes, and its defaults (transformers: BertConfig, DistilBertConfig,
// ElectraConfig).
struct FamilyKeys {
  std::string_view model_type;
  std::string_view architecture_prefix;
  ModelFamily family;
  SizeKey hidden_size, layers, heads, intermediate_size, type_vocab_size;
  SizeKey embedding_size;  // an empty key: as hidden_size
  std::string_view activation_key;
  bool eps_from_config;
};

constexpr FamilyKeys kFamilies[] = {
    {"bert",
     "Bert",
     ModelFamily::kBert,
     {"hidden_size", "", 768},
     {"num_hidden_layers", "", 12},
     {"num_attention_heads", "", 12},
     {"intermediate_size", "", 3072},
     {"type_vocab_size", "", 2},
     {"", "", 0},
     "hidden_act",
     true},
    {"distilbert",
     "DistilBert",
     ModelFamily::kDistilBert,
     {"dim", "hidden_size", 768},
     {"n_layers", "num_hidden_layers", 6},
     {"n_heads", "num_attention_heads", 12},
     {"hidden_dim", "", 3072},
     {"", "", 0},
     {"", "", 0},
     "activation",
     false},
    {"electra",
     "Electra",
     ModelFamily::kElectra,
     {"hidden_size", "", 256},
     {"num_hidden_layers", "", 12},
     {"num_attention_heads", "", 4},
     {"intermediate_size", "", 1024},
     {"type_vocab_size", "", 2},
     {"embedding_size", "", 128},
     "hidden_act",
     true},
};

Result<size_t> ReadSize(Json config, const SizeKey& size, int64_t max) {
  const bool use_alias = !size.alias.empty() && config.FindOrNull(size.key).is_null();
  PB_ASSIGN_OR_RETURN(const int64_t value,
                      config.IntOr(use_alias ? size.alias : size.key, size.fallback, 1, max));
  return static_cast<size_t>(value);
}

Result<const FamilyKeys*> FindFamily(Json config, std::span<const std::string> architectures) {
  PB_ASSIGN_OR_RETURN(const std::string_view model_type, config.StringOr("model_type", ""));
  for (const FamilyKeys& family : kFamilies) {
    if (family.model_type == model_type) return &family;
    // Files of before 2020 have no model_type.
    if (model_type.empty() && !architectures.empty() &&
        architectures[0].starts_with(family.architecture_prefix)) {
      return &family;
    }
  }
  const std::string expected = ", expected one of bert, distilbert, electra";
  if (model_type.empty()) {
    return FormatError(Message(config.Path()) + ": model_type is missing" + expected);
  }
  return UnsupportedError(Message(config.Path()) + ": model_type \"" + model_type +
                          "\" is an unsupported architecture" + expected);
}

// Keys that change the computation in ways that nothing here follows.
Status RefuseOtherNetworks(Json config) {
  const std::string file = config.Path();
  PB_ASSIGN_OR_RETURN(const std::string_view positions,
                      config.StringOr("position_embedding_type", "absolute"));
  if (positions != "absolute") {
    return UnsupportedError(Message(file) + ": position_embedding_type is \"" + positions +
                            "\", expected \"absolute\"");
  }
  for (const std::string_view key : {"is_decoder", "add_cross_attention", "is_encoder_decoder"}) {
    PB_ASSIGN_OR_RETURN(const bool value, config.BoolOr(key, false));
    if (value) {
      return UnsupportedError(Message(file) + ": " + key +
                              " is true, expected false: only encoders are supported");
    }
  }
  if (config.FindOrNull("pruned_heads").size() != 0) {
    return UnsupportedError(Message(file) +
                            ": pruned_heads is not empty: pruned attention heads are not "
                            "supported");
  }
  if (!config.FindOrNull("quantization_config").is_null()) {
    return UnsupportedError(Message(file) +
                            ": quantization_config is present: expected a checkpoint of F32, "
                            "F16 or BF16 weights");
  }
  return Done{};
}

Result<Activation> ReadActivation(Json config, std::string_view key) {
  PB_ASSIGN_OR_RETURN(const std::string_view name, config.StringOr(key, "gelu"));
  const std::optional<Activation> activation = ActivationFromName(name);
  if (!activation) {
    return UnsupportedError(Message(config.Path()) + ": " + key + " is \"" + name +
                            "\", which is no known activation function");
  }
  return *activation;
}

Status ReadEncoder(Json config, const FamilyKeys& keys, EncoderConfig& encoder) {
  PB_ASSIGN_OR_RETURN(encoder.vocab_size,
                      ReadSize(config, {"vocab_size", "", 30522}, kMaxVocabulary));
  PB_ASSIGN_OR_RETURN(encoder.hidden_size, ReadSize(config, keys.hidden_size, kMaxWidth));
  PB_ASSIGN_OR_RETURN(encoder.layers, ReadSize(config, keys.layers, kMaxLayers));
  PB_ASSIGN_OR_RETURN(encoder.heads, ReadSize(config, keys.heads, kMaxWidth));
  PB_ASSIGN_OR_RETURN(encoder.intermediate_size,
                      ReadSize(config, keys.intermediate_size, kMaxWidth));
  PB_ASSIGN_OR_RETURN(encoder.max_positions,
                      ReadSize(config, {"max_position_embeddings", "", 512}, kMaxPositions));
  encoder.embedding_size = encoder.hidden_size;
  if (!keys.embedding_size.key.empty()) {
    PB_ASSIGN_OR_RETURN(encoder.embedding_size, ReadSize(config, keys.embedding_size, kMaxWidth));
  }
  if (!keys.type_vocab_size.key.empty()) {
    PB_ASSIGN_OR_RETURN(encoder.type_vocab_size, ReadSize(config, keys.type_vocab_size, kMaxTypes));
  }
  PB_ASSIGN_OR_RETURN(encoder.activation, ReadActivation(config, keys.activation_key));
  if (keys.eps_from_config) {
    PB_ASSIGN_OR_RETURN(const double eps, config.DoubleOr("layer_norm_eps", 1e-12));
    if (!(eps >= 0 && eps <= 1)) {
      return config.FindOrNull("layer_norm_eps").ErrorExpected("a number in 0 … 1");
    }
    encoder.layer_norm_eps = static_cast<float>(eps);
  }
  if (encoder.hidden_size % encoder.heads != 0) {
    return FormatError(Message(config.Path()) + ": " + keys.hidden_size.key + " is " +
                       encoder.hidden_size + ", no multiple of " + keys.heads.key +
                       " (attention heads), which is " + encoder.heads);
  }
  return Done{};
}

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

Result<ProblemType> ReadProblemType(Json config) {
  PB_ASSIGN_OR_RETURN(const std::string_view name, config.StringOr("problem_type", ""));
  if (name.empty()) return ProblemType::kUnset;
  if (name == "regression") return ProblemType::kRegression;
  if (name == "single_label_classification") return ProblemType::kSingleLabel;
  if (name == "multi_label_classification") return ProblemType::kMultiLabel;
  return UnsupportedError(Message(config.Path()) + ": problem_type is \"" + name +
                          "\", expected regression, single_label_classification or "
                          "multi_label_classification");
}

}  // namespace

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
  PB_ASSIGN_OR_RETURN(const FamilyKeys* family, FindFamily(json, config.architectures));
  config.family = family->family;
  config.model_type = std::string(family->model_type);
  PB_RETURN_IF_ERROR(RefuseOtherNetworks(json));
  PB_RETURN_IF_ERROR(ReadEncoder(json, *family, config.encoder));
  PB_ASSIGN_OR_RETURN(config.labels, ReadLabels(json));
  PB_ASSIGN_OR_RETURN(config.problem_type, ReadProblemType(json));
  return config;
}

}  // namespace pocketbert
