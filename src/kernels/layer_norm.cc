#include "kernels/layer_norm.h"

#include <cmath>

#include "kernels/simd.h"

namespace pocketbert {

namespace {

using namespace simd;  // NOLINT: the vocabulary of a kernel file

// y = LayerNorm of x, whose elements' sum is known; may be x itself.
HWY_NOINLINE void NormalizeRow(const float* x, float sum, size_t width,
                               const LayerNormParameters& parameters, float* y) {
  const float count = static_cast<float>(width);
  const VecF32 mean = hn::Set(F32(), sum / count);
  const float squares = SumAt(width, [&](size_t i, size_t end) {
    // Past the end the square must stay 0: what is not there has no distance from the mean.
    VecF32 centered = hn::Sub(LoadInRow(x, i, end), mean);
    StoreInRow(centered, y, i, end);
    if (i + kLanes > end) centered = LoadInRow(y, i, end);
    return hn::Mul(centered, centered);
  });
  const VecF32 inverse = hn::Set(F32(), 1.0f / std::sqrt(squares / count + parameters.epsilon));
  const float* gamma = parameters.gamma.data();
  const float* beta = parameters.beta.data();
  const auto scale = [&](size_t i, size_t end) {
    const VecF32 scaled = hn::Mul(hn::Mul(LoadInRow(y, i, end), inverse), LoadInRow(gamma, i, end));
    StoreInRow(hn::Add(scaled, LoadInRow(beta, i, end)), y, i, end);
  };
  size_t i = 0;
  for (; i + kLanes <= width; i += kLanes) scale(i, i + kLanes);
  if (i < width) scale(i, width);
}

// sum += residual; returns the sum of the sums.
HWY_NOINLINE float AddRow(const float* residual, float* sum, size_t width) {
  return SumAt(width, [&](size_t i, size_t end) {
    const VecF32 v = hn::Add(LoadInRow(sum, i, end), LoadInRow(residual, i, end));
    StoreInRow(v, sum, i, end);
    return v;
  });
}

void CheckParameters(const LayerNormParameters& parameters, size_t width) {
  PB_CHECK(parameters.gamma.size() == width && parameters.beta.size() == width);
}

}  // namespace

void LayerNorm(TensorView<const float> input, const LayerNormParameters& parameters,
               TensorView<float> output) {
  PB_CHECK(input.rows == output.rows && input.cols == output.cols);
  CheckParameters(parameters, input.cols);
  for (size_t r = 0; r < input.rows; ++r) {
    const float* x = input.data + r * input.stride;
    const float sum = SumRow(x, input.cols, [](VecF32 v) { return v; });
    NormalizeRow(x, sum, input.cols, parameters, output.data + r * output.stride);
  }
}

void AddAndNorm(TensorView<const float> residual, TensorView<float> sum,
                const LayerNormParameters& parameters, TensorView<float> output) {
  PB_CHECK(residual.rows == sum.rows && residual.cols == sum.cols);
  PB_CHECK(output.rows == sum.rows && output.cols == sum.cols);
  CheckParameters(parameters, sum.cols);
  for (size_t r = 0; r < sum.rows; ++r) {
    float* row = sum.data + r * sum.stride;
    const float total = AddRow(residual.data + r * residual.stride, row, sum.cols);
    NormalizeRow(row, total, sum.cols, parameters, output.data + r * output.stride);
  }
}

}  // namespace pocketbert
