// The spellings of tensor names, taken from checkpoints of each family.

#include "model/source_names.h"

#include <catch2/catch_amalgamated.hpp>

namespace pocketbert {
namespace {

TEST_CASE("names with and without prefix, with TensorFlow's LayerNorm names") {
  const struct {
    ModelFamily family;
    const char* source;
    const char* canonical;
  } table[] = {
      {ModelFamily::kBert, "bert.embeddings.word_embeddings.weight",
       "embeddings.word_embeddings.weight"},
      {ModelFamily::kBert, "embeddings.LayerNorm.weight", "embeddings.LayerNorm.weight"},
      {ModelFamily::kBert, "bert.embeddings.LayerNorm.gamma", "embeddings.LayerNorm.weight"},
      {ModelFamily::kBert, "bert.encoder.layer.11.attention.output.LayerNorm.beta",
       "encoder.layer.11.attention.output.LayerNorm.bias"},
      {ModelFamily::kBert, "bert.pooler.dense.bias", "pooler.dense.bias"},
      {ModelFamily::kBert, "classifier.weight", "classifier.weight"},
      {ModelFamily::kElectra, "electra.embeddings_project.weight", "embeddings_project.weight"},
      {ModelFamily::kElectra, "classifier.out_proj.bias", "classifier.out_proj.bias"},
      {ModelFamily::kDistilBert, "distilbert.embeddings.position_embeddings.weight",
       "embeddings.position_embeddings.weight"},
      {ModelFamily::kDistilBert, "distilbert.transformer.layer.3.attention.q_lin.weight",
       "encoder.layer.3.attention.self.query.weight"},
      {ModelFamily::kDistilBert, "transformer.layer.3.attention.k_lin.bias",
       "encoder.layer.3.attention.self.key.bias"},
      {ModelFamily::kDistilBert, "transformer.layer.3.attention.v_lin.bias",
       "encoder.layer.3.attention.self.value.bias"},
      {ModelFamily::kDistilBert, "transformer.layer.3.attention.out_lin.weight",
       "encoder.layer.3.attention.output.dense.weight"},
      {ModelFamily::kDistilBert, "transformer.layer.3.sa_layer_norm.weight",
       "encoder.layer.3.attention.output.LayerNorm.weight"},
      {ModelFamily::kDistilBert, "transformer.layer.3.ffn.lin1.weight",
       "encoder.layer.3.intermediate.dense.weight"},
      {ModelFamily::kDistilBert, "transformer.layer.3.ffn.lin2.bias",
       "encoder.layer.3.output.dense.bias"},
      {ModelFamily::kDistilBert, "transformer.layer.3.output_layer_norm.bias",
       "encoder.layer.3.output.LayerNorm.bias"},
      {ModelFamily::kDistilBert, "pre_classifier.weight", "pre_classifier.weight"},
      {ModelFamily::kRoberta, "roberta.encoder.layer.0.attention.self.query.weight",
       "encoder.layer.0.attention.self.query.weight"},
      {ModelFamily::kRoberta, "camembert.embeddings.LayerNorm.bias", "embeddings.LayerNorm.bias"},
      {ModelFamily::kRoberta, "classifier.out_proj.weight", "classifier.out_proj.weight"},
      {ModelFamily::kMpnet, "mpnet.encoder.layer.1.attention.attn.o.bias",
       "encoder.layer.1.attention.output.dense.bias"},
      {ModelFamily::kMpnet, "encoder.layer.1.attention.LayerNorm.weight",
       "encoder.layer.1.attention.output.LayerNorm.weight"},
      {ModelFamily::kMpnet, "mpnet.encoder.relative_attention_bias.weight",
       "encoder.relative_attention_bias.weight"},
      {ModelFamily::kAlbert, "albert.encoder.embedding_hidden_mapping_in.weight",
       "embeddings_project.weight"},
      {ModelFamily::kAlbert,
       "albert.encoder.albert_layer_groups.2.albert_layers.0.attention.dense.bias",
       "encoder.layer.2.attention.output.dense.bias"},
      {ModelFamily::kAlbert, "encoder.albert_layer_groups.0.albert_layers.0.ffn_output.weight",
       "encoder.layer.0.output.dense.weight"},
      {ModelFamily::kAlbert, "encoder.albert_layer_groups.0.albert_layers.0.ffn.weight",
       "encoder.layer.0.intermediate.dense.weight"},
      {ModelFamily::kAlbert,
       "encoder.albert_layer_groups.0.albert_layers.0.full_layer_layer_norm.bias",
       "encoder.layer.0.output.LayerNorm.bias"},
      {ModelFamily::kAlbert, "albert.pooler.weight", "pooler.dense.weight"},
      {ModelFamily::kDeberta, "deberta.encoder.layer.5.attention.self.query_proj.weight",
       "encoder.layer.5.attention.self.query.weight"},
      {ModelFamily::kDeberta, "encoder.layer.5.attention.self.pos_query_proj.bias",
       "encoder.layer.5.attention.self.pos_query.bias"},
      {ModelFamily::kDeberta, "deberta.encoder.LayerNorm.weight", "encoder.LayerNorm.weight"},
      {ModelFamily::kModernBert, "model.embeddings.tok_embeddings.weight",
       "embeddings.word_embeddings.weight"},
      {ModelFamily::kModernBert, "model.layers.21.attn.Wqkv.weight",
       "encoder.layer.21.attention.self.qkv.weight"},
      {ModelFamily::kModernBert, "layers.1.attn_norm.weight",
       "encoder.layer.1.attention.LayerNorm.weight"},
      {ModelFamily::kModernBert, "model.final_norm.weight", "final_norm.weight"},
      {ModelFamily::kModernBert, "head.norm.weight", "head.norm.weight"},
      {ModelFamily::kNomic, "emb_ln.bias", "embeddings.LayerNorm.bias"},
      {ModelFamily::kNomic, "encoder.layers.3.norm2.weight",
       "encoder.layer.3.output.LayerNorm.weight"},
      {ModelFamily::kNomic, "encoder.layers.3.mlp.fc11.weight",
       "encoder.layer.3.intermediate.factor.weight"},
      {ModelFamily::kGte, "new.encoder.layer.0.mlp.down_proj.bias",
       "encoder.layer.0.output.dense.bias"},
      {ModelFamily::kGte, "encoder.layer.0.attn_ln.weight",
       "encoder.layer.0.attention.output.LayerNorm.weight"},
  };
  for (const auto& row : table) CHECK(CanonicalTensorName(row.family, row.source) == row.canonical);
}

TEST_CASE("fused tensors have several names, in the order of their rows") {
  using Names = std::vector<std::string>;
  const std::string layer = "encoder.layer.0.";
  CHECK(SplitFusedName(layer + "attention.self.qkv.bias") ==
        Names{layer + "attention.self.query.bias", layer + "attention.self.key.bias",
              layer + "attention.self.value.bias"});
  // ModernBERT: what the activation reads comes first; gte: last.
  const auto split = [](ModelFamily family, const char* name) {
    return SplitFusedName(CanonicalTensorName(family, name));
  };
  CHECK(split(ModelFamily::kModernBert, "layers.0.mlp.Wi.weight") ==
        Names{layer + "intermediate.dense.weight", layer + "intermediate.factor.weight"});
  CHECK(split(ModelFamily::kGte, "encoder.layer.0.mlp.up_gate_proj.weight") ==
        Names{layer + "intermediate.factor.weight", layer + "intermediate.dense.weight"});
  CHECK(SplitFusedName("classifier.weight") == Names{"classifier.weight"});
}

TEST_CASE("unused tensors: constants, heads, and parts of another encoder") {
  CHECK(ClassifyUnusedTensor("embeddings.position_ids") == UnusedTensor::kBuffer);
  CHECK(ClassifyUnusedTensor("cls.predictions.bias") == UnusedTensor::kHead);
  CHECK(ClassifyUnusedTensor("qa_outputs.weight") == UnusedTensor::kHead);
  CHECK(ClassifyUnusedTensor("pooler.dense.weight") == UnusedTensor::kHead);
  CHECK(ClassifyUnusedTensor("encoder.layer.0.attention.self.distance_embedding.weight") ==
        UnusedTensor::kEncoder);
  CHECK(ClassifyUnusedTensor("embeddings_project.weight") == UnusedTensor::kEncoder);
  CHECK(ClassifyUnusedTensor("final_norm.bias") == UnusedTensor::kEncoder);
  CHECK(ClassifyUnusedTensor("encoder.layer.0.attn.rotary_emb.inv_freq") == UnusedTensor::kBuffer);
}

}  // namespace
}  // namespace pocketbert
