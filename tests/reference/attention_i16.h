#pragma once
// Slow twin of attention in 16-bit integers: the formulas of attention_i16.h, number by number.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/matrix.h"

namespace reference {

struct Int16Codes {
  Matrix<int> codes;
  float scale = 0;
};

inline Int16Codes QuantizeI16(const Matrix<float>& x) {
  float greatest = 0;
  for (float v : x.values) greatest = std::max(greatest, std::abs(v));
  Int16Codes result{Matrix<int>(x.rows, x.cols), 0};
  if (!(greatest > 1e-30f)) return result;
  result.scale = greatest * (1.0f / 4095);
  for (size_t i = 0; i < x.values.size(); ++i) {
    result.codes.values[i] = static_cast<int>(std::nearbyint(x.values[i] * (4095 / greatest)));
  }
  return result;
}

// Sum over blocks of 64 terms.
template <typename Term>
float SumBlocks(size_t count, const Term& term) {
  float total = 0;
  for (size_t begin = 0; begin < count; begin += 64) {
    int64_t block = 0;
    for (size_t k = begin; k < std::min(count, begin + 64); ++k) block += term(k);
    total += static_cast<float>(block);
  }
  return total;
}

// 8191 * 2^t.
inline float ScaledPowerOfTwo(float t) {
  const float n = std::nearbyint(t);
  const float f = t - n;
  const float f2 = f * f;
  const float low = 5677.36078f * f + 8190.99395f;
  const float high = (458.023194f * f + 1967.86685f) + f2 * 78.388703f;
  return std::ldexp(low + f2 * high, static_cast<int>(n));
}

inline std::vector<int> SoftmaxI16(float scale, const std::vector<float>& x) {
  const float top = *std::max_element(x.begin(), x.end());
  std::vector<int> codes;
  for (float v : x) {
    const float t = std::max((v - top) * scale, -30.0f);
    codes.push_back(static_cast<int>(std::nearbyint(ScaledPowerOfTwo(t))));
  }
  return codes;
}

// One head of one sequence; all [tokens, head size].
inline Matrix<float> AttendI16(const Matrix<float>& query, const Matrix<float>& key,
                               const Matrix<float>& value) {
  const Int16Codes q = QuantizeI16(query), k = QuantizeI16(key), v = QuantizeI16(value);
  const size_t tokens = query.rows, size = query.cols;
  const float scale =
      q.scale * k.scale * (1.0f / std::sqrt(static_cast<float>(size)) * 1.44269504f);
  Matrix<float> context(tokens, size);
  for (size_t t = 0; t < tokens; ++t) {
    std::vector<float> scores;
    for (size_t u = 0; u < tokens; ++u) {
      scores.push_back(
          SumBlocks(size, [&](size_t c) { return q.codes.at(t, c) * k.codes.at(u, c); }));
    }
    const std::vector<int> shares = SoftmaxI16(scale, scores);
    int sum = 0;
    for (int share : shares) sum += share;
    const float row_scale = v.scale / static_cast<float>(sum);
    for (size_t c = 0; c < size; ++c) {
      context.at(t, c) =
          SumBlocks(tokens, [&](size_t u) { return shares[u] * v.codes.at(u, c); }) * row_scale;
    }
  }
  return context;
}

}  // namespace reference
