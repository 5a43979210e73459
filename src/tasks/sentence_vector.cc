#include "tasks/sentence_vector.h"

#include <algorithm>
#include <cmath>

#include "kernels/activation.h"
#include "nn/linear.h"

namespace pocketbert {
namespace {

using StepKind = SentenceStep::Kind;

TensorView<float> RunDense(const BoundStep& step, TensorView<const float> input,
                           Session& session) {
  TensorView<float> output =  // [texts, out_features]
      session.workspace.Alloc<float>(input.rows, step.linear.outputs());
  RunLinear(step.linear, input, output, session);
  Activate(step.step.dense.activation, output);
  return output;
}

}  // namespace

VectorOptions ModelVectorOptions(const Model& model) {
  return {
      .pooling = model.sentence().pooling,
      .normalize = model.sentence().normalizes(),
      .dimensions = model.dimensions(),
  };
}

TensorView<float> SentenceVectors(const Model& model, TensorView<const float> hidden,
                                  const TokenBatch& batch, const VectorOptions& options,
                                  Session& session) {
  TensorView<float> vectors = session.workspace.Alloc<float>(  // [texts, modes * hidden_size]
      batch.sequences(), options.pooling.size() * hidden.cols);
  Pool(options.pooling, hidden, batch, options.skipped_tokens, vectors);
  const std::span<const BoundStep> steps = model.steps();
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].step.kind == StepKind::kDense) {
      vectors = RunDense(steps[i], vectors, session);
    } else if (i + 1 < steps.size()) {
      ScaleToLengthOne(vectors);
    }
  }
  vectors = vectors.Cols(0, options.dimensions);
  if (options.normalize) ScaleToLengthOne(vectors);
  return vectors;
}

size_t SentenceVectorWorkspaceBytes(const Model& model, size_t texts, size_t threads) {
  const size_t width = model.encoder_config().hidden_size;
  const size_t modes = std::max<size_t>(model.sentence().pooling.size(), 1);
  size_t bytes = Workspace::BytesFor<float>(texts * modes * width);
  for (const BoundStep& step : model.steps()) {
    if (step.step.kind != StepKind::kDense) continue;
    bytes += Workspace::BytesFor<float>(texts * step.linear.outputs());
    bytes += LinearWorkspaceBytes(step.linear.inputs(), threads);
  }
  return bytes;
}

void AppendRows(TensorView<const float> rows, std::vector<float>& data) {
  data.reserve(data.size() + rows.rows * rows.cols);
  for (size_t r = 0; r < rows.rows; ++r) {
    const std::span<const float> row = rows.Row(r);
    data.insert(data.end(), row.begin(), row.end());
  }
}

void ScaleToLengthOne(TensorView<float> rows) {
  constexpr float kLeastLength = 1e-12f;
  for (size_t r = 0; r < rows.rows; ++r) {
    const std::span<float> row = rows.Row(r);
    double squares = 0;
    for (float value : row) squares += static_cast<double>(value) * value;
    const float length = std::max(static_cast<float>(std::sqrt(squares)), kLeastLength);
    for (float& value : row) value /= length;
  }
}

}  // namespace pocketbert
