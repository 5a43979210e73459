#include "quantize/quantize_row.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "kernels/pack_i8.h"

namespace pocketbert {
namespace {

constexpr float kMaxValue = 127;

// The greatest sum of weights of one sign within a lane: of 16 columns, those with even k / 2 are
// one lane, the others another.
float GreatestLaneSum(std::span<const float> weights) {
  constexpr size_t kLaneCols = PackedI8::kLaneBlocks * PackedI8::kBlockCols;
  float greatest = 0;
  for (size_t begin = 0; begin < weights.size(); begin += kLaneCols) {
    float positive[2] = {0, 0}, negative[2] = {0, 0};
    for (size_t k = begin; k < std::min(weights.size(), begin + kLaneCols); ++k) {
      positive[k / 2 % 2] += std::max(weights[k], 0.0f);
      negative[k / 2 % 2] -= std::min(weights[k], 0.0f);
    }
    greatest = std::max({greatest, positive[0], positive[1], negative[0], negative[1]});
  }
  return greatest;
}

float QuantizeGroup(std::span<const float> weights, RowUse use, std::span<int8_t> values) {
  float limit = 0;
  for (const float weight : weights) limit = std::max(limit, std::fabs(weight));
  if (use == RowUse::kProduct) limit = std::max(limit, GreatestLaneSum(weights) / 2);
  float scale = limit / kMaxValue;
  if (scale == 0) scale = 1;  // zeros, or so small that they are zeros in this scale too
  for (size_t k = 0; k < weights.size(); ++k) {
    // A subnormal scale can be so coarse that the quotient exceeds 127; weights so large that the
    // scale is infinite give some value, too.
    const float rounded = std::rint(weights[k] / scale);
    values[k] = static_cast<int8_t>(std::max(-kMaxValue, std::min(kMaxValue, rounded)));
  }
  return scale;
}

void AddLoss(std::span<const float> weights, std::span<const int8_t> values, float scale,
             QuantizationLoss& loss) {
  for (size_t k = 0; k < weights.size(); ++k) {
    const double weight = static_cast<double>(weights[k]);
    const double error = weight - static_cast<double>(scale) * static_cast<double>(values[k]);
    loss.error += error * error;
    loss.energy += weight * weight;
  }
}

}  // namespace

double QuantizationLoss::RelativeError() const {
  return energy > 0 ? std::sqrt(error / energy) : 0;
}

void QuantizeRow(std::span<const float> row, RowUse use, std::span<int8_t> values,
                 std::span<float> scales, QuantizationLoss& loss) {
  PB_CHECK(row.size() == values.size() && scales.size() == WeightGroups(row.size()));
  for (size_t g = 0; g < scales.size(); ++g) {
    const size_t begin = g * kGroupSize;
    const size_t count = std::min(kGroupSize, row.size() - begin);
    const std::span<const float> weights = row.subspan(begin, count);
    scales[g] = QuantizeGroup(weights, use, values.subspan(begin, count));
    AddLoss(weights, values.subspan(begin, count), scales[g], loss);
  }
}

double RowNorm(std::span<const float> row) {
  double sum = 0;
  for (const float weight : row) {
    sum += static_cast<double>(weight) * static_cast<double>(weight);
  }
  return std::sqrt(sum);
}

}  // namespace pocketbert
