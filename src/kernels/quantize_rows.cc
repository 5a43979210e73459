#include "kernels/quantize_rows.h"

#include <algorithm>

#include "kernels/simd.h"

namespace pocketbert {

namespace {

using namespace simd;  // NOLINT: the vocabulary of a kernel file

// One group of one row: elements x[0, count), scaled by input_scale[k] unless that is null.
struct Group {
  const float* x;
  const float* input_scale;
  size_t count;

  VecF32 Vector(size_t k) const {
    const VecF32 v = hn::LoadU(F32(), x + k);
    return input_scale == nullptr ? v : hn::Mul(v, hn::LoadU(F32(), input_scale + k));
  }
  float Scalar(size_t k) const { return input_scale == nullptr ? x[k] : x[k] * input_scale[k]; }
};

struct Extremes {
  float low, high;
};

Extremes FindExtremes(const Group& group) {
  float low = group.Scalar(0);
  float high = low;
  size_t k = 0;
  if (group.count >= kLanes) {
    VecF32 lows = group.Vector(0);
    VecF32 highs = lows;
    for (k = kLanes; k + kLanes <= group.count; k += kLanes) {
      const VecF32 v = group.Vector(k);
      lows = Lesser(lows, v);
      highs = Greater(highs, v);
    }
    low = LeastLane(lows);
    high = GreatestLane(highs);
  }
  for (; k < group.count; ++k) {
    low = std::min(low, group.Scalar(k));
    high = std::max(high, group.Scalar(k));
  }
  return {low, high};
}

// Codes of elements [k, k + 4).
VecI32 CodesAt(const Group& group, size_t k, VecF32 low, VecF32 inverse) {
  return RoundToInt(hn::Mul(hn::Sub(group.Vector(k), low), inverse));
}

void Store16(const VecI32 (&codes)[4], uint8_t* to) {
  const VecI16 first = hn::OrderedDemote2To(I16(), codes[0], codes[1]);
  const VecI16 second = hn::OrderedDemote2To(I16(), codes[2], codes[3]);
  hn::StoreU(hn::OrderedDemote2To(U8(), first, second), U8(), to);
}

void Store16(const VecI32 (&codes)[4], int16_t* to) {
  hn::StoreU(hn::OrderedDemote2To(I16(), codes[0], codes[1]), I16(), to);
  hn::StoreU(hn::OrderedDemote2To(I16(), codes[2], codes[3]), I16(), to + 8);
}

template <typename Code>
HWY_NOINLINE void QuantizeGroup(const Group& group, Extremes extremes, float inverse, Code* to) {
  const VecF32 low = hn::Set(F32(), extremes.low);
  const VecF32 inverses = hn::Set(F32(), inverse);
  size_t k = 0;
  for (; k + 4 * kLanes <= group.count; k += 4 * kLanes) {
    const VecI32 codes[4] = {CodesAt(group, k, low, inverses),
                             CodesAt(group, k + kLanes, low, inverses),
                             CodesAt(group, k + 2 * kLanes, low, inverses),
                             CodesAt(group, k + 3 * kLanes, low, inverses)};
    Store16(codes, to + k);
  }
  for (; k < group.count; ++k) {
    const VecF32 y = hn::Set(F32(), group.Scalar(k));
    const int32_t code = hn::GetLane(RoundToInt(hn::Mul(hn::Sub(y, low), inverses)));
    to[k] = static_cast<Code>(std::clamp(code, 0, 255));
  }
}

}  // namespace

template <typename Code>
void QuantizeRows(TensorView<const float> input, std::span<const float> input_scale,
                  const QuantizedRows<Code>& output, Activation activation) {
  const size_t cols = input.cols;
  const size_t group_size = output.group_size;
  PB_CHECK(output.cols == cols && output.codes.cols == PackedI8::PaddedCols(cols));
  PB_CHECK(output.codes.rows == input.rows && output.scales.rows == input.rows);
  PB_CHECK(output.scales.cols == PackedI8::GroupCount(cols, group_size));
  PB_CHECK(output.offsets.rows == input.rows && output.offsets.cols == output.scales.cols);
  PB_CHECK(input_scale.empty() || input_scale.size() == cols);
  // One group's activated values, which never leave the first-level cache.
  alignas(16) float activated[kMaxGroupSize];
  PB_CHECK(group_size <= kMaxGroupSize);
  for (size_t r = 0; r < input.rows; ++r) {
    const std::span<Code> codes = output.codes.Row(r);
    const float* x = input.data + r * input.stride;
    for (size_t g = 0; g < output.scales.cols; ++g) {
      const size_t begin = g * group_size;
      Group group{x + begin, input_scale.empty() ? nullptr : input_scale.data() + begin,
                  std::min(cols - begin, group_size)};
      if (activation != Activation::kLinear) {
        Activate(activation, {group.x, 1, group.count}, {activated, 1, group.count});
        group.x = activated;
      }
      const Extremes extremes = FindExtremes(group);
      const float range = extremes.high - extremes.low;
      const bool flat = !(range > 1e-30f);
      output.scales.Row(r)[g] = flat ? 0.0f : range * (1.0f / 127.0f);
      output.offsets.Row(r)[g] = extremes.low;
      QuantizeGroup(group, extremes, flat ? 0.0f : 127.0f / range, codes.data() + begin);
    }
    std::fill(codes.begin() + cols, codes.end(), Code{0});
  }
}

template void QuantizeRows(TensorView<const float>, std::span<const float>,
                           const QuantizedRows<uint8_t>&, Activation);
template void QuantizeRows(TensorView<const float>, std::span<const float>,
                           const QuantizedRows<int16_t>&, Activation);

}  // namespace pocketbert
