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
  std::span<float> beta;   // [width]
};

// One Transformer layer; H = hidden_size, I = intermediate_size.
struct LayerWeights {
  LinearWeights query;             // [H, H]
  LinearWeights key;               // [H, H]
  LinearWeights value;             // [H, H]
  LinearWeights attention_output;  // [H, H]
  LayerNormWeights attention_norm;
  LinearWeights intermediate;      // [I, H]
  LinearWeights output;            // [H, I]
  LayerNormWeights output_norm;
};

struct EncoderWeights {
  EmbeddingTable words;      // [vocab_size, embedding_size]
  EmbeddingTable positions;  // [max_positions, embedding_size]
  EmbeddingTable types;      // [type_vocab_size, embedding_size]; empty if type_vocab_size is 0
  LayerNormWeights embedding_norm;
  LinearWeights embedding_projection;  // [hidden_size, embedding_size]; empty if sizes are equal
  std::vector<LayerWeights> layers;
};

// What VisitTensors tells about a tensor.
enum class TensorKind {
  kEmbedding,  // rows are looked up by id; slot EmbeddingTable
  kMatrix,     // [out, in]; slot LinearWeights (the visit is about its matrix, not its bias)
  kBias,       // [out]; slot std::span<float>
  kNormGamma,  // [width]; slot std::span<float>
  kNormBeta,   // [width]; slot std::span<float>
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

  bool is_vector() const { return kind != TensorKind::kEmbedding && kind != TensorKind::kMatrix; }
};

// Visits the two tensors of a linear map named `name`: `visit(TensorSpec, LinearWeights&)` for the
// matrix [outputs, inputs], `visit(TensorSpec, std::span<float>&)` for the bias.
struct LinearShape {
  size_t outputs;
  size_t inputs;
};
template <typename Linear, typename Visit>
void VisitLinear(const std::string& name, const std::string& input_scale_name, LinearShape shape,
                 Linear& linear, Visit&& visit) {
  visit(TensorSpec{name + ".weight", TensorKind::kMatrix, shape.outputs, shape.inputs,
                   input_scale_name},
        linear);
  visit(TensorSpec{name + ".bias", TensorKind::kBias, 1, shape.outputs}, linear.bias);
}

template <typename Norm, typename Visit>
void VisitLayerNorm(const std::string& name, size_t width, Norm& norm, Visit&& visit) {
  visit(TensorSpec{name + ".weight", TensorKind::kNormGamma, 1, width}, norm.gamma);
  visit(TensorSpec{name + ".bias", TensorKind::kNormBeta, 1, width}, norm.beta);
}

template <typename Layer, typename Visit>
void VisitLayerTensors(const EncoderConfig& config, const std::string& name, Layer& layer,
                       Visit&& visit) {
  const size_t hidden = config.hidden_size;
  const size_t inner = config.intermediate_size;
  const std::string self = name + ".attention.self";
  const std::string self_scale = self + ".input_scale";
  const std::string attended = name + ".attention.output";
  VisitLinear(self + ".query", self_scale, {hidden, hidden}, layer.query, visit);
  VisitLinear(self + ".key", self_scale, {hidden, hidden}, layer.key, visit);
  VisitLinear(self + ".value", self_scale, {hidden, hidden}, layer.value, visit);
  VisitLinear(attended + ".dense", attended + ".dense.input_scale", {hidden, hidden},
              layer.attention_output, visit);
  VisitLayerNorm(attended + ".LayerNorm", hidden, layer.attention_norm, visit);
  VisitLinear(name + ".intermediate.dense", name + ".intermediate.dense.input_scale",
              {inner, hidden}, layer.intermediate, visit);
  VisitLinear(name + ".output.dense", name + ".output.dense.input_scale", {hidden, inner},
              layer.output, visit);
  VisitLayerNorm(name + ".output.LayerNorm", hidden, layer.output_norm, visit);
}

// Calls `visit(const TensorSpec&, slot&)` for every tensor of the encoder, in the order of the
// computation; `slot` is what TensorKind says (const if `weights` is const). `weights.layers` must
// have config.layers entries.
template <typename Weights, typename Visit>
void VisitTensors(const EncoderConfig& config, Weights& weights, Visit&& visit) {
  PB_CHECK(weights.layers.size() == config.layers);
  const size_t width = config.embedding_size;
  const auto table = [&](const char* name, size_t ids, auto& slot) {
    visit(TensorSpec{std::string("embeddings.") + name + ".weight", TensorKind::kEmbedding, ids,
                     width},
          slot);
  };
  table("word_embeddings", config.vocab_size, weights.words);
  table("position_embeddings", config.max_positions, weights.positions);
  if (config.type_vocab_size > 0) {
    table("token_type_embeddings", config.type_vocab_size, weights.types);
  }
  VisitLayerNorm("embeddings.LayerNorm", width, weights.embedding_norm, visit);
  if (config.has_projection()) {
    VisitLinear("embeddings_project", "embeddings_project.input_scale",
                {config.hidden_size, width}, weights.embedding_projection, visit);
  }
  for (size_t i = 0; i < config.layers; ++i) {
    VisitLayerTensors(config, "encoder.layer." + std::to_string(i), weights.layers[i], visit);
  }
}

}  // namespace pocketbert
