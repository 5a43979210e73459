#include "model/family_config.h"

#include <optional>

#include "base/json_fields.h"
#include "model/family_options.h"

namespace pocketbert {

// A key of config.json, a second spelling that it may have, and the value if neither is there.
struct SizeKey {
  const char* key;
  const char* alias;  // or null
  int32_t fallback;
};

// What a model_type calls its sizes, and the defaults of its configuration class in transformers.
struct FamilyKeys {
  const char* architecture_prefix;
  SizeKey vocab_size = {"vocab_size", nullptr, 30522};
  SizeKey hidden_size = {"hidden_size", nullptr, 768};
  SizeKey layers = {"num_hidden_layers", nullptr, 12};
  SizeKey heads = {"num_attention_heads", nullptr, 12};
  SizeKey intermediate_size = {"intermediate_size", nullptr, 3072};
  SizeKey max_positions = {"max_position_embeddings", nullptr, 512};
  SizeKey type_vocab_size = {"type_vocab_size", nullptr, 2};  // a null key: there are none
  SizeKey embedding_size = {nullptr, nullptr, 0};             // a null key: as hidden_size
  const char* activation_key = "hidden_act";
  const char* activation = "gelu";
  const char* eps_key = "layer_norm_eps";  // null: always `eps`
  float eps = 1e-12f;
};

namespace {

constexpr int64_t kMaxVocabulary = int64_t{1} << 28;
constexpr int64_t kMaxWidth = int64_t{1} << 20;
constexpr int64_t kMaxLayers = 1000;
constexpr int64_t kMaxPositions = int64_t{1} << 24;
constexpr int64_t kMaxTypes = 256;  // token types travel as bytes

constexpr FamilyKeys kBert = {.architecture_prefix = "Bert"};
constexpr FamilyKeys kDistilBert = {.architecture_prefix = "DistilBert",
                                    .hidden_size = {"dim", "hidden_size", 768},
                                    .layers = {"n_layers", "num_hidden_layers", 6},
                                    .heads = {"n_heads", "num_attention_heads", 12},
                                    .intermediate_size = {"hidden_dim", nullptr, 3072},
                                    .type_vocab_size = {nullptr, nullptr, 0},
                                    .activation_key = "activation",
                                    .eps_key = nullptr};
constexpr FamilyKeys kElectra = {.architecture_prefix = "Electra",
                                 .hidden_size = {"hidden_size", nullptr, 256},
                                 .heads = {"num_attention_heads", nullptr, 4},
                                 .intermediate_size = {"intermediate_size", nullptr, 1024},
                                 .embedding_size = {"embedding_size", nullptr, 128}};
constexpr FamilyKeys kRoberta = {.architecture_prefix = "Roberta",
                                 .vocab_size = {"vocab_size", nullptr, 50265}};
constexpr FamilyKeys kXlmRoberta = {.architecture_prefix = "XLMRoberta"};
constexpr FamilyKeys kCamembert = {.architecture_prefix = "Camembert"};
constexpr FamilyKeys kMpnet = {.architecture_prefix = "MPNet",
                               .vocab_size = {"vocab_size", nullptr, 30527},
                               .type_vocab_size = {nullptr, nullptr, 0}};
constexpr FamilyKeys kAlbert = {.architecture_prefix = "Albert",
                                .vocab_size = {"vocab_size", nullptr, 30000},
                                .hidden_size = {"hidden_size", nullptr, 4096},
                                .heads = {"num_attention_heads", nullptr, 64},
                                .intermediate_size = {"intermediate_size", nullptr, 16384},
                                .embedding_size = {"embedding_size", nullptr, 128},
                                .activation = "gelu_new"};
constexpr FamilyKeys kDeberta = {.architecture_prefix = "DebertaV2",
                                 .vocab_size = {"vocab_size", nullptr, 128100},
                                 .hidden_size = {"hidden_size", nullptr, 1536},
                                 .layers = {"num_hidden_layers", nullptr, 24},
                                 .heads = {"num_attention_heads", nullptr, 24},
                                 .intermediate_size = {"intermediate_size", nullptr, 6144},
                                 .type_vocab_size = {"type_vocab_size", nullptr, 0},
                                 .eps = 1e-7f};
constexpr FamilyKeys kModernBert = {.architecture_prefix = "ModernBert",
                                    .vocab_size = {"vocab_size", nullptr, 50368},
                                    .layers = {"num_hidden_layers", nullptr, 22},
                                    .intermediate_size = {"intermediate_size", nullptr, 1152},
                                    .max_positions = {"max_position_embeddings", nullptr, 8192},
                                    .type_vocab_size = {nullptr, nullptr, 0},
                                    .activation_key = "hidden_activation",
                                    .eps_key = "norm_eps",
                                    .eps = 1e-5f};
// Public files have the first names, those that transformers writes the second.
constexpr FamilyKeys kNomic = {.architecture_prefix = "NomicBert",
                               .hidden_size = {"n_embd", "hidden_size", 768},
                               .layers = {"n_layer", "num_hidden_layers", 12},
                               .heads = {"n_head", "num_attention_heads", 12},
                               .intermediate_size = {"n_inner", "intermediate_size", 3072},
                               .max_positions = {"n_positions", "max_position_embeddings", 2048},
                               .eps_key = "layer_norm_epsilon"};
constexpr FamilyKeys kGte = {.architecture_prefix = "Gte",
                             .vocab_size = {"vocab_size", nullptr, 250048},
                             .max_positions = {"max_position_embeddings", nullptr, 8192},
                             .type_vocab_size = {"type_vocab_size", nullptr, 1}};
constexpr FamilyKeys kNew = {.architecture_prefix = "New",
                             .vocab_size = {"vocab_size", nullptr, 30528},
                             .max_positions = {"max_position_embeddings", nullptr, 2048},
                             .type_vocab_size = {"type_vocab_size", nullptr, 1}};

constexpr ModelType kModelTypes[] = {
    {"bert", ModelFamily::kBert, &kBert},
    {"distilbert", ModelFamily::kDistilBert, &kDistilBert},
    {"electra", ModelFamily::kElectra, &kElectra},
    {"roberta", ModelFamily::kRoberta, &kRoberta},
    {"xlm-roberta", ModelFamily::kRoberta, &kXlmRoberta},
    {"camembert", ModelFamily::kRoberta, &kCamembert},
    {"mpnet", ModelFamily::kMpnet, &kMpnet},
    {"albert", ModelFamily::kAlbert, &kAlbert},
    {"deberta-v2", ModelFamily::kDeberta, &kDeberta},
    {"modernbert", ModelFamily::kModernBert, &kModernBert},
    {"nomic_bert", ModelFamily::kNomic, &kNomic},
    {"gte", ModelFamily::kGte, &kGte},
    {"new", ModelFamily::kGte, &kNew},
};

void ReadSizes(const FamilyKeys& keys, Json config, JsonFields& fields, EncoderConfig& encoder) {
  const struct {
    const SizeKey& key;
    int64_t least, most;
    size_t& size;
  } sizes[] = {{keys.vocab_size, 1, kMaxVocabulary, encoder.vocab_size},
               {keys.hidden_size, 1, kMaxWidth, encoder.hidden_size},
               {keys.layers, 1, kMaxLayers, encoder.layers},
               {keys.heads, 1, kMaxWidth, encoder.heads},
               {keys.intermediate_size, 1, kMaxWidth, encoder.intermediate_size},
               {keys.max_positions, 1, kMaxPositions, encoder.max_positions},
               {keys.type_vocab_size, 0, kMaxTypes, encoder.type_vocab_size},
               {keys.embedding_size, 1, kMaxWidth, encoder.embedding_size}};
  for (const auto& [key, least, most, size] : sizes) {
    if (key.key == nullptr) continue;
    const bool use_alias = key.alias != nullptr && config.FindOrNull(key.key).is_null();
    size = static_cast<size_t>(
        fields.Int(use_alias ? key.alias : key.key, key.fallback, least, most));
  }
  if (keys.embedding_size.key == nullptr) encoder.embedding_size = encoder.hidden_size;
  if (encoder.hidden_size % encoder.heads == 0) return;
  fields.Fail(FormatError(Message(config.Path()) + ": " + keys.hidden_size.key + " is " +
                          encoder.hidden_size + ", no multiple of " + keys.heads.key +
                          " (attention heads), which is " + encoder.heads));
}

void ReadActivation(const FamilyKeys& keys, Json config, JsonFields& fields,
                    FamilyConfig& family) {
  const std::string_view name = fields.String(keys.activation_key, keys.activation);
  const std::optional<Activation> activation = ActivationFromName(name);
  family.activation_name = std::string(name);
  if (activation) {
    family.encoder.activation = *activation;
  } else {
    fields.Fail(UnknownActivationError(config, keys.activation_key));
  }
}

void ReadEpsilon(const FamilyKeys& keys, Json config, JsonFields& fields, float& epsilon) {
  epsilon = keys.eps;
  if (keys.eps_key == nullptr) return;
  const char* key = config.FindOrNull(keys.eps_key).is_null() ? "layer_norm_eps" : keys.eps_key;
  const double value = fields.Double(key, static_cast<double>(keys.eps));
  if (value >= 0 && value <= 1) {
    epsilon = static_cast<float>(value);
  } else {
    fields.Fail(config.FindOrNull(key).ErrorExpected("a number in 0 … 1"));
  }
}

}  // namespace

Result<ModelType> FindModelType(Json config, std::span<const std::string> architectures) {
  PB_ASSIGN_OR_RETURN(const std::string_view name, config.StringOr("model_type", ""));
  std::string expected = ", expected one of ";
  for (const ModelType& type : kModelTypes) {
    if (type.name == name) return type;
    // Files of before 2020 have no model_type.
    if (name.empty() && !architectures.empty() &&
        architectures[0].starts_with(type.keys->architecture_prefix)) {
      return type;
    }
    if (&type != kModelTypes) expected += ", ";
    expected += type.name;
  }
  if (name.empty()) {
    return FormatError(Message(config.Path()) + ": model_type is missing" + expected);
  }
  return UnsupportedError(Message(config.Path()) + ": model_type \"" + name +
                          "\" is an unsupported architecture" + expected);
}

Result<FamilyConfig> ReadFamilyConfig(Json config, const ModelType& type) {
  const FamilyKeys& keys = *type.keys;
  FamilyConfig family;
  PB_RETURN_IF_ERROR(RefuseOtherNetworks(config, type.family));
  JsonFields fields(config);
  ReadSizes(keys, config, fields, family.encoder);
  ReadEpsilon(keys, config, fields, family.encoder.layer_norm_eps);
  ReadActivation(keys, config, fields, family);
  PB_RETURN_IF_ERROR(fields.FinishOpen());
  PB_RETURN_IF_ERROR(ReadFamilyOptions(config, type.family, family.encoder));
  return family;
}

}  // namespace pocketbert
