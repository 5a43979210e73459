#pragma once
// AttentionRule applied to one head of one sequence.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/tensor.h"
#include "nn/attention.h"

namespace pocketbert {

// [length, head size] each.
struct AttentionHead {
  TensorView<const float> query;
  TensorView<const float> key;
  TensorView<const float> value;
  TensorView<float> context;
  size_t number;  // in [0, heads)

  size_t length() const { return query.rows; }
  size_t size() const { return query.cols; }
};

// A block of queries [first, last) and the keys [begin, end) that at least one of them sees, from a
// multiple of 8 on.
struct ScoreBlock {
  // Queries whose scores are computed together: [16, keys] floats stay in the first-level cache for
  // texts of up to 512 tokens.
  static constexpr size_t kQueries = 16;

  size_t first, last, begin, end;

  ScoreBlock(size_t first, size_t length, size_t reach);
  size_t queries() const { return last - first; }
  size_t keys() const { return end - begin; }
};

class ScoreRule {
 public:
  // Memory of one thread, for rules with distances: products of queries and of keys with them.
  struct Scratch {
    std::span<float> query_distances;  // [ScoreBlock::kQueries, distances]
    std::span<float> key_distances;    // [length, distances]
  };
  ScoreRule(const AttentionRule& rule, const AttentionHead& head, const Scratch& scratch);

  // Factor of the sum of products.
  float scale() const;
  // True if there is nothing to apply.
  bool plain() const;
  // Adds to the products of a block, which are in units of 1 / unit, then takes the keys out of
  // sight that are too far: softmax makes of them less than 1e-37 of a share.
  void Apply(const ScoreBlock& block, float unit, TensorView<float> scores) const;

 private:
  void AddDistances(const ScoreBlock& block, float unit, TensorView<float> scores) const;

  const AttentionRule& rule_;
  const AttentionHead& head_;
  const Scratch& scratch_;
  TensorView<const float> distance_keys_;  // [distances, head size] each
  TensorView<const float> distance_queries_;
  TensorView<float> key_distances_;  // [length, distances]
};

}  // namespace pocketbert
