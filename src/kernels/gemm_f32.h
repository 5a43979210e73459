#pragma once
// Products of float32 matrices. Each element of a result depends on its row of `a` and its row or
// column of `b` only, with sums in the order stated, whatever the matrices' sizes.

#include <span>

#include "base/tensor.h"

namespace pocketbert {

// c[m][n] = sum_k a[m][k] * b[n][k] + bias[n]: `a` [M, K], `b` [N, K] (as weights are stored),
// `c` [M, N]; `bias` [N] or empty. The sum over k has four parts (k mod 4, each in order), added as
// (0 + 2) + (1 + 3). K = 0 gives the bias.
void MatMulTransposed(TensorView<const float> a, TensorView<const float> b,
                      std::span<const float> bias, TensorView<float> c);

// c[m][n] = sum_k a[m][k] * b[k][n]: `a` [M, K], `b` [K, N], `c` [M, N]; k in order. `c` must not
// overlap `a` or `b`. K = 0 gives zeros.
void MatMul(TensorView<const float> a, TensorView<const float> b, TensorView<float> c);

}  // namespace pocketbert
