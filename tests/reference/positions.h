#pragma once
// Slow twins of what positions do: rotary angles, buckets of distances. Straight from the papers'
// formulas, with the C library's functions.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "nn/config.h"
#include "reference/matrix.h"

namespace reference {

// RoFormer, with pairs (i, i + half): turns the heads of row `position` of x.
template <typename T>
void Turn(const pocketbert::EncoderConfig& config, bool local, size_t position, size_t row,
          Matrix<T>& x) {
  const size_t size = config.head_size();
  const double theta = double{local ? config.rotary_local_theta : config.rotary_theta};
  for (size_t i = 0; i < size / 2; ++i) {
    // Frequencies and angles are float32 numbers, as in the reference.
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(size);
    const float power = static_cast<float>(std::pow(theta, double{exponent}));
    const float angle = static_cast<float>(position) * (1.0f / power / config.rotary_factor);
    const T cosine = static_cast<float>(std::cos(double{angle}));
    const T sine = static_cast<float>(std::sin(double{angle}));
    for (size_t head = 0; head < x.cols; head += size) {
      const T a = x.at(row, head + i), b = x.at(row, head + i + size / 2);
      x.at(row, head + i) = a * cosine - b * sine;
      x.at(row, head + i + size / 2) = b * cosine + a * sine;
    }
  }
}

// T5 and MPNet: 16 buckets for each direction, 8 of them for the distances 0 to 7, the others for
// those up to 128 by their logarithm. `distance` = key - query.
inline size_t BiasBucket(int64_t distance) {
  const double n = std::abs(static_cast<double>(distance));
  const size_t direction = distance > 0 ? 16 : 0;
  if (n < 8) return direction + static_cast<size_t>(n);
  const double large = 8 + std::log(n / 8) / std::log(128.0 / 8) * 8;
  // Powers of two are exact; their quotient of logarithms is off by a rounding error.
  return direction + std::min<size_t>(static_cast<size_t>(large + 1e-9), 15);
}

// DeBERTa v2: the row for `distance` = query - key.
inline size_t DistanceRow(const pocketbert::EncoderConfig& config, int64_t distance) {
  const auto buckets = static_cast<double>(config.relative_buckets);
  const double middle = std::floor(buckets / 2);
  double bucket = static_cast<double>(distance);
  if (buckets > 0 && std::abs(bucket) > middle) {
    const double last = static_cast<double>(config.relative_max_distance) - 1;
    const double log_position = std::ceil(std::log(std::abs(bucket) / middle) /
                                          std::log(last / middle) * (middle - 1)) +
                                middle;
    bucket = bucket < 0 ? -log_position : log_position;
  }
  const auto span = static_cast<double>(config.relative_span());
  return static_cast<size_t>(std::clamp(bucket + span, 0.0, 2 * span - 1));
}

}  // namespace reference
