#pragma once
// Product of quantized activations and int8 weights.

#include <cstdint>
#include <span>

#include "base/tensor.h"
#include "kernels/pack_i8.h"
#include "kernels/quantize_rows.h"

namespace pocketbert {

// c[m][n]: t = bias[n], or 0; for each group g in order
//   t = t + (dot * weight_scale[n][g]) * scale[m][g]
//   t = t + offset[m][g] * weight_sum[n][g]
// dot is the integer product of row m's codes and row n's int8 values
// within group g, exact; weights, scales and sums are PackedI8's. Float operations are rounded one
// by one. An element depends on row m and row n only. `c` [a's rows, weights.rows]; `bias`
// [weights.rows] or empty.
//
// With codes as bytes (weights in PanelOrder::kFours): by relaxed SIMD or its equal, in the form
// that RelaxedDotForm() tells.
enum class DotForm { kSplit, kFused };
void MatMulI8(const QuantizedRows<uint8_t>& a, const PackedI8& weights,
              std::span<const float> bias, DotForm form, TensorView<float> c);
// With codes as 16-bit integers (weights in PanelOrder::kTwos): by instructions that every engine
// has.
void MatMulI8(const QuantizedRows<int16_t>& a, const PackedI8& weights,
              std::span<const float> bias, TensorView<float> c);

// What one fused relaxed dot product of weights 127 and activations 255 (beyond the range in which
// its result is defined) gives on this machine: tells how the engine compiles it.
//   129540  VPDPBUSD                 65534  pmaddubsw + pmaddwd
//   -508    signed dot               -1532  no such instruction: the plain twin
//   131068  node 20, whose fused form is wrong even within the range
int32_t ProbeRelaxedDot();

// kFused where the probe shows a real dot product instruction, else kSplit, which is right
// everywhere and faster than an emulated fused form. Costs a few nanoseconds.
DotForm RelaxedDotForm();

// The form that is best here, chosen anew at each call.
inline void MatMulI8(const QuantizedRows<uint8_t>& a, const PackedI8& weights,
                     std::span<const float> bias, TensorView<float> c) {
  MatMulI8(a, weights, bias, RelaxedDotForm(), c);
}

}  // namespace pocketbert
