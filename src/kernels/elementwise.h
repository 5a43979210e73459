#pragma once
// Sums, products and lookups that touch each element once.

#include <cstdint>
#include <span>

#include "base/tensor.h"

namespace pocketbert {

// sum[i] += values[i]; equal sizes.
void Add(std::span<const float> values, std::span<float> sum);

// product[i] *= values[i]; equal sizes.
void Multiply(std::span<const float> values, std::span<float> product);

// A row of int8 values with a scale for every `group_size` of them (the last group may be shorter).
struct ScaledI8 {
  std::span<const int8_t> values;
  std::span<const float> scales;  // [groups]
  size_t group_size;
};

// row[i] = scale[group of i] * values[i]. Equal sizes.
void ExpandI8(const ScaledI8& scaled, std::span<float> row);

// sum[i] += scale[group of i] * values[i]; product and sum are rounded one after the other.
void AddExpandedI8(const ScaledI8& scaled, std::span<float> sum);

// values[i] *= factor.
void Scale(float factor, std::span<float> values);

// greatest[i] = max(greatest[i], values[i]).
void MaxInto(std::span<const float> values, std::span<float> greatest);

// sum[i] += weight * values[i]; product and sum are rounded one after the other.
void AddScaled(float weight, std::span<const float> values, std::span<float> sum);

// Divides the row by max(its Euclidean length, 1e-12), as torch.nn.functional.normalize does.
void NormalizeRow(std::span<float> row);

// True if no element is infinite or not a number.
bool AllFinite(std::span<const float> values);

}  // namespace pocketbert
