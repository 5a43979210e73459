#include "model/source_names.h"

#include <array>
#include <span>
#include <utility>

namespace pocketbert {
namespace {

// Parts of names, dots included, in the family's spelling and in ours.
struct Rename {
  const char* from;
  const char* to;
};

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
constexpr Rename kMpnetNames[] = {
    {".attention.attn.q.", ".attention.self.query."},
    {".attention.attn.k.", ".attention.self.key."},
    {".attention.attn.v.", ".attention.self.value."},
    {".attention.attn.o.", ".attention.output.dense."},
    {".attention.LayerNorm.", ".attention.output.LayerNorm."},
};
constexpr Rename kAlbertNames[] = {
    {"encoder.embedding_hidden_mapping_in.", "embeddings_project."},
    {"encoder.albert_layer_groups.", "encoder.layer."},
    {".albert_layers.0.", "."},
    {".attention.query.", ".attention.self.query."},
    {".attention.key.", ".attention.self.key."},
    {".attention.value.", ".attention.self.value."},
    {".attention.dense.", ".attention.output.dense."},
    {".attention.LayerNorm.", ".attention.output.LayerNorm."},
    {".ffn.", ".intermediate.dense."},
    {".ffn_output.", ".output.dense."},
    {".full_layer_layer_norm.", ".output.LayerNorm."},
    {"pooler.", "pooler.dense."},
};
constexpr Rename kDebertaNames[] = {
    {".query_proj.", ".query."},         {".key_proj.", ".key."},
    {".value_proj.", ".value."},         {".pos_key_proj.", ".pos_key."},
    {".pos_query_proj.", ".pos_query."},
};
constexpr Rename kModernBertNames[] = {
    {"embeddings.tok_embeddings.", "embeddings.word_embeddings."},
    {"embeddings.norm.", "embeddings.LayerNorm."},
    {"layers.", "encoder.layer."},
    {".attn_norm.", ".attention.LayerNorm."},
    {".attn.Wqkv.", ".attention.self.qkv."},
    {".attn.Wo.", ".attention.output.dense."},
    {".mlp_norm.", ".intermediate.LayerNorm."},
    {".mlp.Wi.", ".intermediate.dense_and_factor."},
    {".mlp.Wo.", ".output.dense."},
};
constexpr Rename kNomicNames[] = {
    {"emb_ln.", "embeddings.LayerNorm."},
    {"encoder.layers.", "encoder.layer."},
    {".attn.Wqkv.", ".attention.self.qkv."},
    {".attn.out_proj.", ".attention.output.dense."},
    {".norm1.", ".attention.output.LayerNorm."},
    {".mlp.fc11.", ".intermediate.factor."},
    {".mlp.fc12.", ".intermediate.dense."},
    {".mlp.fc2.", ".output.dense."},
    {".norm2.", ".output.LayerNorm."},
};
constexpr Rename kGteNames[] = {
    {".attention.qkv_proj.", ".attention.self.qkv."},
    {".attention.q_proj.", ".attention.self.query."},
    {".attention.k_proj.", ".attention.self.key."},
    {".attention.v_proj.", ".attention.self.value."},
    {".attention.o_proj.", ".attention.output.dense."},
    {".attn_ln.", ".attention.output.LayerNorm."},
    {".mlp.up_gate_proj.", ".intermediate.factor_and_dense."},
    {".mlp.down_proj.", ".output.dense."},
    {".mlp_ln.", ".output.LayerNorm."},
};
// Files converted from TensorFlow keep its names for the parameters of a LayerNorm.
constexpr Rename kTensorFlowNames[] = {
    {"LayerNorm.gamma", "LayerNorm.weight"},
    {"LayerNorm.beta", "LayerNorm.bias"},
};
// A decoder that is not tied to the word embeddings has its bias one level up.
constexpr Rename kDecoderNames[] = {
    {"predictions.decoder.weight", "predictions.weight"},
    {"lm_head.decoder.weight", "lm_head.weight"},
};

// In the order of ModelFamily. A file may do without the prefix.
struct FamilyNames {
  const char* prefix;
  const char* other_prefix;
  std::span<const Rename> renames;
};
constexpr FamilyNames kFamilyNames[] = {
    {"bert.", "", {}},
    {"distilbert.", "", kDistilBertNames},
    {"electra.", "", {}},
    {"roberta.", "camembert.", {}},
    {"mpnet.", "", kMpnetNames},
    {"albert.", "", kAlbertNames},
    {"deberta.", "", kDebertaNames},
    {"model.", "", kModernBertNames},
    {"bert.", "nomic_bert.", kNomicNames},
    {"new.", "gte.", kGteNames},
};

// A tensor that holds several canonical ones.
struct Fused {
  const char* name;
  std::array<const char*, kMaxFusedParts> parts;  // null: fewer
};
constexpr Fused kFused[] = {
    {".self.qkv.", {".self.query.", ".self.key.", ".self.value."}},
    {".dense_and_factor.", {".dense.", ".factor.", nullptr}},
    {".factor_and_dense.", {".factor.", ".dense.", nullptr}},
};

void Replace(std::string& name, std::string_view from, std::string_view to) {
  const size_t at = name.find(from);
  if (at != std::string::npos) name.replace(at, from.size(), to);
}

}  // namespace

std::string CanonicalTensorName(ModelFamily family, std::string_view name) {
  const FamilyNames& names = kFamilyNames[static_cast<size_t>(family)];
  for (const std::string_view prefix : {names.prefix, names.other_prefix}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  std::string canonical(name);
  for (const auto& [from, to] : names.renames) Replace(canonical, from, to);
  for (const auto& [from, to] : kTensorFlowNames) Replace(canonical, from, to);
  for (const auto& [from, to] : kDecoderNames) Replace(canonical, from, to);
  return canonical;
}

std::vector<std::string> SplitFusedName(std::string canonical_name) {
  for (const Fused& fused : kFused) {
    if (canonical_name.find(fused.name) == std::string::npos) continue;
    std::vector<std::string> names;
    for (const char* part : fused.parts) {
      if (part != nullptr) Replace(names.emplace_back(canonical_name), fused.name, part);
    }
    return names;
  }
  return {std::move(canonical_name)};
}

UnusedTensor ClassifyUnusedTensor(std::string_view canonical_name) {
  if (canonical_name == "embeddings.position_ids" ||
      canonical_name == "embeddings.token_type_ids" || canonical_name.ends_with(".inv_freq")) {
    return UnusedTensor::kBuffer;
  }
  for (const std::string_view part :
       {"embeddings.", "encoder.", "embeddings_project.", "final_norm."}) {
    if (canonical_name.starts_with(part)) return UnusedTensor::kEncoder;
  }
  return UnusedTensor::kHead;
}

}  // namespace pocketbert
