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
  };
  for (const auto& row : table) CHECK(CanonicalTensorName(row.family, row.source) == row.canonical);
}

TEST_CASE("unused tensors: constants, heads, and parts of another encoder") {
  CHECK(ClassifyUnusedTensor("embeddings.position_ids") == UnusedTensor::kBuffer);
  CHECK(ClassifyUnusedTensor("cls.predictions.bias") == UnusedTensor::kHead);
  CHECK(ClassifyUnusedTensor("qa_outputs.weight") == UnusedTensor::kHead);
  CHECK(ClassifyUnusedTensor("pooler.dense.weight") == UnusedTensor::kHead);
  CHECK(ClassifyUnusedTensor("encoder.layer.0.attention.self.distance_embedding.weight") ==
        UnusedTensor::kEncoder);
  CHECK(ClassifyUnusedTensor("embeddings_project.weight") == UnusedTensor::kEncoder);
}

}  // namespace
}  // namespace pocketbert
