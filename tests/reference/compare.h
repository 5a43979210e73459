#pragma once
// Comparisons for Catch2: equal bits, or within a distance of a double reference.

#include <catch2/catch_amalgamated.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/matrix.h"

namespace reference {

// Counts elements whose bits differ; -0 and +0 differ.
inline size_t CountDifferentBits(std::span<const float> a, std::span<const float> b) {
  REQUIRE(a.size() == b.size());
  size_t different = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    different += std::bit_cast<uint32_t>(a[i]) != std::bit_cast<uint32_t>(b[i]);
  }
  return different;
}

// Greatest |a - b|, relative to max(1, |b|).
template <typename T>
double GreatestError(std::span<const float> a, std::span<const T> b) {
  REQUIRE(a.size() == b.size());
  double greatest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double expected = static_cast<double>(b[i]);
    const double error = std::abs(static_cast<double>(a[i]) - expected);
    const double relative = error / std::fmax(1.0, std::abs(expected));
    greatest = relative > greatest || std::isnan(relative) ? relative : greatest;
  }
  return greatest;
}

// A matrix laid out with `gap` extra elements after each row, filled with a value that shows when a
// kernel reads or writes there.
class StridedMatrix {
 public:
  static constexpr float kGuard = 1e30f;

  StridedMatrix(const Matrix<float>& from, size_t gap)
      : rows_(from.rows), cols_(from.cols), stride_(from.cols + gap),
        values_(from.rows * stride_, kGuard) {
    for (size_t r = 0; r < rows_; ++r) {
      for (size_t c = 0; c < cols_; ++c) values_[r * stride_ + c] = from.at(r, c);
    }
  }

  pocketbert::TensorView<float> view() { return {values_.data(), rows_, cols_, stride_}; }
  Matrix<float> Dense() const {
    Matrix<float> out(rows_, cols_);
    for (size_t r = 0; r < rows_; ++r) {
      for (size_t c = 0; c < cols_; ++c) out.at(r, c) = values_[r * stride_ + c];
    }
    return out;
  }
  bool GuardsIntact() const {
    for (size_t i = 0; i < values_.size(); ++i) {
      if (i % stride_ >= cols_ && values_[i] != kGuard) return false;
    }
    return true;
  }

 private:
  size_t rows_, cols_, stride_;
  std::vector<float> values_;
};

}  // namespace reference
