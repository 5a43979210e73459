#include "nn/weights.h"

namespace pocketbert {

void VisitLinear(const std::string& name, const std::string& input_scale_name, LinearShape shape,
                 LinearWeights& linear, TensorVisitor visit) {
  visit(TensorSpec{name + ".weight", TensorKind::kMatrix, shape.outputs, shape.inputs,
                   input_scale_name},
        linear);
  if (shape.bias) {
    visit(TensorSpec{name + ".bias", TensorKind::kBias, 1, shape.outputs}, linear.bias);
  }
}

void VisitLayerNorm(const std::string& name, LayerNormShape shape, LayerNormWeights& norm,
                    TensorVisitor visit) {
  visit(TensorSpec{name + ".weight", TensorKind::kNormGamma, 1, shape.width}, norm.gamma);
  if (shape.bias) {
    visit(TensorSpec{name + ".bias", TensorKind::kNormBeta, 1, shape.width}, norm.beta);
  }
}

std::string AttentionNormName(const EncoderConfig& config, const std::string& name) {
  return name + (config.pre_norm ? ".attention.LayerNorm" : ".attention.output.LayerNorm");
}

std::string OutputNormName(const EncoderConfig& config, const std::string& name) {
  return name + (config.pre_norm ? ".intermediate.LayerNorm" : ".output.LayerNorm");
}

namespace {

void VisitAttentionTensors(const EncoderConfig& config, const std::string& name, LayerWeights& layer,
                           TensorVisitor visit) {
  const size_t hidden = config.hidden_size;
  const LinearShape shape{hidden, hidden, config.attention_bias};
  const std::string self = name + ".attention.self";
  const std::string scale = self + ".input_scale";
  VisitLinear(self + ".query", scale, shape, layer.query, visit);
  VisitLinear(self + ".key", scale, shape, layer.key, visit);
  VisitLinear(self + ".value", scale, shape, layer.value, visit);
  if (config.relative != RelativePositions::kDisentangled || config.share_position_projections) {
    return;
  }
  const auto position = [&](const char* what, LinearWeights& slot) {
    VisitLinear(self + what, self + what + ".input_scale", {hidden, hidden}, slot, visit);
  };
  if (config.content_to_position) position(".pos_key", layer.position_key);
  if (config.position_to_content) position(".pos_query", layer.position_query);
}

// Layer `layer_number` is the first that these weights belong to, or, if layers share weights, the
// number of the set.
void VisitLayerTensors(const EncoderConfig& config, size_t layer_number, LayerWeights& layer,
                       TensorVisitor visit) {
  const size_t hidden = config.hidden_size;
  const size_t inner = config.intermediate_size;
  const LayerNormShape norm{hidden, config.norm_bias};
  const std::string name = "encoder.layer." + std::to_string(layer_number);
  const std::string attended = name + ".attention.output.dense";
  const std::string expanded = name + ".intermediate.dense";
  const std::string expanded_scale = expanded + ".input_scale";
  VisitAttentionTensors(config, name, layer, visit);
  VisitLinear(attended, attended + ".input_scale", {hidden, hidden, config.attention_output_bias},
              layer.attention_output, visit);
  if (config.HasAttentionNorm(layer_number)) {
    VisitLayerNorm(AttentionNormName(config, name), norm, layer.attention_norm, visit);
  }
  const LinearShape intermediate{inner, hidden, config.intermediate_bias};
  VisitLinear(expanded, expanded_scale, intermediate, layer.intermediate, visit);
  if (config.gated) {
    VisitLinear(name + ".intermediate.factor", expanded_scale, intermediate, layer.factor, visit);
  }
  VisitLinear(name + ".output.dense", name + ".output.dense.input_scale",
              {hidden, inner, config.output_bias}, layer.output, visit);
  VisitLayerNorm(OutputNormName(config, name), norm, layer.output_norm, visit);
}

// The tables and norms that all layers share.
void VisitSharedTensors(const EncoderConfig& config, EncoderWeights& weights,
                        TensorVisitor visit) {
  const LayerNormShape norm{config.hidden_size, config.norm_bias};
  const auto table = [&](const char* name, size_t rows, size_t cols, TensorView<float>& slot) {
    visit(TensorSpec{name, TensorKind::kFloatTable, rows, cols}, slot);
  };
  if (config.relative == RelativePositions::kBias) {
    table("encoder.relative_attention_bias.weight", config.relative_bias_rows, config.heads,
          weights.relative_bias);
  }
  if (config.relative == RelativePositions::kDisentangled) {
    table("encoder.rel_embeddings.weight", 2 * config.relative_span(), config.hidden_size,
          weights.relative_embeddings);
    if (config.relative_norm) {
      VisitLayerNorm("encoder.LayerNorm", norm, weights.relative_norm, visit);
    }
  }
  if (config.pre_norm) VisitLayerNorm("final_norm", norm, weights.final_norm, visit);
}

}  // namespace

void VisitTensors(const EncoderConfig& config, EncoderWeights& weights, TensorVisitor visit) {
  PB_CHECK(weights.layers.size() == config.weight_sets());
  const size_t width = config.embedding_size;
  const auto table = [&](const char* name, size_t ids, EmbeddingTable& slot) {
    visit(TensorSpec{std::string("embeddings.") + name + ".weight", TensorKind::kEmbedding, ids,
                     width},
          slot);
  };
  table("word_embeddings", config.vocab_size, weights.words);
  if (config.position_table) {
    table("position_embeddings", config.max_positions, weights.positions);
  }
  if (config.type_vocab_size > 0) {
    table("token_type_embeddings", config.type_vocab_size, weights.types);
  }
  VisitLayerNorm("embeddings.LayerNorm", {width, config.norm_bias}, weights.embedding_norm, visit);
  if (config.has_projection()) {
    VisitLinear("embeddings_project", "embeddings_project.input_scale",
                {config.hidden_size, width}, weights.embedding_projection, visit);
  }
  VisitSharedTensors(config, weights, visit);
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    VisitLayerTensors(config, i, weights.layers[i], visit);
  }
}

}  // namespace pocketbert
