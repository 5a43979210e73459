#include "nn/score_rule.h"

#include <algorithm>
#include <cmath>

#include "kernels/attention_i16.h"
#include "kernels/elementwise.h"
#include "kernels/gemm_f32.h"

namespace pocketbert {

namespace {

constexpr float kUnseen = -1e30f;

TensorView<const float> PartOf(TensorView<const float> projection, const AttentionHead& head) {
  if (projection.empty()) return projection;
  return projection.Cols(head.number * head.size(), (head.number + 1) * head.size());
}

}  // namespace

ScoreBlock::ScoreBlock(size_t first, size_t length, size_t reach)
    : first(first), last(std::min(length, first + kQueries)), begin(0), end(length) {
  constexpr size_t kStep = PanelsI16::kPanelCols;
  if (reach == 0) return;
  if (first > reach) begin = (first - reach) / kStep * kStep;
  end = std::min(length, last + reach);
}

ScoreRule::ScoreRule(const AttentionRule& rule, const AttentionHead& head, const Scratch& scratch)
    : rule_(rule),
      head_(head),
      scratch_(scratch),
      distance_keys_(PartOf(rule.distance_keys, head)),
      distance_queries_(PartOf(rule.distance_queries, head)) {
  if (distance_queries_.empty()) return;
  key_distances_ = {scratch.key_distances.data(), head.length(), distance_queries_.rows};
  MatMulTransposed(head.key, distance_queries_, {}, key_distances_);
}

float ScoreRule::scale() const {
  const size_t products = 1 + !distance_keys_.empty() + !distance_queries_.empty();
  return 1.0f / std::sqrt(static_cast<float>(products * head_.size()));
}

bool ScoreRule::plain() const {
  return rule_.reach == 0 && rule_.bias.empty() && distance_keys_.empty() &&
         distance_queries_.empty();
}

void ScoreRule::AddDistances(const ScoreBlock& block, float unit,
                             TensorView<float> scores) const {
  TensorView<float> query_distances;
  if (!distance_keys_.empty()) {
    query_distances = {scratch_.query_distances.data(), block.queries(), distance_keys_.rows};
    MatMulTransposed(head_.query.Rows(block.first, block.last), distance_keys_, {},
                     query_distances);
  }
  for (size_t r = 0; r < block.queries(); ++r) {
    const std::span<float> row = scores.Row(r);
    // The row of distance q - k is rows[-k].
    const uint32_t* rows = &rule_.distance_rows[rule_.distance_rows.size() / 2 + block.first + r];
    if (!distance_keys_.empty()) {
      const std::span<const float> products = query_distances.Row(r);
      for (size_t k = 0; k < row.size(); ++k) row[k] += unit * products[*(rows - k)];
    }
    if (distance_queries_.empty()) continue;
    const float* products = key_distances_.data;
    for (size_t k = 0; k < row.size(); ++k, products += key_distances_.stride) {
      row[k] += unit * products[*(rows - k)];
    }
  }
}

void ScoreRule::Apply(const ScoreBlock& block, float unit, TensorView<float> scores) const {
  if (!rule_.distance_rows.empty()) AddDistances(block, unit, scores);
  for (size_t r = 0; r < block.queries(); ++r) {
    const size_t q = block.first + r;
    const std::span<float> row = scores.Row(r);
    if (!rule_.bias.empty()) {
      const size_t middle = rule_.bias.cols / 2;  // of distance 0
      AddScaled(unit, rule_.bias.Row(head_.number).subspan(middle + block.begin - q, block.keys()),
                row);
    }
    if (rule_.reach == 0) continue;
    const size_t begin = std::max(block.begin, q - std::min(q, rule_.reach)) - block.begin;
    const size_t end = std::min(block.end, q + rule_.reach + 1) - block.begin;
    std::fill(row.begin(), row.begin() + static_cast<ptrdiff_t>(begin), kUnseen);
    std::fill(row.begin() + static_cast<ptrdiff_t>(end), row.end(), kUnseen);
  }
}

}  // namespace pocketbert
