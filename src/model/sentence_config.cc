#include "model/sentence_config.h"

#include <algorithm>

#include "base/json.h"

namespace pocketbert {
namespace {

struct PoolingName {
  std::string_view name;        // ours
  std::string_view mode;        // sentence-transformers' `pooling_mode`
  std::string_view legacy_key;  // its older boolean key
};

// In the order of PoolingMode, which is the order of concatenation.
constexpr PoolingName kPoolingNames[] = {
    {"cls", "cls", "pooling_mode_cls_token"},
    {"max", "max", "pooling_mode_max_tokens"},
    {"mean", "mean", "pooling_mode_mean_tokens"},
    {"mean_sqrt_len", "mean_sqrt_len_tokens", "pooling_mode_mean_sqrt_len_tokens"},
    {"weighted_mean", "weightedmean", "pooling_mode_weightedmean_tokens"},
    {"last_token", "lasttoken", "pooling_mode_lasttoken"},
};
constexpr std::string_view kPoolingModes =
    "cls, max, mean, mean_sqrt_len_tokens, weightedmean, lasttoken";

constexpr int64_t kMaxWidth = int64_t{1} << 20;

std::string_view LastPart(std::string_view dotted) {
  const size_t dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

std::string Join(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : std::string(folder) + "/" + std::string(name);
}

Result<JsonDocument> ParseObject(std::string_view text, std::string_view file) {
  PB_ASSIGN_OR_RETURN(JsonDocument document, ParseJson(text, file));
  if (!document.root().is_object()) return document.root().ErrorExpected("an object");
  return document;
}

// A module's config.json, which must be there.
Result<JsonDocument> ModuleConfig(const FolderTexts& files, std::string_view module) {
  const std::string path = Join(module, "config.json");
  const std::string* text = files.Find(path);
  if (text == nullptr) {
    return FormatError(Message(path) + " is missing; modules.json names the module " + module);
  }
  return ParseObject(*text, path);
}

// ---- pooling

Status AddPoolingMode(Json value, std::string_view name, std::vector<PoolingMode>& modes) {
  const std::optional<PoolingMode> mode = PoolingModeFromName(name);
  if (!mode) {
    return UnsupportedError(Message(value.Path()) + " is \"" + name +
                            "\", an unknown pooling mode; expected one of " + kPoolingModes);
  }
  modes.push_back(*mode);
  return Done{};
}

// `pooling_mode`: one name, several joined by "+", or an array; else the boolean keys.
Status ReadPoolingModes(Json config, std::vector<PoolingMode>& modes) {
  const Json value = config.FindOrNull("pooling_mode");
  if (value.is_array()) {
    for (const Json item : value.Items()) {
      PB_ASSIGN_OR_RETURN(const std::string_view name, item.AsString());
      PB_RETURN_IF_ERROR(AddPoolingMode(item, name, modes));
    }
    return Done{};
  }
  if (!value.is_null()) {
    PB_ASSIGN_OR_RETURN(std::string_view names, value.AsString());
    while (true) {
      const size_t plus = names.find('+');
      PB_RETURN_IF_ERROR(AddPoolingMode(value, names.substr(0, plus), modes));
      if (plus == std::string_view::npos) return Done{};
      names.remove_prefix(plus + 1);
    }
  }
  for (size_t i = 0; i < std::size(kPoolingNames); ++i) {
    PB_ASSIGN_OR_RETURN(const bool on, config.BoolOr(kPoolingNames[i].legacy_key, false));
    if (on) modes.push_back(static_cast<PoolingMode>(i));
  }
  for (const auto [key, flag] : config.Members()) {
    const bool known = std::any_of(std::begin(kPoolingNames), std::end(kPoolingNames),
                                   [&](const PoolingName& name) { return name.legacy_key == key; });
    if (key.starts_with("pooling_mode_") && !known &&
        !(flag.AsBool().ok() && !flag.AsBool().value())) {
      return UnsupportedError(Message(config.Path()) + ": " + key +
                              " is an unknown pooling mode; expected one of " + kPoolingModes);
    }
  }
  return Done{};
}

Status ReadPooling(const FolderTexts& files, std::string_view module, size_t hidden_size,
                   SentenceConfig& sentence) {
  PB_ASSIGN_OR_RETURN(const JsonDocument document, ModuleConfig(files, module));
  const Json config = document.root();
  sentence.pooling.clear();
  PB_RETURN_IF_ERROR(ReadPoolingModes(config, sentence.pooling));
  if (sentence.pooling.empty()) sentence.pooling.push_back(PoolingMode::kMean);
  PB_ASSIGN_OR_RETURN(sentence.include_prompt, config.BoolOr("include_prompt", true));
  for (const std::string_view key : {"word_embedding_dimension", "embedding_dimension"}) {
    PB_ASSIGN_OR_RETURN(const int64_t width,
                        config.IntOr(key, static_cast<int64_t>(hidden_size), 1));
    if (static_cast<uint64_t>(width) != hidden_size) {
      return FormatError(Message(config.Path()) + ": " + key + " is " + width +
                         ", but the encoder's hidden size is " + hidden_size);
    }
  }
  return Done{};
}

// ---- dense

struct TorchActivation {
  std::string_view type;
  std::string_view name;
};

constexpr TorchActivation kTorchActivations[] = {
    {"Identity", "linear"}, {"Tanh", "tanh"},   {"ReLU", "relu"},
    {"GELU", "gelu"},       {"SiLU", "silu"},   {"Sigmoid", "sigmoid"},
    {"Mish", "mish"},       {"ReLU6", "relu6"}, {"LeakyReLU", "leaky_relu"},
};

Status ReadDenseActivation(Json config, DenseConfig& dense) {
  std::string_view type = "torch.nn.modules.activation.Tanh";
  if (const std::optional<Json> value = config.Find("activation_function")) {
    type = "torch.nn.modules.linear.Identity";
    if (!value->is_null()) {
      PB_ASSIGN_OR_RETURN(type, value->AsString());
    }
  }
  const auto* found =
      std::find_if(std::begin(kTorchActivations), std::end(kTorchActivations),
                   [&](const TorchActivation& known) { return known.type == LastPart(type); });
  if (found == std::end(kTorchActivations) || !type.starts_with("torch.")) {
    return UnsupportedError(Message(config.Path()) +
                            ": activation_function of the Dense module is \"" + type +
                            "\", which is not supported");
  }
  dense.activation_name = std::string(found->name);
  return Done{};
}

Status RefuseDenseOptions(Json config) {
  PB_ASSIGN_OR_RETURN(const bool residual, config.BoolOr("use_residual", false));
  if (residual) {
    return UnsupportedError(Message(config.Path()) +
                            ": use_residual of the Dense module is not supported");
  }
  for (const std::string_view key : {"module_input_name", "module_output_name"}) {
    PB_ASSIGN_OR_RETURN(const std::string_view name, config.StringOr(key, "sentence_embedding"));
    if (name != "sentence_embedding") {
      return UnsupportedError(Message(config.Path()) + ": " + key + " of the Dense module is \"" +
                              name + "\", expected sentence_embedding");
    }
  }
  return Done{};
}

Status ReadDense(const FolderTexts& files, std::string_view module, size_t width,
                 DenseConfig& dense) {
  PB_ASSIGN_OR_RETURN(const JsonDocument document, ModuleConfig(files, module));
  const Json config = document.root();
  dense.path = std::string(module);
  PB_RETURN_IF_ERROR(RefuseDenseOptions(config));
  PB_RETURN_IF_ERROR(ReadDenseActivation(config, dense));
  dense.activation = ActivationFromName(dense.activation_name).value();
  PB_ASSIGN_OR_RETURN(dense.bias, config.BoolOr("bias", true));
  PB_ASSIGN_OR_RETURN(const int64_t inputs, config.GetInt("in_features", 1, kMaxWidth));
  PB_ASSIGN_OR_RETURN(const int64_t outputs, config.GetInt("out_features", 1, kMaxWidth));
  dense.inputs = static_cast<size_t>(inputs);
  dense.outputs = static_cast<size_t>(outputs);
  if (dense.inputs != width) {
    return FormatError(Message(config.Path()) + ": in_features of the Dense module is " + inputs +
                       ", but what it reads has size " + width);
  }
  return Done{};
}

// ---- modules.json

enum class ModuleKind { kTransformer, kPooling, kDense, kNormalize, kDropout };
constexpr std::pair<std::string_view, ModuleKind> kModules[] = {
    {"Transformer", ModuleKind::kTransformer},
    {"Pooling", ModuleKind::kPooling},
    {"Dense", ModuleKind::kDense},
    {"Normalize", ModuleKind::kNormalize},
    {"Dropout", ModuleKind::kDropout},
};

Result<ModuleKind> ReadModuleKind(Json module) {
  PB_ASSIGN_OR_RETURN(const std::string_view type, module.GetString("type"));
  if (type.starts_with("sentence_transformers.")) {
    for (const auto& [name, kind] : kModules) {
      if (name == LastPart(type)) return kind;
    }
  }
  return UnsupportedError(Message(module.Path()) + " has the module type \"" + type +
                          "\", which is not supported; known are Transformer, Pooling, Dense, "
                          "Normalize, Dropout of sentence_transformers");
}

// One module at `index`; the first two are always the encoder and the pooling.
Status ReadModule(Json module, size_t index, const FolderTexts& files, size_t hidden_size,
                  SentenceConfig& sentence) {
  PB_ASSIGN_OR_RETURN(const ModuleKind kind, ReadModuleKind(module));
  PB_ASSIGN_OR_RETURN(const std::string_view path, ModulePath(module));
  if ((index == 0) != (kind == ModuleKind::kTransformer) ||
      (index == 1) != (kind == ModuleKind::kPooling)) {
    return UnsupportedError(Message(module.Path()) +
                            ": expected the modules in the order Transformer, "
                            "Pooling, then Dense, Normalize or Dropout");
  }
  switch (kind) {
    case ModuleKind::kTransformer:
      sentence.transformer_path = std::string(path);
      return Done{};
    case ModuleKind::kPooling:
      return ReadPooling(files, path, hidden_size, sentence);
    case ModuleKind::kDense: {
      SentenceStep step{SentenceStep::Kind::kDense, {}};
      PB_RETURN_IF_ERROR(ReadDense(files, path, sentence.Dimensions(hidden_size), step.dense));
      sentence.steps.push_back(std::move(step));
      return Done{};
    }
    case ModuleKind::kNormalize:
      sentence.steps.push_back({SentenceStep::Kind::kNormalize, {}});
      return Done{};
    case ModuleKind::kDropout:  // does nothing outside of training
      return Done{};
  }
  return Done{};
}

Status ReadModules(const FolderTexts& files, size_t hidden_size, SentenceConfig& sentence) {
  const std::string* text = files.Find("modules.json");
  if (text == nullptr) {
    sentence.steps.push_back({SentenceStep::Kind::kNormalize, {}});
    return Done{};
  }
  sentence.from_modules = true;
  PB_ASSIGN_OR_RETURN(const JsonDocument document, ParseJson(*text, "modules.json"));
  PB_RETURN_IF_ERROR(document.root().AsArray());
  size_t index = 0;
  for (const Json module : document.root().Items()) {
    PB_RETURN_IF_ERROR(ReadModule(module, index++, files, hidden_size, sentence));
  }
  if (index < 2) {
    return UnsupportedError(Message("modules.json has ") + index +
                            " modules, expected at least Transformer and Pooling");
  }
  return Done{};
}

// ---- the other files

Status ReadLengths(const FolderTexts& files, SentenceConfig& sentence) {
  for (const std::string_view name :
       {"sentence_bert_config.json", "sentence_distilbert_config.json"}) {
    const std::string path = Join(sentence.transformer_path, name);
    const std::string* text = files.Find(path);
    if (text == nullptr) continue;
    PB_ASSIGN_OR_RETURN(const JsonDocument document, ParseObject(*text, path));
    const Json length = document.root().FindOrNull("max_seq_length");
    if (!length.is_null()) {
      PB_ASSIGN_OR_RETURN(const int64_t value, length.AsInt(1));
      sentence.max_length = static_cast<uint64_t>(value);
    }
    PB_ASSIGN_OR_RETURN(sentence.do_lower_case, document.root().BoolOr("do_lower_case", false));
    break;
  }
  return Done{};
}

Status ReadPromptsFrom(Json config, SentenceConfig& sentence) {
  for (const auto [name, prompt] : config.FindOrNull("prompts").Members()) {
    PB_ASSIGN_OR_RETURN(const std::string_view text, prompt.AsString());
    sentence.prompts.emplace_back(name, text);
  }
  PB_ASSIGN_OR_RETURN(sentence.similarity, config.StringOr("similarity_fn_name", ""));
  const Json standard = config.FindOrNull("default_prompt_name");
  if (standard.is_null()) return Done{};
  PB_ASSIGN_OR_RETURN(const std::string_view name, standard.AsString());
  sentence.default_prompt_name = std::string(name);
  const bool known = std::any_of(sentence.prompts.begin(), sentence.prompts.end(),
                                 [&](const auto& prompt) { return prompt.first == name; });
  if (!known) return standard.ErrorExpected("the name of one of the prompts");
  return Done{};
}

Status ReadPrompts(const FolderTexts& files, SentenceConfig& sentence) {
  constexpr std::string_view kPath = "config_sentence_transformers.json";
  const std::string* text = files.Find(kPath);
  if (text == nullptr) return Done{};
  PB_ASSIGN_OR_RETURN(const JsonDocument document, ParseObject(*text, kPath));
  return ReadPromptsFrom(document.root(), sentence);
}

}  // namespace

bool SentenceConfig::normalizes() const {
  return !steps.empty() && steps.back().kind == SentenceStep::Kind::kNormalize;
}

size_t SentenceConfig::Dimensions(size_t hidden_size) const {
  size_t dimensions = pooling.size() * hidden_size;
  for (const SentenceStep& step : steps) {
    if (step.kind == SentenceStep::Kind::kDense) dimensions = step.dense.outputs;
  }
  return dimensions;
}

std::string_view PoolingModeName(PoolingMode mode) {
  return kPoolingNames[static_cast<size_t>(mode)].name;
}

std::optional<PoolingMode> PoolingModeFromName(std::string_view name) {
  for (size_t i = 0; i < std::size(kPoolingNames); ++i) {
    if (kPoolingNames[i].name == name || kPoolingNames[i].mode == name) {
      return static_cast<PoolingMode>(i);
    }
  }
  return std::nullopt;
}

Result<std::string_view> ModulePath(Json module) {
  PB_ASSIGN_OR_RETURN(std::string_view path, module.StringOr("path", ""));
  while (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

Result<SentenceConfig> ReadSentenceFiles(const FolderTexts& files, size_t hidden_size) {
  SentenceConfig sentence;
  PB_RETURN_IF_ERROR(ReadModules(files, hidden_size, sentence));
  PB_RETURN_IF_ERROR(ReadLengths(files, sentence));
  PB_RETURN_IF_ERROR(ReadPrompts(files, sentence));
  return sentence;
}

}  // namespace pocketbert
