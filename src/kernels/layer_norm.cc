#include "kernels/layer_norm.h"

#include <cmath>

#include "kernels/simd.h"

namespace pocketbert {

namespace {

using namespace simd;  // NOLINT: the vocabulary of a kernel file

HWY_NOINLINE void LayerNormRow(const float* x, size_t width, const LayerNormParameters& parameters,
                               float* y) {
  const F32 tag;
  const float count = static_cast<float>(width);
  const VecF32 mean = hn::Set(tag, SumRow(x, width, [](VecF32 v) { return v; }) / count);
  MapRow(x, y, width, [&](VecF32 v) { return hn::Sub(v, mean); });
  const float variance = SumRow(y, width, [](VecF32 v) { return hn::Mul(v, v); }) / count;
  const VecF32 inverse = hn::Set(tag, 1.0f / std::sqrt(variance + parameters.epsilon));
  const float* gamma = parameters.gamma.data();
  const float* beta = parameters.beta.data();
  for (size_t i = 0; i < width; i += kLanes) {
    const VecF32 scaled = hn::Mul(hn::Mul(LoadInRow(y, i, width), inverse),
                                  LoadInRow(gamma, i, width));
    const VecF32 shifted = hn::Add(scaled, LoadInRow(beta, i, width));
    if (i + kLanes <= width) {
      hn::StoreU(shifted, tag, y + i);
    } else {
      StorePart(shifted, y + i, width - i);
    }
  }
}

}  // namespace

void LayerNorm(TensorView<const float> input, const LayerNormParameters& parameters,
               TensorView<float> output) {
  PB_CHECK(input.rows == output.rows && input.cols == output.cols);
  PB_CHECK(parameters.gamma.size() == input.cols && parameters.beta.size() == input.cols);
  for (size_t r = 0; r < input.rows; ++r) {
    LayerNormRow(input.data + r * input.stride, input.cols, parameters,
                 output.data + r * output.stride);
  }
}

}  // namespace pocketbert
