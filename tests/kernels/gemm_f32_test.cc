#include "kernels/gemm_f32.h"

#include <catch2/catch_amalgamated.hpp>

#include "reference/compare.h"
#include "reference/gemm.h"
#include "reference/random.h"

using reference::CountDifferentBits;
using reference::GreatestError;
using reference::Matrix;
using reference::Random;
using reference::StridedMatrix;

namespace {

struct Shape {
  size_t m, n, k;
};

// All small sizes around the tiles, and the sizes of the tiny models and of MiniLM.
std::vector<Shape> Shapes() {
  std::vector<Shape> shapes;
  for (size_t m : {1, 2, 3, 4, 5, 9}) {
    for (size_t n : {1, 3, 4, 5, 7, 8, 9, 13}) {
      for (size_t k : {0, 1, 3, 4, 5, 8, 11}) shapes.push_back({m, n, k});
    }
  }
  for (const Shape& shape : {Shape{0, 5, 4}, Shape{3, 0, 4}, Shape{17, 40, 24}, Shape{5, 24, 37},
                             Shape{7, 37, 41}, Shape{6, 64, 384}}) {
    shapes.push_back(shape);
  }
  return shapes;
}

}  // namespace

TEST_CASE("MatMulTransposed equals its twin") {
  Random random(6);
  for (const auto& [m, n, k] : Shapes()) {
    const Matrix<float> a = random.FloatMatrix(m, k), b = random.FloatMatrix(n, k);
    const std::vector<float> bias = random.Floats(n);
    StridedMatrix a_strided(a, 3), b_strided(b, 1);
    for (bool with_bias : {true, false}) {
      StridedMatrix c(Matrix<float>(m, n), 2);
      const std::vector<float> used = with_bias ? bias : std::vector<float>();
      MatMulTransposed(a_strided.view(), b_strided.view(), used, c.view());
      CAPTURE(m, n, k, with_bias);
      CHECK(c.GuardsIntact());
      const Matrix<float> expected = reference::MatMulTransposed(a, b, used);
      CHECK(CountDifferentBits(c.Dense().values, expected.values) == 0);
      const Matrix<double> exact = reference::MatMulTransposed(
          a.As<double>(), b.As<double>(), std::vector<double>(used.begin(), used.end()));
      CHECK(GreatestError<double>(c.Dense().values, exact.values) <= 5e-7 * std::sqrt(k + 1.0));
    }
  }
}

TEST_CASE("MatMul equals its twin") {
  Random random(7);
  for (const auto& [m, n, k] : Shapes()) {
    const Matrix<float> a = random.FloatMatrix(m, k), b = random.FloatMatrix(k, n);
    StridedMatrix a_strided(a, 1), b_strided(b, 3), c(Matrix<float>(m, n), 2);
    MatMul(a_strided.view(), b_strided.view(), c.view());
    CAPTURE(m, n, k);
    CHECK(c.GuardsIntact());
    CHECK(CountDifferentBits(c.Dense().values, reference::MatMul(a, b).values) == 0);
    const Matrix<double> exact = reference::MatMul(a.As<double>(), b.As<double>());
    CHECK(GreatestError<double>(c.Dense().values, exact.values) <= 5e-7 * std::sqrt(k + 1.0));
  }
}
