#include "nn/heads.h"

#include <algorithm>

#include "kernels/elementwise.h"
#include "kernels/gemm_f32.h"
#include "kernels/layer_norm.h"
#include "nn/linear.h"

namespace pocketbert {

namespace {

// Rows of an int8 table that are expanded at a time for a product.
constexpr size_t kTableRows = 64;

// Rows [begin, end) of the table in float32, in `memory` unless the table is.
TensorView<const float> FloatRows(const EmbeddingTable& table, size_t begin, size_t end,
                                  std::span<float> memory) {
  if (!table.f32.empty()) return table.f32.Rows(begin, end);
  const TensorView<float> rows(memory.data(), end - begin, table.width());
  for (size_t r = begin; r < end; ++r) {
    ExpandI8({table.i8.Row(r), table.scales.Row(r), table.group_size}, rows.Row(r - begin));
  }
  return rows;
}

// scores = features words^T + bias, by the session's threads.
void MultiplyWords(const HeadWeights& weights, TensorView<const float> features,
                   TensorView<float> scores, Session& session) {
  Workspace::Scope scope(session.workspace);
  const EmbeddingTable& words = weights.words;
  PB_CHECK(words.ids() == scores.cols && words.width() == features.cols);
  const TensorView<float> memory = session.workspace.Alloc<float>(
      session.pool->size(), kTableRows * features.cols);
  const size_t blocks = (words.ids() + kTableRows - 1) / kTableRows;
  session.pool->Run(blocks, [&](size_t block, size_t worker) {
    const size_t begin = block * kTableRows;
    const size_t end = std::min(words.ids(), begin + kTableRows);
    MatMulTransposed(features, FloatRows(words, begin, end, memory.Row(worker)),
                     std::span<const float>(weights.output.bias).subspan(begin, end - begin),
                     scores.Cols(begin, end));
  });
}

// norm(activation(dense(input))), into `inner` [rows, inner].
void RunFirstMap(const HeadConfig& config, const HeadWeights& weights,
                 TensorView<const float> input, TensorView<float> inner, Session& session) {
  RunLinear(weights.dense, input, inner, session);
  Activate(config.activation, inner);
  if (weights.norm.empty()) return;
  Workspace::Scope scope(session.workspace);
  std::span<const float> beta = weights.norm.beta;
  if (beta.empty()) {
    const std::span<float> zeros = session.workspace.AllocVector<float>(config.inner);
    std::fill(zeros.begin(), zeros.end(), 0.0f);
    beta = zeros;
  }
  LayerNorm(inner, {weights.norm.gamma, beta, config.norm_eps}, inner);
}

}  // namespace

void VisitHeadTensors(const HeadConfig& config, HeadWeights& head, TensorVisitor visit) {
  if (!config.dense_name.empty()) {
    VisitLinear(config.dense_name, config.dense_name + ".input_scale",
                {config.inner, config.inputs, config.dense_bias}, head.dense, visit);
  }
  if (!config.norm_name.empty()) {
    VisitLayerNorm(config.norm_name, {config.inner, config.norm_bias}, head.norm, visit);
  }
  if (config.tied_output) {
    visit(TensorSpec{config.output_name + ".bias", TensorKind::kBias, 1, config.outputs},
          head.output.bias);
  } else if (!config.output_name.empty()) {
    VisitLinear(config.output_name, config.output_name + ".input_scale",
                {config.outputs, config.inner}, head.output, visit);
  }
}

size_t HeadWorkspaceBytes(const HeadConfig& config, size_t rows, size_t threads) {
  const size_t linear = std::max(LinearWorkspaceBytes(config.inputs, threads),
                                 LinearWorkspaceBytes(config.inner, threads));
  const size_t words =
      config.tied_output ? Workspace::BytesFor<float>(threads * kTableRows * config.inner) : 0;
  return Workspace::BytesFor<float>(rows * config.outputs) +
         Workspace::BytesFor<float>(rows * config.inner) +
         std::max({linear, words, Workspace::BytesFor<float>(config.inner)});
}

TensorView<float> RunHead(const HeadConfig& config, const HeadWeights& weights,
                          TensorView<const float> input, Session& session) {
  PB_CHECK(input.cols == config.inputs && config.temperature > 0);
  const bool has_output = config.tied_output || !weights.output.empty();
  const TensorView<float> scores =  // [rows, outputs]
      session.workspace.Alloc<float>(input.rows, config.outputs);
  Workspace::Scope scope(session.workspace);
  TensorView<const float> features = input;  // [rows, inner]
  if (!weights.dense.empty()) {
    TensorView<float> inner = scores;
    if (has_output) inner = session.workspace.Alloc<float>(input.rows, config.inner);
    RunFirstMap(config, weights, input, inner, session);
    features = inner;
  }
  if (config.tied_output) {
    MultiplyWords(weights, features, scores, session);
  } else if (has_output) {
    RunLinear(weights.output, features, scores, session);
  }
  for (size_t r = 0; r < scores.rows; ++r) {
    // A temperature is a division in the model's card; by 1 it changes nothing.
    if (config.temperature != 1) Scale(1.0f / config.temperature, scores.Row(r));
  }
  return scores;
}

}  // namespace pocketbert
