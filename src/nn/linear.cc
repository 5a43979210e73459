#include "nn/linear.h"

#include "kernels/gemm_f32.h"
#include "kernels/quantize_rows.h"

namespace pocketbert {

namespace {

// Elements that one thread needs for its codes, and for its scales and offsets.
size_t CodeCount(size_t inputs) { return kRowBlock * PackedI8::PaddedCols(inputs); }
size_t FactorCount(size_t inputs) {
  return 2 * kRowBlock * PackedI8::GroupCount(inputs, kGroupStep);
}

// activation(input)'s rows, quantized for `weights`, in the thread's part of the scratch.
QuantizedRows<ActivationCode> Quantize(const LinearWeights& weights,
                                       TensorView<const float> input,
                                       const LinearScratch& scratch, size_t thread,
                                       Activation activation = Activation::kLinear) {
  const size_t padded = PackedI8::PaddedCols(input.cols);
  const size_t groups = weights.i8.group_count();
  const std::span<float> factors = scratch.factors.Row(thread);
  const std::span<ActivationCode> codes = scratch.codes.Row(thread);
  const size_t count = input.rows * groups;
  PB_CHECK(input.rows * padded <= codes.size() && 2 * count <= factors.size());
  const QuantizedRows<ActivationCode> quantized{{codes.data(), input.rows, padded},
                                                {factors.data(), input.rows, groups},
                                                {factors.data() + count, input.rows, groups},
                                                input.cols,
                                                weights.i8.group_size};
  QuantizeRows(input, weights.input_scale, quantized, activation);
  return quantized;
}

void CheckTasks(std::span<const LinearTask> tasks, TensorView<const float> input) {
  const LinearWeights& first = *tasks.front().weights;
  for (const auto& [weights, output] : tasks) {
    PB_CHECK(weights->inputs() == input.cols && weights->outputs() == output.cols);
    PB_CHECK(output.rows == input.rows);
    PB_CHECK(weights->is_i8() == first.is_i8());
    PB_CHECK(weights->input_scale.data() == first.input_scale.data());
    PB_CHECK(weights->i8.group_size == first.i8.group_size);
  }
}

}  // namespace

LinearScratch MakeLinearScratch(size_t inputs, Session& session) {
  const size_t threads = session.pool->size();
  return {session.workspace.Alloc<ActivationCode>(threads, CodeCount(inputs)),
          session.workspace.Alloc<float>(threads, FactorCount(inputs))};
}

size_t LinearWorkspaceBytes(size_t inputs, size_t threads) {
  return Workspace::BytesFor<ActivationCode>(threads * CodeCount(inputs)) +
         Workspace::BytesFor<float>(threads * FactorCount(inputs));
}

void LinearRows(std::span<const LinearTask> tasks, TensorView<const float> input,
                const RowBlock& block, const LinearScratch& scratch) {
  CheckTasks(tasks, input);
  const TensorView<const float> rows = input.Rows(block.begin, block.end);
  const LinearWeights& first = *tasks.front().weights;
  QuantizedRows<ActivationCode> quantized{};
  if (first.is_i8()) quantized = Quantize(first, rows, scratch, block.thread);
  for (const auto& [weights, output] : tasks) {
    const TensorView<float> to = output.Rows(block.begin, block.end);
    if (weights->is_i8()) {
      MatMulI8(quantized, weights->i8, weights->bias, to);
    } else {
      MatMulTransposed(rows, weights->f32, weights->bias, to);
    }
  }
}

void LinearRows(const LinearTask& task, const ActivatedInput& input, const RowBlock& block,
                const LinearScratch& scratch) {
  const LinearWeights& weights = *task.weights;
  const TensorView<const float> rows = input.input.Rows(block.begin, block.end);
  if (!weights.is_i8()) {
    Activate(input.activation, rows, input.activated.Rows(block.begin, block.end));
    return LinearRows({&task, 1}, input.activated, block, scratch);
  }
  CheckTasks({&task, 1}, input.input);
  MatMulI8(Quantize(weights, rows, scratch, block.thread, BeforeQuantization(input.activation)),
           weights.i8, weights.bias, task.output.Rows(block.begin, block.end));
}

void RunLinear(const LinearWeights& weights, TensorView<const float> input,
               TensorView<float> output, Session& session) {
  Workspace::Scope scope(session.workspace);
  const LinearScratch scratch = MakeLinearScratch(input.cols, session);
  const LinearTask task{&weights, output};
  ParallelRows(*session.pool, input.rows, [&](const RowBlock& block) {
    LinearRows({&task, 1}, input, block, scratch);
  });
}

}  // namespace pocketbert
