#pragma once
// Slow twins of the float32 matrix products.

#include "reference/matrix.h"
#include "reference/sums.h"

namespace reference {

// a [M, K], b [N, K] → [M, N]; bias [N] or empty.
template <typename T>
Matrix<T> MatMulTransposed(const Matrix<T>& a, const Matrix<T>& b, const std::vector<T>& bias) {
  Matrix<T> c(a.rows, b.rows);
  for (size_t m = 0; m < a.rows; ++m) {
    for (size_t n = 0; n < b.rows; ++n) {
      c.at(m, n) = Dot(a.values.data() + m * a.cols, b.values.data() + n * b.cols, a.cols);
      if (!bias.empty()) c.at(m, n) += bias[n];
    }
  }
  return c;
}

// a [M, K], b [K, N] → [M, N].
template <typename T>
Matrix<T> MatMul(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c(a.rows, b.cols);
  for (size_t m = 0; m < a.rows; ++m) {
    for (size_t n = 0; n < b.cols; ++n) {
      for (size_t k = 0; k < a.cols; ++k) c.at(m, n) += a.at(m, k) * b.at(k, n);
    }
  }
  return c;
}

}  // namespace reference
