#include "quantize/quantize_row.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace pocketbert {
namespace {

constexpr float kMaxValue = 127;

}  // namespace

double QuantizationLoss::RelativeError() const {
  return energy > 0 ? std::sqrt(error / energy) : 0;
}

float QuantizeRow(std::span<const float> row, std::span<int8_t> values) {
  PB_CHECK(row.size() == values.size());
  float largest = 0;
  for (const float weight : row) largest = std::max(largest, std::fabs(weight));
  const float scale = largest / kMaxValue;
  if (scale == 0) {
    std::fill(values.begin(), values.end(), int8_t{0});
    return 0;
  }
  for (size_t k = 0; k < row.size(); ++k) {
    // A subnormal scale can be so coarse that the quotient exceeds 127.
    const float rounded = std::rint(row[k] / scale);
    values[k] = static_cast<int8_t>(std::clamp(rounded, -kMaxValue, kMaxValue));
  }
  return scale;
}

void AddLoss(std::span<const float> row, std::span<const int8_t> values, float scale,
             QuantizationLoss& loss) {
  for (size_t k = 0; k < row.size(); ++k) {
    const double weight = static_cast<double>(row[k]);
    const double error = weight - static_cast<double>(scale) * static_cast<double>(values[k]);
    loss.error += error * error;
    loss.energy += weight * weight;
  }
}

bool AllFinite(std::span<const float> values) {
  // 0 * x is 0 for finite x, else not a number.
  float poison = 0;
  for (const float value : values) poison += value * 0.0f;
  return poison == 0;
}

}  // namespace pocketbert
