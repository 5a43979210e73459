#include "nn/layer.h"

#include <algorithm>
#include <array>

#include "kernels/layer_norm.h"
#include "nn/attention.h"
#include "nn/linear.h"
#include "nn/parallel.h"

namespace pocketbert {

namespace {

void ProjectQueryKeyValue(const LayerWeights& weights, TensorView<const float> hidden,
                          const LayerBuffers& buffers, const RowBlock& block,
                          const LinearScratch& scratch) {
  const std::array<LinearTask, 3> tasks = {{{&weights.query, buffers.query},
                                            {&weights.key, buffers.key},
                                            {&weights.value, buffers.value}}};
  LinearRows(tasks, hidden, block, scratch);
}

void ProjectRows(const LinearWeights& weights, TensorView<const float> input,
                 TensorView<float> output, const RowBlock& block, const LinearScratch& scratch) {
  const LinearTask task{&weights, output};
  LinearRows({&task, 1}, input, block, scratch);
}

// All that follows attention: a row needs no other row for it.
void FinishRows(const EncoderConfig& config, const LayerWeights& weights,
                TensorView<const float> hidden, const LayerBuffers& buffers,
                const RowBlock& block, const LinearScratch& scratch) {
  const auto rows = [&](const auto& matrix) { return matrix.Rows(block.begin, block.end); };
  const auto norm = [&](const LayerNormWeights& of) {
    return LayerNormParameters{of.gamma, of.beta, config.layer_norm_eps};
  };
  ProjectRows(weights.attention_output, buffers.context, buffers.attended, block, scratch);
  AddAndNorm(rows(hidden), rows(buffers.attended), norm(weights.attention_norm),
             rows(buffers.normed));
  ProjectRows(weights.intermediate, buffers.normed, buffers.expanded, block, scratch);
  LinearRows({&weights.output, buffers.output},
             {config.activation, buffers.expanded, buffers.activated}, block, scratch);
  AddAndNorm(rows(buffers.normed), rows(buffers.output), norm(weights.output_norm),
             rows(buffers.result));
}

size_t WidestInput(const EncoderConfig& config) {
  return std::max(config.hidden_size, config.intermediate_size);
}

}  // namespace

void RunLayer(const ForwardContext& context, const LayerWeights& weights,
              TensorView<const float> hidden, const LayerBuffers& buffers) {
  const auto& [config, batch, session] = context;
  {
    Workspace::Scope scope(session.workspace);
    const LinearScratch scratch = MakeLinearScratch(config.hidden_size, session);
    ParallelRows(*session.pool, hidden.rows, [&](const RowBlock& block) {
      ProjectQueryKeyValue(weights, hidden, buffers, block, scratch);
    });
  }
  Attend(config, batch, {buffers.query, buffers.key, buffers.value, buffers.context},
         weights.query.is_i8() ? AttentionForm::kInt16 : AttentionForm::kFloat, session);
  Workspace::Scope scope(session.workspace);
  const LinearScratch scratch = MakeLinearScratch(WidestInput(config), session);
  ParallelRows(*session.pool, hidden.rows, [&](const RowBlock& block) {
    FinishRows(config, weights, hidden, buffers, block, scratch);
  });
}

size_t LayerWorkspaceBytes(const EncoderConfig& config, size_t tokens, size_t threads) {
  return std::max(AttendWorkspaceBytes(config, tokens, threads),
                  LinearWorkspaceBytes(WidestInput(config), threads));
}

}  // namespace pocketbert
