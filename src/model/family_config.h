#pragma once
// What config.json of each model family says about its encoder: the names of its keys, the defaults
// of its configuration class, and what of its options is computed here.

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "nn/config.h"

namespace pocketbert {

// The families; each has a row in the name table of source_names.cc.
enum class ModelFamily {
  kBert,
  kDistilBert,
  kElectra,
  kRoberta,  // also XLM-RoBERTa and CamemBERT
  kMpnet,
  kAlbert,
  kDeberta,  // version 2, whose model_type version 3 shares
  kModernBert,
  kNomic,
  kGte,  // model_type "gte" or "new"
};

struct FamilyKeys;  // family_config.cc

// A model_type and its family.
struct ModelType {
  std::string_view name;
  ModelFamily family;
  const FamilyKeys* keys;
};

// By model_type, or, in files without it, by the first architecture. Errors list the names that are
// known.
Result<ModelType> FindModelType(Json config, std::span<const std::string> architectures);

// What config.json says about the encoder. Errors: a key of the wrong type or range, hidden_size no multiple of the heads (kFormat); an
// option that nothing here computes (kUnsupported). Each names the key, what was found and what was
// expected.
struct FamilyConfig {
  EncoderConfig encoder;
  std::string activation_name;  // of encoder.activation, for ActivationFromName
};
Result<FamilyConfig> ReadFamilyConfig(Json config, const ModelType& type);

}  // namespace pocketbert
