// LayerNorm, softmax and the element-wise kernels against their slow twins.

#include <catch2/catch_amalgamated.hpp>

#include "kernels/elementwise.h"
#include "kernels/layer_norm.h"
#include "kernels/softmax.h"
#include "reference/compare.h"
#include "reference/random.h"
#include "reference/row_kernels.h"

using reference::CountDifferentBits;
using reference::GreatestError;
using reference::Matrix;
using reference::Random;
using reference::StridedMatrix;

namespace {

constexpr size_t kWidths[] = {1,  2,  3,  4,  5,  7,  8,  9,  12, 13,  14,
                              15, 16, 17, 24, 29, 31, 37, 45, 63, 384, 385};

template <typename T>
std::vector<T> As(std::span<const float> x) {
  return {x.begin(), x.end()};
}

std::vector<float> RowOf(const Matrix<float>& m, size_t r) {
  return {m.values.begin() + r * m.cols, m.values.begin() + (r + 1) * m.cols};
}

}  // namespace

TEST_CASE("LayerNorm equals its twin, in place and apart") {
  Random random(2);
  for (size_t width : kWidths) {
    const Matrix<float> x = random.FloatMatrix(3, width, 3);
    const std::vector<float> gamma = random.Floats(width, 2);
    const std::vector<float> beta = random.Floats(width);
    StridedMatrix in_place(x, 5);
    LayerNorm(in_place.view(), {gamma, beta, 1e-5f}, in_place.view());
    StridedMatrix input(x, 1), output(Matrix<float>(3, width), 2);
    LayerNorm(input.view(), {gamma, beta, 1e-5f}, output.view());
    CAPTURE(width);
    CHECK(in_place.GuardsIntact());
    CHECK(output.GuardsIntact());
    for (size_t r = 0; r < 3; ++r) {
      const std::vector<float> row = RowOf(x, r);
      const std::vector<float> same = reference::LayerNorm(row, gamma, beta, 1e-5f);
      CHECK(CountDifferentBits(RowOf(in_place.Dense(), r), same) == 0);
      CHECK(CountDifferentBits(RowOf(output.Dense(), r), same) == 0);
      const std::vector<double> exact = reference::LayerNorm<double>(
          As<double>(row), As<double>(gamma), As<double>(beta), 1e-5f);
      // Two or three elements may lie close together, and their small difference is rounded.
      CHECK(GreatestError<double>(same, exact) <= (width < 4 ? 1e-5 : 1e-6));
    }
  }
}

TEST_CASE("a sum and its LayerNorm equal the twin, in place and apart") {
  Random random(12);
  for (size_t width : kWidths) {
    const Matrix<float> x = random.FloatMatrix(3, width, 3);
    const Matrix<float> residual = random.FloatMatrix(3, width, 3);
    const std::vector<float> gamma = random.Floats(width, 2);
    const std::vector<float> beta = random.Floats(width);
    StridedMatrix added(residual, 3), in_place(x, 5), sum(x, 1), output(Matrix<float>(3, width), 2);
    AddAndNorm(added.view(), in_place.view(), {gamma, beta, 1e-5f}, in_place.view());
    AddAndNorm(added.view(), sum.view(), {gamma, beta, 1e-5f}, output.view());
    CAPTURE(width);
    for (const StridedMatrix* m : {&added, &in_place, &sum, &output}) CHECK(m->GuardsIntact());
    for (size_t r = 0; r < 3; ++r) {
      std::vector<float> row = RowOf(x, r);
      for (size_t i = 0; i < width; ++i) row[i] += residual.at(r, i);
      CHECK(CountDifferentBits(RowOf(sum.Dense(), r), row) == 0);
      const std::vector<float> same = reference::LayerNorm(row, gamma, beta, 1e-5f);
      CHECK(CountDifferentBits(RowOf(in_place.Dense(), r), same) == 0);
      CHECK(CountDifferentBits(RowOf(output.Dense(), r), same) == 0);
    }
  }
}

TEST_CASE("LayerNorm of equal elements gives beta") {
  const std::vector<float> gamma(6, 3.0f), beta = {0, 1, 2, 3, 4, 5};
  std::vector<float> x(6, 0.25f);
  LayerNorm(pocketbert::TensorView<float>(x.data(), 1, 6), {gamma, beta, 1e-12f},
            {x.data(), 1, 6});
  CHECK(x == beta);
}

TEST_CASE("softmax equals its twin") {
  Random random(3);
  for (size_t width : kWidths) {
    for (float size : {0.1f, 10.0f, 1000.0f}) {
      const Matrix<float> x = random.FloatMatrix(2, width, size);
      StridedMatrix rows(x, 3);
      pocketbert::Softmax(0.35f, rows.view());
      CAPTURE(width, size);
      CHECK(rows.GuardsIntact());
      for (size_t r = 0; r < 2; ++r) {
        const std::vector<float> row = RowOf(rows.Dense(), r);
        CHECK(CountDifferentBits(row, reference::Softmax(0.35f, RowOf(x, r))) == 0);
        const std::vector<double> exact =
            reference::Softmax<double>(0.35f, As<double>(RowOf(x, r)));
        CHECK(GreatestError<double>(row, exact) <= 5e-7);
      }
    }
  }
  pocketbert::Softmax(1.0f, {});
}

TEST_CASE("normalized rows have length 1; a row of zeros stays") {
  Random random(4);
  for (size_t width : kWidths) {
    std::vector<float> x = random.Floats(width, 3);
    const std::vector<float> expected = reference::Normalize(x);
    const std::vector<double> exact = reference::Normalize(As<double>(x));
    pocketbert::NormalizeRow(x);
    CHECK(CountDifferentBits(x, expected) == 0);
    CHECK(GreatestError<double>(x, exact) <= 3e-7);
  }
  std::vector<float> zeros(5, 0.0f);
  pocketbert::NormalizeRow(zeros);
  CHECK(zeros == std::vector<float>(5, 0.0f));
}

TEST_CASE("sums, products and lookups equal the plain loops") {
  Random random(5);
  for (size_t width : {0, 1, 3, 4, 5, 24, 37}) {
    const std::vector<float> a = random.Floats(width), b = random.Floats(width);
    const Matrix<int8_t> bytes = random.Int8Matrix(1, width);
    std::vector<float> sum = a, scaled = a, greatest = a, lookup(width), added = a, weighted = a;
    pocketbert::Add(b, sum);
    pocketbert::Scale(1.7f, scaled);
    pocketbert::MaxInto(b, greatest);
    // Groups of 8 with scales of their own; the last may be short.
    const std::vector<float> scales = random.Floats((width + 7) / 8);
    pocketbert::ExpandI8({bytes.values, scales, 8}, lookup);
    pocketbert::AddExpandedI8({bytes.values, scales, 8}, added);
    pocketbert::AddScaled(-0.9f, b, weighted);
    std::vector<float> expected_sum = a, expected_scaled = a, expected_greatest = a,
                       expected_lookup(width), expected_added = a, expected_weighted = a;
    for (size_t i = 0; i < width; ++i) {
      expected_sum[i] += b[i];
      expected_scaled[i] *= 1.7f;
      expected_greatest[i] = a[i] > b[i] ? a[i] : b[i];
      expected_lookup[i] = scales[i / 8] * bytes.values[i];
      expected_added[i] += scales[i / 8] * bytes.values[i];
      expected_weighted[i] += -0.9f * b[i];
    }
    CAPTURE(width);
    CHECK(CountDifferentBits(sum, expected_sum) == 0);
    CHECK(CountDifferentBits(scaled, expected_scaled) == 0);
    CHECK(CountDifferentBits(greatest, expected_greatest) == 0);
    CHECK(CountDifferentBits(lookup, expected_lookup) == 0);
    CHECK(CountDifferentBits(added, expected_added) == 0);
    CHECK(CountDifferentBits(weighted, expected_weighted) == 0);
  }
}
