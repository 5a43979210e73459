#include "kernels/attention_i16.h"

#include <catch2/catch_amalgamated.hpp>

#include <array>
#include <cmath>

#include "reference/attention_i16.h"
#include "reference/compare.h"
#include "reference/random.h"

using pocketbert::kMaxCode16;
using pocketbert::kMaxShare16;
using pocketbert::PanelsI16;
using pocketbert::TensorView;
using reference::CountDifferentBits;
using reference::Int16Codes;
using reference::Matrix;
using reference::Random;
using reference::StridedMatrix;

namespace {

constexpr std::array<size_t, 2> kShapes[] = {{1, 1},  {1, 8},  {2, 3},   {5, 9},   {7, 16},
                                             {8, 32}, {9, 37}, {17, 64}, {33, 65}, {130, 24}};

// Memory of codes, filled with what must be overwritten.
std::vector<int16_t> Codes(size_t count) { return std::vector<int16_t>(count, 12345); }

// The code of element (k, n) as MatMulI16 reads it.
int16_t PanelValue(const PanelsI16& panels, size_t k, size_t n) {
  const size_t depth = PanelsI16::PaddedDepth(panels.depth);
  return panels.values[n / 8 * 8 * depth + k / 2 * 16 + n % 8 * 2 + k % 2];
}

}  // namespace

TEST_CASE("int16 codes equal the twin's, row by row and in panels, zeros past the ends") {
  Random random(31);
  for (const auto& [rows, cols] : kShapes) {
    const Matrix<float> x = random.FloatMatrix(rows, cols, 7);
    StridedMatrix input(x, 3);
    const Int16Codes expected = reference::QuantizeI16(x);
    CAPTURE(rows, cols);

    const size_t padded = PanelsI16::PaddedDepth(cols);
    std::vector<int16_t> memory = Codes(rows * padded);
    CHECK(QuantizeI16(input.view(), {memory.data(), rows, padded}) == expected.scale);
    size_t wrong = 0;
    for (size_t i = 0; i < memory.size(); ++i) {
      const size_t c = i % padded;
      wrong += memory[i] != (c < cols ? expected.codes.at(i / padded, c) : 0);
    }
    CHECK(wrong == 0);

    std::vector<int16_t> keys = Codes(PanelsI16::Size(cols, rows));
    const PanelsI16 transposed{keys, cols, rows};
    CHECK(PackTransposedI16(input.view(), transposed) == expected.scale);
    std::vector<int16_t> values = Codes(PanelsI16::Size(rows, cols));
    const PanelsI16 straight{values, rows, cols};
    CHECK(PackI16(input.view(), straight) == expected.scale);
    wrong = 0;
    for (size_t r = 0; r < PanelsI16::PaddedCols(rows); ++r) {
      for (size_t c = 0; c < PanelsI16::PaddedCols(cols); ++c) {
        const int code = r < rows && c < cols ? expected.codes.at(r, c) : 0;
        if (c < padded) wrong += PanelValue(transposed, c, r) != code;
        if (r < PanelsI16::PaddedDepth(rows)) wrong += PanelValue(straight, r, c) != code;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("int16 codes use the whole range; a matrix of zeros has scale 0") {
  Matrix<float> x(1, 3);
  x.values = {-2, 1, 0.5f};
  std::vector<int16_t> codes = Codes(4);
  const float scale = QuantizeI16(x.view(), {codes.data(), 1, 4});
  CHECK(codes == std::vector<int16_t>{-kMaxCode16, 2048, 1024, 0});
  CHECK(scale == Catch::Approx(2.0 / kMaxCode16));
  x.values = {0, 0, -0.0f};
  CHECK(QuantizeI16(x.view(), {codes.data(), 1, 4}) == 0);
  CHECK(codes == std::vector<int16_t>{0, 0, 0, 0});
}

TEST_CASE("int16 products are exact within blocks, at the extremes of the codes too") {
  Random random(32);
  for (size_t rows : {1, 3, 4, 5, 16}) {
    for (const auto& [depth, cols] : kShapes) {
      const size_t padded = PanelsI16::PaddedDepth(depth);
      std::vector<int16_t> a(rows * padded), b(PanelsI16::Size(depth, cols));
      const bool extreme = rows == 5;
      for (int16_t& v : a) v = static_cast<int16_t>(extreme ? kMaxShare16 : random.Int(0, 8191));
      for (int16_t& v : b) v = static_cast<int16_t>(extreme ? -4095 : random.Int(-4095, 4095));
      if (padded != depth) {
        for (size_t r = 0; r < rows; ++r) a[r * padded + depth] = 0;
      }
      const PanelsI16 panels{b, depth, cols};
      const std::vector<float> scales = random.Floats(rows);
      StridedMatrix scaled(Matrix<float>(rows, cols), 2), plain(Matrix<float>(rows, cols), 1);
      const TensorView<const int16_t> codes(a.data(), rows, padded);
      MatMulI16(codes, panels, scales, scaled.view());
      MatMulI16(codes, panels, {}, plain.view());
      Matrix<float> expected(rows, cols), expected_scaled(rows, cols);
      for (size_t m = 0; m < rows; ++m) {
        for (size_t n = 0; n < cols; ++n) {
          expected.at(m, n) = reference::SumBlocks(depth, [&](size_t k) {
            return int64_t{a[m * padded + k]} * PanelValue(panels, k, n);
          });
          expected_scaled.at(m, n) = expected.at(m, n) * scales[m];
        }
      }
      CAPTURE(rows, depth, cols);
      CHECK(scaled.GuardsIntact());
      CHECK(plain.GuardsIntact());
      CHECK(CountDifferentBits(plain.Dense().values, expected.values) == 0);
      CHECK(CountDifferentBits(scaled.Dense().values, expected_scaled.values) == 0);
    }
  }
}

TEST_CASE("int16 softmax equals its twin and is within a code of the exact shares") {
  Random random(33);
  for (size_t count : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 40, 129}) {
    for (float size : {0.1f, 10.0f, 1e6f}) {
      const Matrix<float> x = random.FloatMatrix(2, count, size);
      const size_t padded = PanelsI16::PaddedDepth(count);
      std::vector<int16_t> codes = Codes(2 * padded);
      std::vector<float> sums(2);
      SoftmaxI16(0.7f, x.view(), {codes.data(), 2, padded}, sums);
      for (size_t r = 0; r < 2; ++r) {
        const std::vector<float> row(x.values.begin() + r * count,
                                     x.values.begin() + (r + 1) * count);
        std::vector<int> got(codes.begin() + r * padded, codes.begin() + r * padded + count);
        CAPTURE(count, size);
        CHECK(got == reference::SoftmaxI16(0.7f, row));
        if (padded != count) CHECK(codes[r * padded + count] == 0);
        float sum = 0;
        const float top = *std::max_element(row.begin(), row.end());
        for (size_t j = 0; j < count; ++j) {
          sum += got[j];
          const double exact = kMaxShare16 * std::exp2((double{row[j]} - top) * 0.7f);
          CHECK(std::abs(got[j] - exact) <= 0.55);
        }
        CHECK(sums[r] == sum);
      }
    }
  }
}
