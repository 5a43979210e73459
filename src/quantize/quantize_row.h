#pragma once
// Symmetric int8 quantization of weights, a scale for each group of columns of a row, and how much
// it loses.

#include <cstddef>
#include <cstdint>
#include <span>

namespace pocketbert {

// Columns that share a scale; the last group of a row may be shorter.
inline constexpr size_t kGroupSize = 128;

inline constexpr size_t WeightGroups(size_t cols) { return (cols + kGroupSize - 1) / kGroupSize; }

// Sums over quantized weights w, stored as w'.
struct QuantizationLoss {
  double error = 0;   // sum of (w - w')^2
  double energy = 0;  // sum of w^2

  // sqrt(error / energy); 0 for all-zero weights. The signal-to-noise ratio in dB is -20 log10 of
  // it.
  double RelativeError() const;
};

// What a row is for. kProduct: for matrix products, which sum some of its values in 16 bits
// (kernels/pack_i8.h). kLookup: for an embedding table.
enum class RowUse { kLookup, kProduct };

// Writes values in [-127, 127] with row[k] ~ scales[k / kGroupSize] * values[k], adds to `loss`.
// scale = limit / 127 (1 where that is 0), value = row[k] / scale rounded to nearest, ties to even:
// plain IEEE float arithmetic, so the same bits everywhere. limit is max|row| over the group; for
// kProduct half the greatest sum of weights of one sign within a lane, if that is more: a lane's
// values then add up to 2 * 127 and eight roundings, 258 at most. `row` must be finite; `scales`
// [WeightGroups(row.size())].
void QuantizeRow(std::span<const float> row, RowUse use, std::span<int8_t> values,
                 std::span<float> scales, QuantizationLoss& loss);

// sqrt(sum_k row[k]^2).
double RowNorm(std::span<const float> row);

}  // namespace pocketbert
