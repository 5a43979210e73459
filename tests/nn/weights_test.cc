#include "nn/weights.h"

#include <catch2/catch_amalgamated.hpp>

#include <map>
#include <string>

using pocketbert::EncoderConfig;
using pocketbert::EncoderWeights;
using pocketbert::TensorKind;
using pocketbert::TensorSpec;

namespace {

struct Visited {
  TensorKind kind;
  size_t rows, cols;
  std::string input_scale_name;
};

std::map<std::string, Visited> NamesOf(const EncoderConfig& config) {
  EncoderWeights weights;
  weights.layers.resize(config.weight_sets());
  std::map<std::string, Visited> names;
  VisitTensors(config, weights, [&](const TensorSpec& spec, auto&) {
    CHECK(names.emplace(spec.name, Visited{spec.kind, spec.rows, spec.cols, spec.input_scale_name})
              .second);
  });
  return names;
}

}  // namespace

TEST_CASE("VisitTensors names every tensor of BertModel but the pooler, once") {
  const EncoderConfig config{.vocab_size = 100, .hidden_size = 24, .embedding_size = 24,
                             .layers = 1, .heads = 3, .intermediate_size = 40,
                             .max_positions = 48, .type_vocab_size = 2};
  const auto names = NamesOf(config);
  // From the state_dict of a transformers BertModel with one layer.
  const std::map<std::string, std::pair<size_t, size_t>> expected = {
      {"embeddings.word_embeddings.weight", {100, 24}},
      {"embeddings.position_embeddings.weight", {48, 24}},
      {"embeddings.token_type_embeddings.weight", {2, 24}},
      {"embeddings.LayerNorm.weight", {1, 24}},
      {"embeddings.LayerNorm.bias", {1, 24}},
      {"encoder.layer.0.attention.self.query.weight", {24, 24}},
      {"encoder.layer.0.attention.self.query.bias", {1, 24}},
      {"encoder.layer.0.attention.self.key.weight", {24, 24}},
      {"encoder.layer.0.attention.self.key.bias", {1, 24}},
      {"encoder.layer.0.attention.self.value.weight", {24, 24}},
      {"encoder.layer.0.attention.self.value.bias", {1, 24}},
      {"encoder.layer.0.attention.output.dense.weight", {24, 24}},
      {"encoder.layer.0.attention.output.dense.bias", {1, 24}},
      {"encoder.layer.0.attention.output.LayerNorm.weight", {1, 24}},
      {"encoder.layer.0.attention.output.LayerNorm.bias", {1, 24}},
      {"encoder.layer.0.intermediate.dense.weight", {40, 24}},
      {"encoder.layer.0.intermediate.dense.bias", {1, 40}},
      {"encoder.layer.0.output.dense.weight", {24, 40}},
      {"encoder.layer.0.output.dense.bias", {1, 24}},
      {"encoder.layer.0.output.LayerNorm.weight", {1, 24}},
      {"encoder.layer.0.output.LayerNorm.bias", {1, 24}}};
  CHECK(names.size() == expected.size());
  for (const auto& [name, shape] : expected) {
    CAPTURE(name);
    REQUIRE(names.count(name) == 1);
    CHECK(names.at(name).rows == shape.first);
    CHECK(names.at(name).cols == shape.second);
  }
  CHECK(names.at("encoder.layer.0.attention.self.key.weight").input_scale_name ==
        "encoder.layer.0.attention.self.input_scale");
  CHECK(names.at("encoder.layer.0.output.dense.weight").kind == TensorKind::kMatrix);
  CHECK(names.at("embeddings.LayerNorm.weight").kind == TensorKind::kNormGamma);
}

TEST_CASE("ELECTRA adds the projection, DistilBERT has no type table") {
  EncoderConfig config{.vocab_size = 100, .hidden_size = 24, .embedding_size = 16, .layers = 0,
                       .heads = 3, .intermediate_size = 40, .max_positions = 48,
                       .type_vocab_size = 0};
  const auto names = NamesOf(config);
  CHECK(names.count("embeddings.token_type_embeddings.weight") == 0);
  REQUIRE(names.count("embeddings_project.weight") == 1);
  CHECK(names.at("embeddings_project.weight").rows == 24);
  CHECK(names.at("embeddings_project.weight").cols == 16);
  CHECK(names.at("embeddings_project.bias").cols == 24);
  CHECK(names.at("embeddings.LayerNorm.weight").cols == 16);
}

TEST_CASE("what a configuration leaves out or adds, by name") {
  EncoderConfig config{.vocab_size = 100, .hidden_size = 24, .embedding_size = 24, .layers = 4,
                       .heads = 3, .intermediate_size = 40, .max_positions = 48,
                       .type_vocab_size = 0};
  config.layer_sets = 1;
  CHECK(NamesOf(config).count("encoder.layer.1.output.dense.weight") == 0);
  config.layer_sets = 0;
  config.position_table = config.norm_bias = config.attention_bias = config.output_bias = false;
  config.pre_norm = config.gated = true;
  config.first_attention_norm = false;
  const auto names = NamesOf(config);
  for (const char* absent :
       {"embeddings.position_embeddings.weight", "embeddings.LayerNorm.bias",
        "encoder.layer.0.attention.LayerNorm.weight", "encoder.layer.1.attention.self.key.bias",
        "encoder.layer.1.output.dense.bias", "encoder.layer.1.attention.output.LayerNorm.weight"}) {
    CAPTURE(absent);
    CHECK(names.count(absent) == 0);
  }
  for (const char* present :
       {"encoder.layer.1.attention.LayerNorm.weight", "encoder.layer.0.intermediate.factor.weight",
        "encoder.layer.0.intermediate.LayerNorm.weight", "encoder.layer.0.intermediate.dense.bias",
        "final_norm.weight"}) {
    CAPTURE(present);
    CHECK(names.count(present) == 1);
  }
  // Both maps of a gated block read one input, quantized once.
  CHECK(names.at("encoder.layer.0.intermediate.factor.weight").input_scale_name ==
        names.at("encoder.layer.0.intermediate.dense.weight").input_scale_name);
}

TEST_CASE("tables of distances are never int8") {
  EncoderConfig config{.vocab_size = 100, .hidden_size = 24, .embedding_size = 24, .layers = 1,
                       .heads = 3, .intermediate_size = 40, .max_positions = 48};
  config.relative = pocketbert::RelativePositions::kBias;
  config.relative_bias_rows = 32;
  const Visited bias = NamesOf(config).at("encoder.relative_attention_bias.weight");
  CHECK(bias.kind == TensorKind::kFloatTable);
  CHECK(bias.rows == 32);
  CHECK(bias.cols == 3);
  config.relative = pocketbert::RelativePositions::kDisentangled;
  config.relative_buckets = 7;
  config.share_position_projections = false;
  config.content_to_position = true;
  const auto names = NamesOf(config);
  CHECK(names.at("encoder.rel_embeddings.weight").rows == 14);
  CHECK(names.count("encoder.LayerNorm.bias") == 1);
  CHECK(names.count("encoder.layer.0.attention.self.pos_key.bias") == 1);
  CHECK(names.count("encoder.layer.0.attention.self.pos_query.weight") == 0);
}
