#pragma once
// Slow twins of the kernels that work on rows: LayerNorm, softmax, normalization.

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/scalar_math.h"
#include "reference/sums.h"

namespace reference {

template <typename T>
std::vector<T> LayerNorm(const std::vector<T>& x, const std::vector<T>& gamma,
                         const std::vector<T>& beta, T epsilon) {
  const T count = static_cast<T>(x.size());
  const T mean = SumRow<T>(x.size(), [&](size_t i) { return x[i]; }) / count;
  const T variance =
      SumRow<T>(x.size(), [&](size_t i) { return (x[i] - mean) * (x[i] - mean); }) / count;
  const T inverse = T(1) / std::sqrt(variance + epsilon);
  std::vector<T> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) y[i] = (x[i] - mean) * inverse * gamma[i] + beta[i];
  return y;
}

template <typename T>
std::vector<T> Softmax(T scale, std::vector<T> x) {
  if (x.empty()) return x;
  const T greatest = *std::max_element(x.begin(), x.end());
  for (T& v : x) v = Exp((v - greatest) * scale);
  const T inverse = T(1) / SumRow<T>(x.size(), [&](size_t i) { return x[i]; });
  for (T& v : x) v *= inverse;
  return x;
}

template <typename T>
std::vector<T> Normalize(std::vector<T> x) {
  const T length = std::max(std::sqrt(SumRow<T>(x.size(), [&](size_t i) { return x[i] * x[i]; })),
                            T(1e-12f));
  for (T& v : x) v /= length;
  return x;
}

}  // namespace reference
