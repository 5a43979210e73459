#pragma once
// Pooling: one vector per sequence from its tokens' vectors.

#include <cstddef>
#include <span>

#include "base/tensor.h"
#include "nn/batch.h"

namespace pocketbert {

// As in sentence-transformers' Pooling module; t runs over a sequence's pooled tokens, n of them.
enum class PoolingMode {
  kCls,           // the first token
  kMax,           // element-wise maximum
  kMean,          // sum_t x_t / n
  kMeanSqrtLen,   // sum_t x_t / sqrt(n)
  kWeightedMean,  // sum_t p_t x_t / sum_t p_t, p_t = 1-based place of t in its sequence
  kLastToken,     // the last token
};

// Writes for every sequence the modes' vectors side by side, in the order of `modes`
// (sentence-transformers concatenates in the order of the enum). `hidden` [tokens, hidden_size],
// `output` [sequences, modes * hidden_size]. The first `skipped_tokens` tokens of each sequence
// take no part (a prompt that is not to be pooled), except that kCls still means the sequence's
// first token. A sequence without pooled tokens gives zeros. Sums run over tokens in order.
void Pool(std::span<const PoolingMode> modes, TensorView<const float> hidden,
          const TokenBatch& batch, size_t skipped_tokens, TensorView<float> output);

}  // namespace pocketbert
