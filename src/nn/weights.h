#pragma once
// The encoder's weights: structs of views over memory that the model owns, and VisitTensors, the
// only list of them. Binding, saving, zeroing, the optimizer and the quantizer walk that list.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/tensor.h"
#include "kernels/pack_i8.h"
#include "nn/config.h"

namespace pocketbert {

// y = W x + b. Exactly one of `f32` and `i8` is filled in; nn/linear.cc is the only code that asks
// which.
struct LinearWeights {
  TensorView<float> f32;         // [out, in] row-major
  PackedI8 i8;                   // [out, in] packed
  std::span<float> bias;         // [out], or empty: no bias
  // [in], or empty: inputs are multiplied by this before they are quantized (int8 only). The
  // quantizer has divided the columns of W by it.
  std::span<const float> input_scale;

  bool empty() const { return f32.empty() && i8.rows == 0; }
  bool is_i8() const { return i8.rows != 0; }
  size_t inputs() const { return is_i8() ? i8.cols : f32.cols; }
  size_t outputs() const { return is_i8() ? i8.rows : f32.rows; }
};

// One row per id. Exactly one of `f32` and `i8` is filled in.
struct EmbeddingTable {
  TensorView<float> f32;           // [ids, width]
  TensorView<const int8_t> i8;     // [ids, width]; value = scale * int8 value
  TensorView<const float> scales;  // [ids, groups], int8 only: one for every group_size columns
  size_t group_size = 0;           // int8 only; the last group may be shorter

  bool empty() const { return f32.empty() && i8.empty(); }
  size_t ids() const { return f32.empty() ? i8.rows : f32.rows; }
  size_t width() const { return f32.empty() ? i8.cols : f32.cols; }
};

struct LayerNormWeights {
  std::span<float> gamma;  // [width]
  std::span<float> beta;   // [width], or empty: all 0

  bool empty() const { return gamma.empty(); }
};

// One Transformer layer; H = hidden_size, I = intermediate_size. The norms follow their block's sum
// or, in a model with pre_norm, come before their block.
struct LayerWeights {
  LinearWeights query;             // [H, H]
  LinearWeights key;               // [H, H]
  LinearWeights value;             // [H, H]
  LinearWeights attention_output;  // [H, H]
  LayerNormWeights attention_norm;
  LinearWeights intermediate;      // [I, H]
  LinearWeights output;            // [H, I]
  LayerNormWeights output_norm;
  LinearWeights factor = {};          // [I, H]; gated models only
  LinearWeights position_key = {};    // [H, H]; both of kDisentangled without shared projections
  LinearWeights position_query = {};  // [H, H]
};

struct EncoderWeights {
  EmbeddingTable words;      // [vocab_size, embedding_size]
  EmbeddingTable positions;  // [max_positions, embedding_size]; empty without position_table
  EmbeddingTable types;      // [type_vocab_size, embedding_size]; empty if type_vocab_size is 0
  LayerNormWeights embedding_norm;
  LinearWeights embedding_projection;  // [hidden_size, embedding_size]; empty if sizes are equal
  std::vector<LayerWeights> layers;  // [config.weight_sets()]
  TensorView<float> relative_bias = {};        // [relative_bias_rows, heads]; kBias only
  TensorView<float> relative_embeddings = {};  // [2 relative_span, hidden_size]; kDisentangled only
  LayerNormWeights relative_norm = {};         // of its rows; may be empty
  LayerNormWeights final_norm = {};            // pre_norm models only
};

// What VisitTensors tells about a tensor.
enum class TensorKind {
  kEmbedding,  // rows are looked up by id; slot EmbeddingTable
  kMatrix,     // [out, in]; slot LinearWeights (the visit is about its matrix, not its bias)
  kBias,       // [out]; slot std::span<float>
  kNormGamma,  // [width]; slot std::span<float>
  kNormBeta,   // [width]; slot std::span<float>
  kFloatTable,  // [rows, cols], always float32; slot TensorView<float>
};

struct TensorSpec {
  // Canonical name: Hugging Face's BertModel name without a prefix, e.g.
  // "encoder.layer.0.attention.self.query.weight".
  std::string name;
  TensorKind kind;
  size_t rows;  // vectors: 1
  size_t cols;
  // kMatrix: name of the vector [cols] that scales this matrix's inputs, if the file has it, e.g.
  // "encoder.layer.0.attention.self.input_scale". Matrices of equal name share the vector.
  std::string input_scale_name = {};

  bool is_vector() const {
    return kind == TensorKind::kBias || kind == TensorKind::kNormGamma ||
           kind == TensorKind::kNormBeta;
  }
};

// Visits the tensors of a linear map named `name`: `visit(TensorSpec, LinearWeights&)` for the
// matrix [outputs, inputs], `visit(TensorSpec, std::span<float>&)` for the bias, if it has one.
struct LinearShape {
  size_t outputs;
  size_t inputs;
  bool bias = true;
};
template <typename Linear, typename Visit>
void VisitLinear(const std::string& name, const std::string& input_scale_name, LinearShape shape,
                 Linear& linear, Visit&& visit) {
  visit(TensorSpec{name + ".weight", TensorKind::kMatrix, shape.outputs, shape.inputs,
                   input_scale_name},
        linear);
  if (shape.bias) {
    visit(TensorSpec{name + ".bias", TensorKind::kBias, 1, shape.outputs}, linear.bias);
  }
}

struct LayerNormShape {
  size_t width;
  bool bias = true;
};
template <typename Norm, typename Visit>
void VisitLayerNorm(const std::string& name, LayerNormShape shape, Norm& norm, Visit&& visit) {
  visit(TensorSpec{name + ".weight", TensorKind::kNormGamma, 1, shape.width}, norm.gamma);
  if (shape.bias) {
    visit(TensorSpec{name + ".bias", TensorKind::kNormBeta, 1, shape.width}, norm.beta);
  }
}

// The canonical names of the norms of layer `name` ("encoder.layer.0"): where BERT has its own, or,
// if they come before their block, named by it.
inline std::string AttentionNormName(const EncoderConfig& config, const std::string& name) {
  return name + (config.pre_norm ? ".attention.LayerNorm" : ".attention.output.LayerNorm");
}
inline std::string OutputNormName(const EncoderConfig& config, const std::string& name) {
  return name + (config.pre_norm ? ".intermediate.LayerNorm" : ".output.LayerNorm");
}

template <typename Layer, typename Visit>
void VisitAttentionTensors(const EncoderConfig& config, const std::string& name, Layer& layer,
                           Visit&& visit) {
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
  const auto position = [&](const char* what, auto& slot) {
    VisitLinear(self + what, self + what + ".input_scale", {hidden, hidden}, slot, visit);
  };
  if (config.content_to_position) position(".pos_key", layer.position_key);
  if (config.position_to_content) position(".pos_query", layer.position_query);
}

// `layer` is the number of the first layer that these weights belong to.
template <typename Layer, typename Visit>
void VisitLayerTensors(const EncoderConfig& config, size_t layer_number, Layer& layer,
                       Visit&& visit) {
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
template <typename Weights, typename Visit>
void VisitSharedTensors(const EncoderConfig& config, Weights& weights, Visit&& visit) {
  const LayerNormShape norm{config.hidden_size, config.norm_bias};
  const auto table = [&](const char* name, size_t rows, size_t cols, auto& slot) {
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

// Calls `visit(const TensorSpec&, slot&)` for every tensor of the encoder, in the order of the
// computation; `slot` is what TensorKind says (const if `weights` is const). `weights.layers` must
// have config.weight_sets() entries.
template <typename Weights, typename Visit>
void VisitTensors(const EncoderConfig& config, Weights& weights, Visit&& visit) {
  PB_CHECK(weights.layers.size() == config.weight_sets());
  const size_t width = config.embedding_size;
  const auto table = [&](const char* name, size_t ids, auto& slot) {
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
