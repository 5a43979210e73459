#include "nn/heads.h"

#include "kernels/elementwise.h"
#include "nn/linear.h"

namespace pocketbert {

size_t HeadWorkspaceBytes(const HeadConfig& config, size_t rows, size_t threads) {
  const size_t linear = std::max(LinearWorkspaceBytes(config.inputs, threads),
                                 LinearWorkspaceBytes(config.inner, threads));
  return Workspace::BytesFor<float>(rows * config.outputs) +
         Workspace::BytesFor<float>(rows * config.inner) + linear;
}

TensorView<float> RunHead(const HeadConfig& config, const HeadWeights& weights,
                          TensorView<const float> input, Session& session) {
  PB_CHECK(input.cols == config.inputs && config.temperature > 0);
  const TensorView<float> scores =  // [rows, outputs]
      session.workspace.Alloc<float>(input.rows, config.outputs);
  Workspace::Scope scope(session.workspace);
  TensorView<const float> features = input;  // [rows, inner]
  if (!weights.dense.empty()) {
    TensorView<float> inner = scores;
    if (!weights.output.empty()) inner = session.workspace.Alloc<float>(input.rows, config.inner);
    RunLinear(weights.dense, input, inner, session);
    Activate(config.activation, inner);
    features = inner;
  }
  if (!weights.output.empty()) RunLinear(weights.output, features, scores, session);
  for (size_t r = 0; r < scores.rows; ++r) {
    // A temperature is a division in the model's card; by 1 it changes nothing.
    if (config.temperature != 1) Scale(1.0f / config.temperature, scores.Row(r));
  }
  return scores;
}

}  // namespace pocketbert
