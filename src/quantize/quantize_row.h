#pragma once
// Symmetric int8 quantization of one row of weights, and how much it loses.

#include <cstdint>
#include <span>

namespace pocketbert {

// Sums over quantized weights; the relative error is sqrt(error / energy).
struct QuantizationLoss {
  double error = 0;   // sum of (w - w')^2
  double energy = 0;  // sum of w^2

  // 0 for all-zero weights. The signal-to-noise ratio in dB is -20 log10 of it.
  double RelativeError() const;
};

// Writes values in [-127, 127] with row[k] ~ scale * values[k] and returns the scale, max|row| / 127
// (0 for a row of zeros). Rounds to nearest, ties to even; plain IEEE float arithmetic, so the same
// bits everywhere. `row` must be finite.
float QuantizeRow(std::span<const float> row, std::span<int8_t> values);

// Adds the loss of one row to `loss`, in order of the elements.
void AddLoss(std::span<const float> row, std::span<const int8_t> values, float scale,
             QuantizationLoss& loss);

// True if no element is infinite or not a number.
bool AllFinite(std::span<const float> values);

}  // namespace pocketbert
