#include "nn/pooling.h"

#include <algorithm>
#include <cmath>

#include "kernels/elementwise.h"

namespace pocketbert {

namespace {

// Pooled tokens: rows [first, end) of `hidden`; the sequence begins at row `begin` <= first.
struct PooledTokens {
  size_t begin, first, end;

  size_t count() const { return end - first; }
};

// output = factor * sum over the pooled tokens.
void SumTokens(TensorView<const float> hidden, const PooledTokens& tokens, float factor,
               std::span<float> output) {
  for (size_t t = tokens.first; t < tokens.end; ++t) Add(hidden.Row(t), output);
  Scale(factor, output);
}

void WeightedMean(TensorView<const float> hidden, const PooledTokens& tokens,
                  std::span<float> output) {
  float weights = 0;
  for (size_t t = tokens.first; t < tokens.end; ++t) {
    const float weight = static_cast<float>(t - tokens.begin + 1);
    AddScaled(weight, hidden.Row(t), output);
    weights += weight;
  }
  Scale(1.0f / weights, output);
}

void CopyRow(std::span<const float> row, std::span<float> output) {
  std::copy(row.begin(), row.end(), output.begin());
}

// `output` is zero at the call.
void PoolSequence(PoolingMode mode, TensorView<const float> hidden, const PooledTokens& tokens,
                  std::span<float> output) {
  if (mode == PoolingMode::kCls) {
    if (tokens.begin < tokens.end) CopyRow(hidden.Row(tokens.begin), output);
    return;
  }
  if (tokens.count() == 0) return;
  const float count = static_cast<float>(tokens.count());
  switch (mode) {
    case PoolingMode::kCls: return;
    case PoolingMode::kMax:
      CopyRow(hidden.Row(tokens.first), output);
      for (size_t t = tokens.first + 1; t < tokens.end; ++t) MaxInto(hidden.Row(t), output);
      return;
    case PoolingMode::kMean: return SumTokens(hidden, tokens, 1.0f / count, output);
    case PoolingMode::kMeanSqrtLen:
      return SumTokens(hidden, tokens, 1.0f / std::sqrt(count), output);
    case PoolingMode::kWeightedMean: return WeightedMean(hidden, tokens, output);
    case PoolingMode::kLastToken: return CopyRow(hidden.Row(tokens.end - 1), output);
  }
}

}  // namespace

void Pool(std::span<const PoolingMode> modes, TensorView<const float> hidden,
          const TokenBatch& batch, size_t skipped_tokens, TensorView<float> output) {
  const size_t width = hidden.cols;
  PB_CHECK(output.rows == batch.sequences() && output.cols == modes.size() * width);
  for (size_t s = 0; s < batch.sequences(); ++s) {
    const std::span<float> row = output.Row(s);
    std::fill(row.begin(), row.end(), 0.0f);
    const size_t first = batch.begin(s) + std::min(skipped_tokens, batch.length(s));
    const PooledTokens tokens{batch.begin(s), first, batch.end(s)};
    for (size_t m = 0; m < modes.size(); ++m) {
      PoolSequence(modes[m], hidden, tokens, row.subspan(m * width, width));
    }
  }
}

}  // namespace pocketbert
