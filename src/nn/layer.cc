#include "nn/layer.h"

#include <algorithm>
#include <array>

#include "kernels/activation.h"
#include "kernels/elementwise.h"
#include "kernels/layer_norm.h"
#include "kernels/rotary.h"
#include "nn/attention.h"
#include "nn/linear.h"
#include "nn/parallel.h"

namespace pocketbert {

namespace {

// Rows of `matrix` that belong to `block`.
template <typename T>
TensorView<T> RowsOf(const RowBlock& block, const TensorView<T>& matrix) {
  return matrix.Rows(block.begin, block.end);
}

void ProjectRows(const LinearWeights& weights, TensorView<const float> input,
                 TensorView<float> output, const RowBlock& block, const LinearScratch& scratch) {
  const LinearTask task{&weights, output};
  LinearRows({&task, 1}, input, block, scratch);
}

// Turns queries and keys by their positions.
void TurnRows(const ForwardContext& context, TensorView<const float> table,
              const LayerBuffers& buffers, const RowBlock& block) {
  const size_t half = table.cols / 2;
  size_t sequence = context.batch.SequenceOf(block.begin);
  for (size_t t = block.begin; t < block.end; ++t) {
    while (t >= context.batch.end(sequence)) ++sequence;
    const std::span<const float> row = table.Row(t - context.batch.begin(sequence));
    TurnHalves(row.first(half), row.subspan(half), buffers.query.Row(t));
    TurnHalves(row.first(half), row.subspan(half), buffers.key.Row(t));
  }
}

void ProjectQueryKeyValue(const ForwardContext& context, const Layer& layer,
                          TensorView<const float> hidden, const LayerBuffers& buffers,
                          const RowBlock& block, const LinearScratch& scratch) {
  const auto& [number, weights] = layer;
  const EncoderConfig& config = context.config;
  TensorView<const float> input = hidden;
  if (config.pre_norm && config.HasAttentionNorm(number)) {
    LayerNorm(RowsOf(block, hidden), context.Norm(weights.attention_norm),
              RowsOf(block, buffers.normed));
    input = buffers.normed;
  }
  const std::array<LinearTask, 3> tasks = {{{&weights.query, buffers.query},
                                            {&weights.key, buffers.key},
                                            {&weights.value, buffers.value}}};
  LinearRows(tasks, input, block, scratch);
  if (config.relative == RelativePositions::kRotary) {
    const PositionTables& tables = context.tables;
    TurnRows(context, config.HasWindow(number) ? tables.rotary_local : tables.rotary, buffers,
             block);
  }
}

void RunAttention(const ForwardContext& context, const Layer& layer, const LayerBuffers& buffers) {
  const auto& [config, batch, tables, session] = context;
  const LayerWeights& weights = layer.weights;
  Workspace::Scope scope(session.workspace);
  AttentionRule rule;
  rule.form = weights.query.is_i8() ? AttentionForm::kInt16 : AttentionForm::kFloat;
  rule.reach = config.HasWindow(layer.number) ? config.window_reach : 0;
  rule.bias = tables.bias;
  rule.distance_rows = tables.distance_rows;
  const auto project = [&](const LinearWeights& own, const LinearWeights& shared) {
    const TensorView<float> projected =  // [distances, hidden_size]
        session.workspace.Alloc<float>(tables.distances.rows, config.hidden_size);
    RunLinear(config.share_position_projections ? shared : own, tables.distances, projected,
              session);
    return projected;
  };
  if (config.content_to_position) rule.distance_keys = project(weights.position_key, weights.key);
  if (config.position_to_content) {
    rule.distance_queries = project(weights.position_query, weights.query);
  }
  Attend(config, batch, {buffers.query, buffers.key, buffers.value, buffers.context}, rule,
         session);
}

// buffers.output = the feed-forward block of buffers.normed.
void FeedForwardRows(const EncoderConfig& config, const LayerWeights& weights,
                     const LayerBuffers& buffers, const RowBlock& block,
                     const LinearScratch& scratch) {
  const std::array<LinearTask, 2> tasks = {
      {{&weights.intermediate, buffers.expanded}, {&weights.factor, buffers.factor}}};
  LinearRows(std::span(tasks).first(config.gated ? 2 : 1), buffers.normed, block, scratch);
  if (!config.gated) {
    return LinearRows({&weights.output, buffers.output},
                      {config.activation, buffers.expanded, buffers.activated}, block, scratch);
  }
  const Activation activation =
      weights.output.is_i8() ? BeforeQuantization(config.activation) : config.activation;
  Activate(activation, RowsOf(block, buffers.expanded), RowsOf(block, buffers.activated));
  for (size_t t = block.begin; t < block.end; ++t) {
    Multiply(buffers.factor.Row(t), buffers.activated.Row(t));
  }
  ProjectRows(weights.output, buffers.activated, buffers.output, block, scratch);
}

// All that follows attention: a row needs no other row for it.
void FinishRows(const ForwardContext& context, const LayerWeights& weights,
                TensorView<const float> hidden, const LayerBuffers& buffers,
                const RowBlock& block, const LinearScratch& scratch) {
  const EncoderConfig& config = context.config;
  const LayerNormWeights& first_norm = config.pre_norm ? weights.output_norm
                                                       : weights.attention_norm;
  ProjectRows(weights.attention_output, buffers.context, buffers.attended, block, scratch);
  AddAndNorm(RowsOf(block, hidden), RowsOf(block, buffers.attended), context.Norm(first_norm),
             RowsOf(block, buffers.normed));
  FeedForwardRows(config, weights, buffers, block, scratch);
  if (config.pre_norm) {
    for (size_t t = block.begin; t < block.end; ++t) {
      Add(buffers.attended.Row(t), buffers.output.Row(t));
    }
    return;
  }
  AddAndNorm(RowsOf(block, buffers.normed), RowsOf(block, buffers.output),
             context.Norm(weights.output_norm), RowsOf(block, buffers.result));
}

size_t WidestInput(const EncoderConfig& config) {
  return std::max(config.hidden_size, config.intermediate_size);
}

}  // namespace

void RunLayer(const ForwardContext& context, const Layer& layer, TensorView<const float> hidden,
              const LayerBuffers& buffers) {
  const EncoderConfig& config = context.config;
  Session& session = context.session;
  {
    Workspace::Scope scope(session.workspace);
    const LinearScratch scratch = MakeLinearScratch(config.hidden_size, session);
    ParallelRows(*session.pool, hidden.rows, [&](const RowBlock& block) {
      ProjectQueryKeyValue(context, layer, hidden, buffers, block, scratch);
    });
  }
  RunAttention(context, layer, buffers);
  Workspace::Scope scope(session.workspace);
  const LinearScratch scratch = MakeLinearScratch(WidestInput(config), session);
  ParallelRows(*session.pool, hidden.rows, [&](const RowBlock& block) {
    FinishRows(context, layer.weights, hidden, buffers, block, scratch);
  });
}

size_t LayerWorkspaceBytes(const EncoderConfig& config, size_t tokens, size_t threads) {
  const size_t most = std::max(AttendWorkspaceBytes(config, tokens, threads),
                               LinearWorkspaceBytes(WidestInput(config), threads));
  if (config.relative != RelativePositions::kDisentangled) return most;
  const size_t distances = DistanceRowCount(config, std::min(tokens, config.max_tokens()));
  return most + 2 * Workspace::BytesFor<float>(distances * config.hidden_size);
}

}  // namespace pocketbert
