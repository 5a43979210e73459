#pragma once
// One head of one sequence, as the kinds of attention see it.

#include <algorithm>
#include <cmath>

#include "nn/attention.h"

namespace pocketbert {

// Queries whose scores are computed together: [16, keys] floats stay in the first-level cache for
// texts of up to 512 tokens.
inline constexpr size_t kQueryBlock = 16;

// [length, head size] each.
struct AttentionHead {
  TensorView<const float> query;
  TensorView<const float> key;
  TensorView<const float> value;
  TensorView<float> context;
  size_t number;  // in [0, heads)

  size_t length() const { return query.rows; }
  size_t size() const { return query.cols; }
  float score_scale() const { return 1.0f / std::sqrt(static_cast<float>(size())); }
};

// Calls body(AttentionHead, worker) for every head of every sequence, by the session's threads.
template <typename Body>
void ForEachHead(const EncoderConfig& config, const TokenBatch& batch,
                 const AttentionTensors& tensors, Session& session, const Body& body) {
  session.pool->Run(batch.sequences() * config.heads, [&](size_t index, size_t worker) {
    const size_t s = index / config.heads;
    const size_t number = index % config.heads;
    const size_t first = number * config.head_size();
    const auto part = [&](auto matrix) {
      return matrix.Rows(batch.begin(s), batch.end(s)).Cols(first, first + config.head_size());
    };
    body(AttentionHead{part(tensors.query), part(tensors.key), part(tensors.value),
                       part(tensors.context), number},
         worker);
  });
}

inline size_t LongestSequence(const TokenBatch& batch) {
  size_t longest = 0;
  for (size_t s = 0; s < batch.sequences(); ++s) longest = std::max(longest, batch.length(s));
  return longest;
}

}  // namespace pocketbert
