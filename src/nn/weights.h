#pragma once
// The encoder's weights: structs of views over memory that the model owns, and VisitTensors, the
// only list of them. Binding, saving, zeroing, the optimizer and the quantizer walk that list.

#include <memory>
#include <span>
#include <string>
#include <type_traits>
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
  kFloatTable, // [rows, cols], always float32; slot TensorView<float>
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

// A reference to any `visit(const TensorSpec&, slot&)` that takes slots of all kinds; what it refers
// to must outlive it. The lists of tensors are compiled once, not for every visitor.
class TensorVisitor {
 public:
  template <typename Visit>
    requires(!std::is_same_v<std::remove_cvref_t<Visit>, TensorVisitor>)
  TensorVisitor(Visit&& visit)  // NOLINT: implicit, so that lists are called with any visitor
      : visit_(const_cast<void*>(static_cast<const void*>(std::addressof(visit)))),
        call_(&Call<std::remove_reference_t<Visit>>) {}

  void operator()(const TensorSpec& spec, LinearWeights& slot) const { call_(visit_, spec, &slot); }
  void operator()(const TensorSpec& spec, EmbeddingTable& slot) const {
    call_(visit_, spec, &slot);
  }
  void operator()(const TensorSpec& spec, std::span<float>& slot) const {
    call_(visit_, spec, &slot);
  }
  void operator()(const TensorSpec& spec, TensorView<float>& slot) const {
    call_(visit_, spec, &slot);
  }

 private:
  template <typename Visit>
  static void Call(void* context, const TensorSpec& spec, void* slot) {
    Visit& visit = *static_cast<Visit*>(context);
    switch (spec.kind) {
      case TensorKind::kEmbedding: return visit(spec, *static_cast<EmbeddingTable*>(slot));
      case TensorKind::kMatrix: return visit(spec, *static_cast<LinearWeights*>(slot));
      case TensorKind::kFloatTable: return visit(spec, *static_cast<TensorView<float>*>(slot));
      default: return visit(spec, *static_cast<std::span<float>*>(slot));
    }
  }

  void* visit_;
  void (*call_)(void* context, const TensorSpec& spec, void* slot);
};

// Visits the tensors of a linear map named `name`: `visit(TensorSpec, LinearWeights&)` for the
// matrix [outputs, inputs], `visit(TensorSpec, std::span<float>&)` for the bias, if it has one.
struct LinearShape {
  size_t outputs;
  size_t inputs;
  bool bias = true;
};
void VisitLinear(const std::string& name, const std::string& input_scale_name, LinearShape shape,
                 LinearWeights& linear, TensorVisitor visit);

struct LayerNormShape {
  size_t width;
  bool bias = true;
};
void VisitLayerNorm(const std::string& name, LayerNormShape shape, LayerNormWeights& norm,
                    TensorVisitor visit);

// The canonical names of the norms of layer `name` ("encoder.layer.0"): where BERT has its own, or,
// if they come before their block, named by it.
std::string AttentionNormName(const EncoderConfig& config, const std::string& name);
std::string OutputNormName(const EncoderConfig& config, const std::string& name);

// Calls `visit(const TensorSpec&, slot&)` for every tensor of the encoder, in the order of the
// computation; `slot` is what TensorKind says. `weights.layers` must have config.weight_sets()
// entries.
void VisitTensors(const EncoderConfig& config, EncoderWeights& weights, TensorVisitor visit);

}  // namespace pocketbert
