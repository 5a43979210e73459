#include "kernels/softmax.h"

#include <algorithm>

#include "kernels/simd.h"

namespace pocketbert {

namespace {

using namespace simd;  // NOLINT: the vocabulary of a kernel file

// `count` >= 1.
float MaxOfRow(const float* row, size_t count) {
  const F32 tag;
  float greatest = row[0];
  size_t i = 0;
  if (count >= kLanes) {
    VecF32 lanes = hn::LoadU(tag, row);
    for (i = kLanes; i + kLanes <= count; i += kLanes) {
      lanes = Greater(lanes, hn::LoadU(tag, row + i));
    }
    greatest = GreatestLane(lanes);
  }
  for (; i < count; ++i) greatest = std::max(greatest, row[i]);
  return greatest;
}

HWY_NOINLINE void SoftmaxRow(float scale, float* row, size_t count) {
  const F32 tag;
  const VecF32 greatest = hn::Set(tag, MaxOfRow(row, count));
  const VecF32 scales = hn::Set(tag, scale);
  MapRow(row, row, count,
         [&](VecF32 v) { return Exp(hn::Mul(hn::Sub(v, greatest), scales)); });
  const float sum = SumRow(row, count, [](VecF32 e) { return e; });
  const VecF32 inverse = hn::Set(tag, 1.0f / sum);
  MapRow(row, row, count, [&](VecF32 e) { return hn::Mul(e, inverse); });
}

}  // namespace

void Softmax(float scale, TensorView<float> rows) {
  if (rows.cols == 0) return;
  for (size_t r = 0; r < rows.rows; ++r) SoftmaxRow(scale, rows.data + r * rows.stride, rows.cols);
}

}  // namespace pocketbert
