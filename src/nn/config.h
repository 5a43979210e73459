#pragma once
// EncoderConfig: the sizes and constants of a Transformer encoder. What sets the families apart
// (where norms stand, how positions enter, gates, biases, shared layers) is data here; there is one
// encoder. The defaults are those of BERT.

#include <cstddef>
#include <cstdint>

#include "kernels/activation.h"

namespace pocketbert {

// How attention tells near tokens from far ones, besides a table of absolute positions.
enum class RelativePositions {
  kNone,
  kBias,          // a number per head and bucket of distances, added to the scores (MPNet)
  kRotary,        // queries and keys turned by their position (Su et al. 2021)
  kDisentangled,  // scores between contents and embedded distances (He et al. 2021, DeBERTa)
};

// Field names follow Hugging Face's BertConfig where it has one.
struct EncoderConfig {
  size_t vocab_size = 0;
  size_t hidden_size = 0;            // width of the residual stream
  size_t embedding_size = 0;         // width of the tables; a projection follows if != hidden_size
  size_t layers = 0;                 // num_hidden_layers
  size_t heads = 0;                  // num_attention_heads; divides hidden_size
  size_t intermediate_size = 0;      // width inside the feed-forward block
  size_t max_positions = 0;          // rows of the position table, if there is one; most tokens
  size_t first_position = 0;         // row of a text's first token; RoBERTa: pad_token_id + 1
  size_t type_vocab_size = 0;        // rows of the token type table; 0 = there is none (DistilBERT)
  float layer_norm_eps = 1e-12f;     // added to the variance
  Activation activation = Activation::kGelu;  // hidden_act

  // Sets of layer weights, a divisor of `layers`; consecutive layers share one. 0: one each.
  // ALBERT: 1.
  size_t layer_sets = 0;
  // False: LayerNorms after the sums, as BERT. True: before each block, and one at the end.
  bool pre_norm = false;
  bool first_attention_norm = true;  // pre_norm only; false: none in the first layer (ModernBERT)
  // The feed-forward block is output(activation(intermediate(x)) * factor(x)) (Shazeer 2020).
  bool gated = false;
  bool norm_bias = true;             // of all LayerNorms
  bool attention_bias = true;        // of query, key, value
  bool attention_output_bias = true;
  bool intermediate_bias = true;     // of intermediate and factor
  bool output_bias = true;

  bool position_table = true;        // absolute positions are embedded
  // A token with this id stands at first_position - 1 and is not counted, as in RoBERTa; -1: none.
  int32_t padding_id = -1;
  RelativePositions relative = RelativePositions::kNone;

  // kRotary: pair i of a head of size d turns by position / (theta^(2 i / d) * rotary_factor).
  float rotary_theta = 10000;
  float rotary_local_theta = 10000;  // of layers with a window
  float rotary_factor = 1;

  // Layers whose number is a multiple of this see all tokens, others those at most `window_reach`
  // away. 1: all see all.
  size_t global_every = 1;
  size_t window_reach = 0;

  // kBias: rows of the table, at least kRelativeBiasBuckets.
  size_t relative_bias_rows = 0;

  // kDisentangled. Distances up to relative_buckets / 2 have a row each, those up to
  // relative_max_distance share the others by their logarithm; relative_buckets 0: a row each up
  // to relative_max_distance.
  size_t relative_buckets = 0;
  size_t relative_max_distance = 0;
  bool relative_norm = true;         // the embedded distances pass a LayerNorm first
  bool content_to_position = false;  // "c2p"; neither if positions are not disentangled
  bool position_to_content = false;  // "p2c"
  bool share_position_projections = true;  // those of query and key; else matrices of their own

  size_t head_size() const { return hidden_size / heads; }
  bool has_projection() const { return embedding_size != hidden_size; }
  // Tokens of the longest text that has positions for all of them.
  size_t max_tokens() const { return max_positions - first_position; }
  size_t weight_sets() const { return layer_sets == 0 ? layers : layer_sets; }
  // The set of weights that layer `layer` < layers runs with.
  size_t WeightSet(size_t layer) const { return layer * weight_sets() / layers; }
  // The largest embedded distance; embeddings have twice as many rows (kDisentangled).
  size_t relative_span() const {
    return relative_buckets > 0 ? relative_buckets : relative_max_distance;
  }
  bool HasWindow(size_t layer) const { return layer % global_every != 0; }
  bool HasAttentionNorm(size_t layer) const {
    return !pre_norm || layer > 0 || first_attention_norm;
  }
};

}  // namespace pocketbert
