#pragma once
// EncoderConfig: the sizes and constants of a post-LayerNorm Transformer encoder (BERT, DistilBERT,
// ELECTRA).

#include <cstddef>

#include "kernels/activation.h"

namespace pocketbert {

// Field names follow Hugging Face's BertConfig where it has one.
struct EncoderConfig {
  size_t vocab_size = 0;
  size_t hidden_size = 0;            // width of the residual stream
  size_t embedding_size = 0;         // width of the tables; a projection follows if != hidden_size
  size_t layers = 0;                 // num_hidden_layers
  size_t heads = 0;                  // num_attention_heads; divides hidden_size
  size_t intermediate_size = 0;      // width inside the feed-forward block
  size_t max_positions = 0;          // rows of the position table (max_position_embeddings)
  size_t first_position = 0;         // row of a text's first token; RoBERTa: pad_token_id + 1
  size_t type_vocab_size = 0;        // rows of the token type table; 0 = there is none (DistilBERT)
  float layer_norm_eps = 1e-12f;     // added to the variance
  Activation activation = Activation::kGelu;  // hidden_act

  size_t head_size() const { return hidden_size / heads; }
  bool has_projection() const { return embedding_size != hidden_size; }
  // Tokens of the longest text that has positions for all of them.
  size_t max_tokens() const { return max_positions - first_position; }
};

}  // namespace pocketbert
