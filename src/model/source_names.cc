#include "model/source_names.h"

#include <algorithm>
#include <utility>

namespace pocketbert {
namespace {

using Rename = std::pair<std::string_view, std::string_view>;

// Parts of names, dots included, in the family's spelling and in ours.
constexpr Rename kDistilBertNames[] = {
    {"transformer.layer.", "encoder.layer."},
    {".attention.q_lin.", ".attention.self.query."},
    {".attention.k_lin.", ".attention.self.key."},
    {".attention.v_lin.", ".attention.self.value."},
    {".attention.out_lin.", ".attention.output.dense."},
    {".sa_layer_norm.", ".attention.output.LayerNorm."},
    {".ffn.lin1.", ".intermediate.dense."},
    {".ffn.lin2.", ".output.dense."},
    {".output_layer_norm.", ".output.LayerNorm."},
};

// Files converted from TensorFlow keep its names for the parameters of a LayerNorm.
constexpr Rename kTensorFlowNames[] = {
    {"LayerNorm.gamma", "LayerNorm.weight"},
    {"LayerNorm.beta", "LayerNorm.bias"},
};

// In the order of ModelFamily.
constexpr std::string_view kPrefixes[] = {"bert.", "distilbert.", "electra."};

void Replace(std::string& name, const Rename& rename) {
  const size_t at = name.find(rename.first);
  if (at != std::string::npos) name.replace(at, rename.first.size(), rename.second);
}

}  // namespace

std::string CanonicalTensorName(ModelFamily family, std::string_view name) {
  const std::string_view prefix = kPrefixes[static_cast<size_t>(family)];
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  std::string canonical(name);
  if (family == ModelFamily::kDistilBert) {
    for (const Rename& rename : kDistilBertNames) Replace(canonical, rename);
  }
  for (const Rename& rename : kTensorFlowNames) Replace(canonical, rename);
  return canonical;
}

UnusedTensor ClassifyUnusedTensor(std::string_view canonical_name) {
  if (canonical_name == "embeddings.position_ids" ||
      canonical_name == "embeddings.token_type_ids") {
    return UnusedTensor::kBuffer;
  }
  for (const std::string_view part : {"embeddings.", "encoder.", "embeddings_project."}) {
    if (canonical_name.starts_with(part)) return UnusedTensor::kEncoder;
  }
  return UnusedTensor::kHead;
}

}  // namespace pocketbert
