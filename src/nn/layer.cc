#include "nn/layer.h"

#include <algorithm>
#include <array>

#include "kernels/elementwise.h"
#include "kernels/layer_norm.h"
#include "nn/attention.h"
#include "nn/linear.h"
#include "nn/parallel.h"

namespace pocketbert {

namespace {

void ProjectQueryKeyValue(const ForwardContext& context, const LayerWeights& weights,
                          TensorView<const float> hidden, const LayerBuffers& buffers) {
  const std::array<LinearTask, 3> tasks = {{{&weights.query, buffers.query},
                                            {&weights.key, buffers.key},
                                            {&weights.value, buffers.value}}};
  RunLinears(tasks, hidden, context.session);
}

// sum += residual; result = LayerNorm(sum).
void AddAndNorm(const ForwardContext& context, const LayerNormWeights& norm,
                TensorView<const float> residual, TensorView<float> sum,
                TensorView<float> result) {
  const LayerNormParameters parameters{norm.gamma, norm.beta, context.config.layer_norm_eps};
  ParallelRows(*context.session.pool, sum.rows, kElementwiseBlock, [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) Add(residual.Row(r), sum.Row(r));
    LayerNorm(sum.Rows(begin, end), parameters, result.Rows(begin, end));
  });
}

void RunActivation(const ForwardContext& context, TensorView<const float> input,
                   TensorView<float> output) {
  ParallelRows(*context.session.pool, input.rows, kElementwiseBlock,
               [&](size_t begin, size_t end) {
                 Activate(context.config.activation, input.Rows(begin, end),
                          output.Rows(begin, end));
               });
}

}  // namespace

void RunLayer(const ForwardContext& context, const LayerWeights& weights,
              TensorView<const float> hidden, const LayerBuffers& buffers) {
  Session& session = context.session;
  ProjectQueryKeyValue(context, weights, hidden, buffers);
  Attend(context.config, context.batch,
         {buffers.query, buffers.key, buffers.value, buffers.context},
         weights.query.is_i8() ? AttentionForm::kInt16 : AttentionForm::kFloat, session);
  RunLinear(weights.attention_output, buffers.context, buffers.attended, session);
  AddAndNorm(context, weights.attention_norm, hidden, buffers.attended, buffers.normed);
  RunLinear(weights.intermediate, buffers.normed, buffers.expanded, session);
  RunActivation(context, buffers.expanded, buffers.activated);
  RunLinear(weights.output, buffers.activated, buffers.output, session);
  AddAndNorm(context, weights.output_norm, buffers.normed, buffers.output, buffers.result);
}

size_t LayerWorkspaceBytes(const EncoderConfig& config, size_t tokens, size_t threads) {
  const size_t widest = std::max(config.hidden_size, config.intermediate_size);
  return std::max(AttendWorkspaceBytes(config, tokens, threads),
                  LinearWorkspaceBytes(widest, threads));
}

}  // namespace pocketbert
