#pragma once
// Linear maps y = W x + b, over float32 or int8 weights.

#include <span>

#include "base/session.h"
#include "base/tensor.h"
#include "kernels/gemm_i8.h"
#include "nn/parallel.h"
#include "nn/weights.h"

namespace pocketbert {

// Where the threads of a pool keep the rows that they have quantized.
struct LinearScratch {
  TensorView<ActivationCode> codes;  // [threads, kRowBlock * padded inputs]
  TensorView<float> factors;         // [threads, 2 * kRowBlock * groups]: scales, then offsets
};
// For maps of up to `inputs` values, whatever the weights' type. Memory comes from the workspace's
// open scope: LinearWorkspaceBytes.
LinearScratch MakeLinearScratch(size_t inputs, Session& session);
size_t LinearWorkspaceBytes(size_t inputs, size_t threads);

// One of several maps of the same input.
struct LinearTask {
  const LinearWeights* weights;
  TensorView<float> output;  // [rows, weights->outputs()]
};

// output[r] = W input[r] + b for the rows of a block, by the calling thread. `input` [rows, in] must
// not overlap an output. It is quantized once for all tasks: their input_scale must be the same
// vector, their group size the same. A row's result depends on that row only.
void LinearRows(std::span<const LinearTask> tasks, TensorView<const float> input,
                const RowBlock& block, const LinearScratch& scratch);

// The same of one map, with activation(input[r]) in place of input[r]. An int8 map quantizes it at
// once; before a float32 map `activated` [rows, in] holds it, which may be `input`'s memory.
struct ActivatedInput {
  Activation activation;
  TensorView<const float> input;
  TensorView<float> activated;
};
void LinearRows(const LinearTask& task, const ActivatedInput& input, const RowBlock& block,
                const LinearScratch& scratch);

// All rows of one map, by the session's threads. Workspace: LinearWorkspaceBytes.
void RunLinear(const LinearWeights& weights, TensorView<const float> input,
               TensorView<float> output, Session& session);

}  // namespace pocketbert
