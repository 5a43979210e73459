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
  const float mean = SumRow(width, [&](size_t i) { return LoadInRow(x, i, width); }) / count;
  const VecF32 mean_lanes = hn::Set(tag, mean);
  const float squares = SumRow(width, [&](size_t i) {
    VecF32 d = hn::Sub(LoadInRow(x, i, width), mean_lanes);
    if (i + kLanes > width) d = hn::IfThenElseZero(hn::FirstN(tag, width - i), d);
    return hn::Mul(d, d);
  });
  const VecF32 inverse = hn::Set(tag, 1.0f / std::sqrt(squares / count + parameters.epsilon));
  const float* gamma = parameters.gamma.data();
  const float* beta = parameters.beta.data();
  const auto normalize = [&](VecF32 v, VecF32 g, VecF32 b) {
    return hn::Add(hn::Mul(hn::Mul(hn::Sub(v, mean_lanes), inverse), g), b);
  };
  size_t i = 0;
  for (; i + kLanes <= width; i += kLanes) {
    hn::StoreU(normalize(hn::LoadU(tag, x + i), hn::LoadU(tag, gamma + i),
                         hn::LoadU(tag, beta + i)),
               tag, y + i);
  }
  if (const size_t rest = width - i; rest > 0) {
    StorePart(normalize(LoadPart(x + i, rest), LoadPart(gamma + i, rest), LoadPart(beta + i, rest)),
              y + i, rest);
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
