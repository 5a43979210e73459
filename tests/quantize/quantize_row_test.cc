#include "quantize/quantize_row.h"

#include <catch2/catch_amalgamated.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/elementwise.h"
#include "reference/weight_quantization.h"

namespace pocketbert {
namespace {

using reference::QuantizedWeights;
using reference::QuantizeWeights;
using reference::Weights;

struct Quantized {
  std::vector<int8_t> values;
  std::vector<float> scales;
  QuantizationLoss loss;
};

Quantized Quantize(const std::vector<float>& row, RowUse use = RowUse::kLookup) {
  Quantized result{
      std::vector<int8_t>(row.size()), std::vector<float>(WeightGroups(row.size())), {}};
  QuantizeRow(row, use, result.values, result.scales, result.loss);
  return result;
}

TEST_CASE("rows of all lengths equal the definition, bit for bit") {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 0.05f);
  const RowUse use = GENERATE(RowUse::kLookup, RowUse::kProduct);
  for (const size_t cols : {1, 2, 24, 127, 128, 129, 255, 256, 257, 384, 896}) {
    Weights weights{3, cols, {}};
    for (size_t i = 0; i < 3 * cols; ++i) weights.values.push_back(normal(random));
    const QuantizedWeights expected = QuantizeWeights(weights, 128, use == RowUse::kProduct);
    std::vector<int8_t> values;
    std::vector<float> scales;
    QuantizationLoss loss;
    for (size_t r = 0; r < 3; ++r) {
      const std::vector<float> row(weights.values.begin() + static_cast<ptrdiff_t>(r * cols),
                                   weights.values.begin() + static_cast<ptrdiff_t>((r + 1) * cols));
      Quantized part = Quantize(row, use);
      values.insert(values.end(), part.values.begin(), part.values.end());
      scales.insert(scales.end(), part.scales.begin(), part.scales.end());
      loss.error += part.loss.error;
      loss.energy += part.loss.energy;
    }
    INFO(cols);
    CHECK(values == expected.values);
    CHECK(scales == expected.scales);
    CHECK(loss.RelativeError() == Catch::Approx(expected.relative_error).epsilon(1e-12));
    if (cols > 1) CHECK(loss.RelativeError() < 0.02);
  }
}

TEST_CASE("values of a lane add up to 258 at most, and are as fine as that lets them be") {
  std::mt19937 random(8);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (int round = 0; round < 200; ++round) {
    std::vector<float> row(128);
    for (float& weight : row) weight = uniform(random);
    for (float& weight : row) weight = round % 2 == 0 ? weight : std::fabs(weight);
    const Quantized q = Quantize(row, RowUse::kProduct);
    int greatest = 0, greatest_sum = 0;
    for (size_t lane = 0; lane < 128; lane += lane % 16 == 0 ? 2 : 14) {
      int positive = 0, negative = 0;
      for (const size_t j : {0, 1, 4, 5, 8, 9, 12, 13}) {
        const int value = q.values[lane + j];
        (value > 0 ? positive : negative) += value;
        greatest = std::max(greatest, std::abs(value));
      }
      greatest_sum = std::max({greatest_sum, positive, -negative});
    }
    CHECK(greatest_sum <= 258);
    CHECK((greatest == 127 || greatest_sum >= 250));
  }
}

TEST_CASE("the largest weight of a group becomes 127, ties go to the even value") {
  // Scale 1: values are the weights themselves, halves are ties.
  const Quantized q = Quantize({127.0f, -127.0f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 63.5f, 0.0f});
  CHECK(q.scales == std::vector<float>{1.0f});
  CHECK(q.values == std::vector<int8_t>{127, -127, 0, 2, 2, 0, -2, 64, 0});
}

TEST_CASE("zeros and very small weights") {
  const Quantized zeros = Quantize(std::vector<float>(5));
  CHECK(zeros.scales == std::vector<float>{1.0f});
  CHECK(zeros.values == std::vector<int8_t>(5));
  CHECK(zeros.loss.RelativeError() == 0);
  const float smallest = std::numeric_limits<float>::denorm_min();
  const Quantized tiny = Quantize({smallest, -3 * smallest});
  CHECK(tiny.values == std::vector<int8_t>{0, 0});
  const Quantized subnormal = Quantize({200 * smallest, -300 * smallest, 3 * smallest});
  CHECK(subnormal.values[1] == -127);
  for (const int8_t value : subnormal.values) CHECK(std::abs(value) <= 127);
}

TEST_CASE("weights beyond what a scale can hold end in some value") {
  const float inf = std::numeric_limits<float>::infinity();
  for (const int8_t value : Quantize({inf, -inf, 0.0f, 1.0f}).values) CHECK(std::abs(value) <= 127);
}

TEST_CASE("finite or not") {
  CHECK(AllFinite(std::vector<float>{0.0f, -1e38f, 1e-45f}));
  CHECK(AllFinite({}));
  CHECK_FALSE(AllFinite(std::vector<float>{1.0f, std::numeric_limits<float>::infinity()}));
  CHECK_FALSE(AllFinite(std::vector<float>{-std::numeric_limits<float>::infinity(), 1.0f}));
  CHECK_FALSE(AllFinite(std::vector<float>{std::nanf(""), 1.0f}));
}

TEST_CASE("the norm of a row") {
  CHECK(RowNorm(std::vector<float>{3.0f, 4.0f}) == 5.0);
  CHECK(RowNorm(std::vector<float>{1e30f}) == static_cast<double>(1e30f));
}

}  // namespace
}  // namespace pocketbert
