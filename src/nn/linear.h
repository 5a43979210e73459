#pragma once
// Linear maps y = W x + b, over float32 or int8 weights.

#include <span>

#include "base/session.h"
#include "base/tensor.h"
#include "nn/weights.h"

namespace pocketbert {

// output[r] = W input[r] + b for every row. `input` [rows, in], `output` [rows, out]; they must not
// overlap. Scratch comes from session.workspace (LinearWorkspaceBytes). A row's result depends on
// that row only.
void RunLinear(const LinearWeights& weights, TensorView<const float> input,
               TensorView<float> output, Session& session);

// One of several maps of the same input.
struct LinearTask {
  const LinearWeights* weights;
  TensorView<float> output;  // [rows, weights->outputs()]
};
// The same for several maps that share `input`, which is quantized once: their input_scale must be
// the same vector, their group size the same.
void RunLinears(std::span<const LinearTask> tasks, TensorView<const float> input,
                Session& session);

// Workspace that RunLinear(s) takes at most for inputs of `inputs` values, whatever the weights'
// type and however many rows: rows are quantized a block at a time.
size_t LinearWorkspaceBytes(size_t inputs, size_t threads);

}  // namespace pocketbert
