#pragma once
// Quantization of activations to 7 bits, at run time.

#include <cstdint>
#include <span>

#include "base/tensor.h"
#include "kernels/activation.h"
#include "kernels/pack_i8.h"

namespace pocketbert {

// Rows of codes in [0, 127]; value = scale * code + offset, with a scale and an offset per row and
// group of `group_size` columns. A view of memory that somebody else owns. Code is uint8_t or, for
// the GEMM without relaxed SIMD, int16_t.
template <typename Code>
struct QuantizedRows {
  TensorView<Code> codes;     // [rows, PackedI8::PaddedCols(cols)]; zeros past cols
  TensorView<float> scales;   // [rows, groups]
  TensorView<float> offsets;  // [rows, groups]
  size_t cols;
  size_t group_size;
};

// Quantizes activation(input) into `output`; `input` [rows, cols]. With y[k] = activation(x[k]) *
// input_scale[k] (`input_scale` [cols], or empty: y = activation(x)), low and high the extremes of y
// over a group:
//   scale = (high - low) * (1 / 127), offset = low,
//   code = round((y - low) * (127 / (high - low))), ties to even
// A group whose range is not above 1e-30 gets codes and scale 0.
template <typename Code>
void QuantizeRows(TensorView<const float> input, std::span<const float> input_scale,
                  const QuantizedRows<Code>& output,
                  Activation activation = Activation::kLinear);

extern template void QuantizeRows(TensorView<const float>, std::span<const float>,
                                  const QuantizedRows<uint8_t>&, Activation);
extern template void QuantizeRows(TensorView<const float>, std::span<const float>,
                                  const QuantizedRows<int16_t>&, Activation);

}  // namespace pocketbert
