#pragma once
// A matrix that owns its numbers, for the slow twins.

#include <cstddef>
#include <vector>

#include "base/tensor.h"

namespace reference {

template <typename T>
struct Matrix {
  size_t rows = 0;
  size_t cols = 0;
  std::vector<T> values;  // row-major

  Matrix() = default;
  Matrix(size_t rows, size_t cols) : rows(rows), cols(cols), values(rows * cols) {}

  T& at(size_t r, size_t c) { return values[r * cols + c]; }
  const T& at(size_t r, size_t c) const { return values[r * cols + c]; }

  pocketbert::TensorView<T> view() { return {values.data(), rows, cols}; }
  pocketbert::TensorView<const T> view() const { return {values.data(), rows, cols}; }

  template <typename U>
  Matrix<U> As() const {
    Matrix<U> out(rows, cols);
    for (size_t i = 0; i < values.size(); ++i) out.values[i] = static_cast<U>(values[i]);
    return out;
  }
};

}  // namespace reference
