#pragma once
// Layer normalization (Ba, Kiros & Hinton 2016).

#include <span>

#include "base/tensor.h"

namespace pocketbert {

// Per row x of `input` [rows, width], into `output` (which may be the same matrix):
//   mean = sum(x) / width, variance = sum((x - mean)^2) / width,
//   y = (x - mean) * (1 / sqrt(variance + epsilon)) * gamma + beta
// evaluated from left to right; sums as in simd.h's SumAt.
struct LayerNormParameters {
  std::span<const float> gamma;  // [width]
  std::span<const float> beta;   // [width]
  float epsilon;
};
void LayerNorm(TensorView<const float> input, const LayerNormParameters& parameters,
               TensorView<float> output);

// sum += residual, then output = LayerNorm(sum); all [rows, width]. `output` may be `sum`.
void AddAndNorm(TensorView<const float> residual, TensorView<float> sum,
                const LayerNormParameters& parameters, TensorView<float> output);

}  // namespace pocketbert
