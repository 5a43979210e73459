#include "quantize/quantize_row.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace pocketbert {
namespace {

constexpr float kMaxValue = 127;

float QuantizeGroup(std::span<const float> weights, std::span<int8_t> values) {
  float largest = 0;
  for (const float weight : weights) largest = std::max(largest, std::fabs(weight));
  float scale = largest / kMaxValue;
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

void QuantizeRow(std::span<const float> row, std::span<int8_t> values, std::span<float> scales,
                 QuantizationLoss& loss) {
  PB_CHECK(row.size() == values.size() && scales.size() == WeightGroups(row.size()));
  for (size_t g = 0; g < scales.size(); ++g) {
    const size_t begin = g * kGroupSize;
    const size_t count = std::min(kGroupSize, row.size() - begin);
    const std::span<const float> weights = row.subspan(begin, count);
    scales[g] = QuantizeGroup(weights, values.subspan(begin, count));
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

bool AllFinite(std::span<const float> values) {
  // 0 * x is 0 for finite x, else not a number.
  float poison = 0;
  for (const float value : values) poison += value * 0.0f;
  return poison == 0;
}

}  // namespace pocketbert
