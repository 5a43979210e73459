#pragma once
// Slow twins of the int8 kernels: the formulas of quantize_rows.h and gemm_i8.h, number by number.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/matrix.h"

namespace reference {

// Row-major int8 weights with a scale per row and group.
struct Int8Weights {
  Matrix<int8_t> values;   // [outputs, inputs]
  Matrix<float> scales;    // [outputs, groups]
  size_t group_size = 0;

  size_t groups() const { return (values.cols + group_size - 1) / group_size; }
  size_t group_end(size_t g) const { return std::min(values.cols, (g + 1) * group_size); }
};

// The weights as they are packed: where, among the eight weights of one row in columns 2i + 4j and
// 2i + 4j + 1 (j = 0 ... 3) of sixteen that begin at a multiple of 16 within a group, those of one
// sign add up to more than 258, the row's group gets coarser steps so that they do not.
inline Int8Weights Limited(Int8Weights weights) {
  for (size_t n = 0; n < weights.values.rows; ++n) {
    for (size_t g = 0; g < weights.groups(); ++g) {
      const size_t begin = g * weights.group_size, end = weights.group_end(g);
      int greatest = 0;
      for (size_t k = begin; k < end; k += 16) {
        for (size_t i : {k, k + 2}) {
          int positive = 0, negative = 0;
          for (size_t at : {i, i + 1, i + 4, i + 5, i + 8, i + 9, i + 12, i + 13}) {
            const int w = at < end ? weights.values.at(n, at) : 0;
            (w > 0 ? positive : negative) += w;
          }
          greatest = std::max({greatest, positive, -negative});
        }
      }
      if (greatest <= 258) continue;
      for (size_t k = begin; k < end; ++k) {
        int8_t& w = weights.values.at(n, k);
        w = static_cast<int8_t>(std::round(w * 254.0 / greatest));
      }
      weights.scales.at(n, g) *= static_cast<float>(greatest) / 254;
    }
  }
  return weights;
}

struct QuantizedRow {
  std::vector<int> codes;
  std::vector<float> scales, offsets;  // [groups]
};

inline QuantizedRow QuantizeRow(const std::vector<float>& x, const std::vector<float>& input_scale,
                                size_t group_size) {
  QuantizedRow row;
  for (size_t begin = 0; begin < x.size(); begin += group_size) {
    const size_t end = std::min(x.size(), begin + group_size);
    std::vector<float> y;
    for (size_t k = begin; k < end; ++k) {
      y.push_back(input_scale.empty() ? x[k] : x[k] * input_scale[k]);
    }
    const float low = *std::min_element(y.begin(), y.end());
    const float range = *std::max_element(y.begin(), y.end()) - low;
    const bool flat = !(range > 1e-30f);
    const float inverse = flat ? 0.0f : 127.0f / range;
    row.scales.push_back(flat ? 0.0f : range * (1.0f / 127.0f));
    row.offsets.push_back(low);
    for (float v : y) row.codes.push_back(static_cast<int>(std::nearbyint((v - low) * inverse)));
  }
  return row;
}

// x [M, K], bias [N] or empty → [M, N].
inline Matrix<float> MatMulI8(const Matrix<float>& x, const std::vector<float>& input_scale,
                              const Int8Weights& given, const std::vector<float>& bias) {
  const Int8Weights weights = Limited(given);
  Matrix<float> c(x.rows, weights.values.rows);
  for (size_t m = 0; m < x.rows; ++m) {
    const std::vector<float> values(x.values.begin() + m * x.cols,
                                    x.values.begin() + (m + 1) * x.cols);
    const QuantizedRow row = QuantizeRow(values, input_scale, weights.group_size);
    for (size_t n = 0; n < weights.values.rows; ++n) {
      float total = bias.empty() ? 0 : bias[n];
      for (size_t g = 0; g < weights.groups(); ++g) {
        int64_t dot = 0, sum = 0;
        for (size_t k = g * weights.group_size; k < weights.group_end(g); ++k) {
          dot += row.codes[k] * weights.values.at(n, k);
          sum += weights.values.at(n, k);
        }
        const float scale = weights.scales.at(n, g);
        total = total + static_cast<float>(dot) * scale * row.scales[g];
        total = total + row.offsets[g] * (scale * static_cast<float>(sum));
      }
      c.at(m, n) = total;
    }
  }
  return c;
}

}  // namespace reference
