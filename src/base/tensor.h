#pragma once
// TensorView: a matrix that somebody else owns.

#include <cstddef>
#include <span>
#include <type_traits>

#include "base/check.h"

namespace pocketbert {

// A view of `rows` x `cols` elements; row r begins at data + r * stride (stride in elements,
// stride >= cols). A vector is one row. Copying a view copies no elements.
//
//   TensorView<float> hidden;  // [tokens, hidden_size]
//   hidden.Row(2)              // span over token 2
template <typename T>
struct TensorView {
  T* data = nullptr;
  size_t rows = 0;
  size_t cols = 0;
  size_t stride = 0;

  TensorView() = default;
  TensorView(T* data, size_t rows, size_t cols) : TensorView(data, rows, cols, cols) {}
  TensorView(T* data, size_t rows, size_t cols, size_t stride)
      : data(data), rows(rows), cols(cols), stride(stride) {}

  // A view of mutable elements is also one of constant elements.
  template <typename U>
    requires(std::is_same_v<T, const U>)
  TensorView(const TensorView<U>& other)
      : data(other.data), rows(other.rows), cols(other.cols), stride(other.stride) {}

  bool empty() const { return rows == 0 || cols == 0; }

  std::span<T> Row(size_t r) const {
    PB_CHECK(r < rows);
    return {data + r * stride, cols};
  }

  // Rows [begin, end) of this view.
  TensorView Rows(size_t begin, size_t end) const {
    PB_CHECK(begin <= end && end <= rows);
    return {data + begin * stride, end - begin, cols, stride};
  }

  // Columns [begin, end) of this view; the stride stays.
  TensorView Cols(size_t begin, size_t end) const {
    PB_CHECK(begin <= end && end <= cols);
    return {data + begin, rows, end - begin, stride};
  }
};

}  // namespace pocketbert
