#pragma once
// Sums, products and lookups that touch each element once.

#include <cstdint>
#include <span>

#include "base/tensor.h"

namespace pocketbert {

// sum[i] += values[i]; equal sizes.
void Add(std::span<const float> values, std::span<float> sum);

// row[i] = scale * values[i]: a row of an int8 embedding table. Equal sizes.
void ExpandI8(std::span<const int8_t> values, float scale, std::span<float> row);

// sum[i] += scale * values[i]; product and sum are rounded one after the other.
void AddExpandedI8(std::span<const int8_t> values, float scale, std::span<float> sum);

// values[i] *= factor.
void Scale(float factor, std::span<float> values);

// greatest[i] = max(greatest[i], values[i]).
void MaxInto(std::span<const float> values, std::span<float> greatest);

// sum[i] += weight * values[i]; product and sum are rounded one after the other.
void AddScaled(float weight, std::span<const float> values, std::span<float> sum);

// Divides the row by max(its Euclidean length, 1e-12), as torch.nn.functional.normalize does.
void NormalizeRow(std::span<float> row);

}  // namespace pocketbert
