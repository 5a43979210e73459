#include "kernels/gemm_i8.h"

#include <catch2/catch_amalgamated.hpp>

#include <array>
#include <cstdio>

#include "kernels/simd.h"
#include "reference/compare.h"
#include "reference/int8.h"
#include "reference/random.h"
#include "reference/scalar_math.h"

using pocketbert::Activation;
using pocketbert::DotForm;
using pocketbert::PackedI8;
using pocketbert::QuantizedRows;
using pocketbert::TensorView;
using reference::CountDifferentBits;
using reference::Int8Weights;
using reference::Matrix;
using pocketbert::PanelOrder;
using reference::Random;
using reference::StridedMatrix;

namespace {

// Memory and view of a packed matrix.
struct Packed {
  std::vector<int8_t> panels, scratch;
  std::vector<float> scales, sums;
  PackedI8 view;

  explicit Packed(const Int8Weights& weights, PanelOrder order = PanelOrder::kFours)
      : panels(PackedI8::PaddedRows(weights.values.rows) *
               PackedI8::PaddedCols(weights.values.cols)),
        scratch(8 * weights.values.cols),
        scales(PackedI8::PaddedRows(weights.values.rows) * weights.groups()),
        sums(scales.size()),
        view(PackI8(weights.values.view(), weights.scales.view(), weights.group_size,
                    {panels, scales, sums}, {}, order)) {}
};

// Memory and view of quantized rows.
template <typename Code>
struct Quantized {
  std::vector<Code> codes;
  std::vector<float> scales, offsets;
  QuantizedRows<Code> view;

  Quantized(TensorView<const float> x, const std::vector<float>& input_scale, size_t group_size)
      : codes(x.rows * PackedI8::PaddedCols(x.cols), Code{99}),
        scales(x.rows * PackedI8::GroupCount(x.cols, group_size)),
        offsets(scales.size()) {
    const size_t groups = PackedI8::GroupCount(x.cols, group_size);
    view = {{codes.data(), x.rows, PackedI8::PaddedCols(x.cols)},
            {scales.data(), x.rows, groups},
            {offsets.data(), x.rows, groups},
            x.cols,
            group_size};
    QuantizeRows(x, input_scale, view);
  }
};

Int8Weights RandomWeights(Random& random, size_t outputs, size_t inputs, size_t group_size) {
  Int8Weights weights{random.Int8Matrix(outputs, inputs), {}, group_size};
  weights.scales = random.FloatMatrix(outputs, weights.groups(), 0.01f);
  return weights;
}

// Runs every form of the product that this build has on the same input.
std::vector<Matrix<float>> AllForms(const Matrix<float>& x, const std::vector<float>& input_scale,
                                    const Int8Weights& weights, const std::vector<float>& bias) {
  const Packed packed(weights), twos(weights, PanelOrder::kTwos);
  StridedMatrix input(x, 1);
  const Quantized<uint8_t> bytes(input.view(), input_scale, packed.view.group_size);
  const Quantized<int16_t> shorts(input.view(), input_scale, packed.view.group_size);
  std::vector<StridedMatrix> results(4, StridedMatrix({x.rows, packed.view.rows}, 3));
  MatMulI8(bytes.view, packed.view, bias, DotForm::kSplit, results[0].view());
  // node 20 compiles the fused form wrongly; RelaxedDotForm never chooses it there.
  constexpr int32_t kBroken = 131068;
  const DotForm form =
      pocketbert::ProbeRelaxedDot() == kBroken ? DotForm::kSplit : DotForm::kFused;
  MatMulI8(bytes.view, packed.view, bias, form, results[1].view());
  MatMulI8(bytes.view, packed.view, bias, results[2].view());
  MatMulI8(shorts.view, twos.view, bias, results[3].view());
  std::vector<Matrix<float>> dense;
  for (const StridedMatrix& result : results) {
    CHECK(result.GuardsIntact());
    dense.push_back(result.Dense());
  }
  return dense;
}

}  // namespace

TEST_CASE("rows quantize to the twin's codes, scales and offsets") {
  Random random(8);
  for (size_t cols : {1, 3, 4, 5, 15, 16, 17, 24, 37, 63, 64, 65, 100, 129, 384}) {
    for (size_t group_size : {32, 64, 128}) {
      Matrix<float> x = random.FloatMatrix(3, cols, 5);
      x.at(1, cols / 2) = -40;  // an outlier
      std::fill(x.values.begin() + 2 * cols, x.values.end(), -0.75f);
      const std::vector<float> scale = random.Floats(cols, 2);
      for (const std::vector<float>& input_scale : {scale, std::vector<float>()}) {
        const Quantized<uint8_t> bytes(x.view(), input_scale, group_size);
        const Quantized<int16_t> shorts(x.view(), input_scale, group_size);
        CAPTURE(cols, group_size, input_scale.empty());
        for (size_t r = 0; r < x.rows; ++r) {
          const std::vector<float> row(x.values.begin() + r * cols,
                                       x.values.begin() + (r + 1) * cols);
          const auto expected = reference::QuantizeRow(row, input_scale, group_size);
          std::vector<int> codes(bytes.view.codes.Row(r).begin(), bytes.view.codes.Row(r).end());
          CHECK(codes == std::vector<int>(shorts.view.codes.Row(r).begin(),
                                          shorts.view.codes.Row(r).end()));
          for (size_t k = cols; k < codes.size(); ++k) CHECK(codes[k] == 0);
          codes.resize(cols);
          CHECK(codes == expected.codes);
          CHECK(*std::max_element(codes.begin(), codes.end()) <= 127);
          CHECK(CountDifferentBits(bytes.view.scales.Row(r), expected.scales) == 0);
          CHECK(CountDifferentBits(bytes.view.offsets.Row(r), expected.offsets) == 0);
        }
      }
    }
  }
}

TEST_CASE("activated rows quantize as the activation of the rows does") {
  Random random(18);
  for (size_t cols : {1, 31, 64, 200}) {
    const Matrix<float> x = random.FloatMatrix(5, cols, 3);
    const std::vector<float> scale = random.Floats(cols, 2);
    for (Activation activation : {Activation::kGeluCoarse, Activation::kLeakyRelu}) {
      Matrix<float> activated = x;
      for (float& value : activated.values) value = reference::ActivateOne(activation, value);
      Quantized<uint8_t> bytes(x.view(), scale, 64);
      QuantizeRows(x.view(), scale, bytes.view, activation);
      for (size_t r = 0; r < x.rows; ++r) {
        const std::vector<float> row(activated.values.begin() + r * cols,
                                     activated.values.begin() + (r + 1) * cols);
        const auto expected = reference::QuantizeRow(row, scale, 64);
        std::vector<int> codes(bytes.view.codes.Row(r).begin(), bytes.view.codes.Row(r).end());
        codes.resize(cols);
        CAPTURE(cols, static_cast<int>(activation), r);
        CHECK(codes == expected.codes);
        CHECK(CountDifferentBits(bytes.view.scales.Row(r), expected.scales) == 0);
        CHECK(CountDifferentBits(bytes.view.offsets.Row(r), expected.offsets) == 0);
      }
    }
  }
}

TEST_CASE("a quantized value lies within half a step of the original") {
  Random random(9);
  const Matrix<float> x = random.FloatMatrix(5, 200, 3);
  const Quantized<uint8_t> bytes(x.view(), {}, 64);
  for (size_t r = 0; r < x.rows; ++r) {
    for (size_t k = 0; k < x.cols; ++k) {
      const float scale = bytes.view.scales.Row(r)[k / 64];
      const float value = scale * bytes.view.codes.Row(r)[k] + bytes.view.offsets.Row(r)[k / 64];
      CHECK(std::abs(value - x.at(r, k)) <= scale * 0.5001f);
    }
  }
}

TEST_CASE("rows without a finite range still give codes in [0, 255]") {
  Matrix<float> x(1, 7);
  x.values = {1, -2, INFINITY, NAN, 3, -INFINITY, 0};
  const Quantized<int16_t> shorts(x.view(), {}, 32);
  for (int code : shorts.codes) CHECK((code >= 0 && code <= 255));
}

TEST_CASE("packed panels hold every weight at its documented place, zeros elsewhere") {
  Random random(10);
  for (auto [rows, cols] : {std::array<size_t, 2>{1, 1}, {8, 4}, {9, 5}, {24, 37}, {37, 24}}) {
    const Int8Weights weights = RandomWeights(random, rows, cols, 32);
    const Packed packed(weights), twos(weights, PanelOrder::kTwos);
    const Int8Weights limited = reference::Limited(weights);
    const size_t padded_rows = PackedI8::PaddedRows(rows);
    const size_t padded_cols = PackedI8::PaddedCols(cols);
    CAPTURE(rows, cols);
    for (size_t n = 0; n < padded_rows; ++n) {
      for (size_t k = 0; k < padded_cols; ++k) {
        const int expected = n < rows && k < cols ? limited.values.at(n, k) : 0;
        const size_t panel = n / 8 * 8 * padded_cols;
        CHECK(packed.panels[panel + k / 4 * 32 + n % 8 * 4 + k % 4] == expected);
        CHECK(twos.panels[panel + k / 2 * 16 + n % 8 * 2 + k % 2] == expected);
      }
    }
  }
}

TEST_CASE("packed weights keep the limit of sums in 16 bits and stay near what they stand for") {
  Random random(12);
  Int8Weights weights = RandomWeights(random, 8, 192, 64);
  // Steps stay as they are where the limit is kept: small weights, and 127 + 127 in one lane.
  for (size_t k = 0; k < 64; ++k) weights.values.at(0, k) = static_cast<int8_t>(k / 2);
  for (size_t k = 64; k < 128; ++k) weights.values.at(0, k) = k % 16 < 2 ? 127 : -1;
  for (size_t k = 128; k < 192; ++k) {
    weights.values.at(0, k) = k % 8 == 0 ? 127 : k % 8 == 1 ? -127 : 0;
  }
  for (size_t k = 0; k < 192; ++k) weights.values.at(1, k) = k < 96 ? 127 : -127;
  const Packed packed(weights);
  size_t finer = 0;
  for (size_t n = 0; n < 8; ++n) {
    for (size_t g = 0; g < 3; ++g) {
      const double before = weights.scales.at(n, g), after = packed.scales[g * 8 + n];
      finer += after == before;
      CHECK(std::abs(after) <= std::abs(before) * 1016.0 / 254 * 1.0001);
      for (size_t k = 64 * g; k < 64 * (g + 1); k += 16) {
        const auto at = [&](size_t i) { return packed.panels[(k + i) / 4 * 32 + n * 4 + i % 4]; };
        for (size_t i : {0, 2}) {
          int low = 0, high = 0;
          for (size_t j : {i, i + 1, i + 4, i + 5, i + 8, i + 9, i + 12, i + 13}) {
            (at(j) < 0 ? low : high) += 127 * at(j);
            const double error = after * at(j) - before * weights.values.at(n, k + j);
            CHECK(std::abs(error) <= std::abs(after) * (after == before ? 0 : 0.5001));
          }
          CHECK((low >= -32768 && high <= 32767));
        }
      }
    }
  }
  CHECK(packed.scales[0] == weights.scales.at(0, 0));
  CHECK(packed.scales[8] == weights.scales.at(0, 1));
  CHECK(packed.scales[16] == weights.scales.at(0, 2));
  CHECK(packed.scales[1] == weights.scales.at(1, 0) * (1016.0f / 254));
  CHECK(finer < 12);
}

TEST_CASE("packing in place equals packing apart") {
  Random random(11);
  const Int8Weights weights = RandomWeights(random, 24, 40, 32);
  const Packed apart(weights);
  Int8Weights copy = weights;
  std::vector<int8_t> scratch(8 * 40);
  Packed in_place(weights);
  PackI8(copy.values.view(), copy.scales.view(), 32,
         {copy.values.values, in_place.scales, in_place.sums}, scratch, PanelOrder::kFours);
  CHECK(copy.values.values == apart.panels);
  CHECK(in_place.sums == apart.sums);
  CHECK(in_place.scales == apart.scales);
}

TEST_CASE("int8 products equal the twin in every form, for 1 to 17 rows and odd sizes") {
  Random random(13);
  for (size_t rows = 1; rows <= 17; ++rows) {
    for (auto [outputs, inputs] : {std::array<size_t, 2>{1, 1}, {3, 5}, {7, 37}, {8, 64}, {9, 65},
                                   {24, 24}, {37, 100}, {40, 129}}) {
      const Int8Weights weights = RandomWeights(random, outputs, inputs, 32 << rows % 3);
      const Packed packed(weights);
      const Matrix<float> x = random.FloatMatrix(rows, inputs, 3);
      const std::vector<float> scale = random.Floats(inputs, 2), bias = random.Floats(outputs);
      const std::vector<float> input_scale = rows % 2 == 0 ? scale : std::vector<float>();
      const std::vector<float> used_bias = rows % 5 == 0 ? std::vector<float>() : bias;
      const Matrix<float> expected = MatMulI8(x, input_scale, weights, used_bias);
      CAPTURE(rows, outputs, inputs);
      for (const Matrix<float>& result : AllForms(x, input_scale, weights, used_bias)) {
        CHECK(CountDifferentBits(result.values, expected.values) == 0);
      }
    }
  }
}

TEST_CASE("an int8 product is that of the weights it stands for, but for half a code step") {
  Random random(15);
  const Int8Weights weights = RandomWeights(random, 9, 200, 64);
  const Matrix<float> x = random.FloatMatrix(5, 200, 2);
  const Matrix<float> result = AllForms(x, {}, weights, {}).front();
  for (size_t m = 0; m < x.rows; ++m) {
    const std::vector<float> row(x.values.begin() + m * x.cols,
                                 x.values.begin() + (m + 1) * x.cols);
    const auto codes = reference::QuantizeRow(row, {}, 64);
    for (size_t n = 0; n < 9; ++n) {
      double exact = 0, bound = 1e-4;
      for (size_t k = 0; k < x.cols; ++k) {
        const double scale = weights.scales.at(n, k / 64);
        const double w = scale * weights.values.at(n, k);
        exact += w * row[k];
        bound += std::abs(w) * codes.scales[k / 64] / 2;
      }
      CHECK(std::abs(result.at(m, n) - exact) <= bound);
    }
  }
}

TEST_CASE("int8 products are exact at the extremes, where 16-bit sums would overflow") {
  // Codes 0 and 127 against weights whose sums in 16 bits are the greatest that packing lets be.
  constexpr size_t kInputs = 512;
  Int8Weights weights{Matrix<int8_t>(8, kInputs), Matrix<float>(8, 1), kInputs};
  for (size_t n = 0; n < 8; ++n) {
    weights.scales.at(n, 0) = 1;
    for (size_t k = 0; k < kInputs; ++k) {
      const int sign = n % 2 == 0 ? 1 : -1;
      const size_t block = k % 16 / 4;  // one of four that share sums
      const int positive[] = {127, 2, 0, 0};  // 2 * 127 + 2 * 2 = 258
      const int both[] = {127, -127, 2, -2};
      weights.values.at(n, k) = static_cast<int8_t>(sign * (n < 4 ? positive : both)[block]);
    }
  }
  Matrix<float> x(4, kInputs);
  for (size_t i = 0; i < x.values.size(); ++i) x.values[i] = i % kInputs == 0 ? 0 : 127;
  const Matrix<float> expected = MatMulI8(x, {}, weights, {});
  CHECK(expected.at(0, 0) == 127.0f * (127 * 127 + 2 * 128));
  for (const Matrix<float>& result : AllForms(x, {}, weights, {})) {
    CHECK(CountDifferentBits(result.values, expected.values) == 0);
  }
}

TEST_CASE("the instruction for byte products equals its plain twin for all operands in range") {
  namespace simd = pocketbert::simd;
  for (int w = -127; w <= 127; ++w) {
    for (int a = 0; a <= 127; ++a) {
      const auto weights = simd::hn::Set(simd::I8(), static_cast<int8_t>(w));
      const auto codes = simd::hn::Set(simd::U8(), static_cast<uint8_t>(a));
      const auto by_instruction = simd::DotPairs(weights, codes);
      const auto plain = simd::DotPairsPlain(weights, codes);
      REQUIRE(simd::hn::AllTrue(simd::I16(), simd::hn::Eq(by_instruction, plain)));
      REQUIRE(simd::hn::GetLane(plain) == 2 * w * a);
    }
  }
}

TEST_CASE("the probe of the fused dot product gives a value that is known") {
  const int32_t probe = pocketbert::ProbeRelaxedDot();
  std::printf("relaxed dot probe: %d (%s)\n", probe,
              pocketbert::RelaxedDotForm() == DotForm::kFused ? "fused" : "split");
  CHECK((probe == 129540 || probe == -508 || probe == 65534 || probe == -1532 ||
         probe == 131068));
}
