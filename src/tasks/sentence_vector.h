#pragma once
// From token vectors to one vector per text: sentence-transformers' modules after the encoder.

#include <cstddef>
#include <span>
#include <vector>

#include "base/session.h"
#include "base/tensor.h"
#include "model/model.h"
#include "nn/batch.h"
#include "nn/pooling.h"

namespace pocketbert {

struct VectorOptions {
  std::span<const PoolingMode> pooling;
  // The first so many tokens of each text are not pooled.
  size_t skipped_tokens = 0;
  // Scale the final vector to length 1.
  bool normalize = true;
  // Components that are kept, counted from the first; at most the model's dimensions().
  size_t dimensions = 0;
};

// What the model's own files say, prompts aside.
VectorOptions ModelVectorOptions(const Model& model);

// Pools `hidden` [tokens, hidden_size], runs the model's Dense and Normalize steps, shortens and
// scales. Returns [texts, options.dimensions], allocated in session.workspace.
TensorView<float> SentenceVectors(const Model& model, TensorView<const float> hidden,
                                  const TokenBatch& batch, const VectorOptions& options,
                                  Session& session);

// Workspace that SentenceVectors takes at most for `texts` texts with a pool of `threads` threads,
// its result included.
size_t SentenceVectorWorkspaceBytes(const Model& model, size_t texts, size_t threads);

// Copies the rows behind what is there.
void AppendRows(TensorView<const float> rows, std::vector<float>& data);

// x / max(|x|, 1e-12) for every row, as torch.nn.functional.normalize; |x| from squares summed in
// double precision, in order.
void ScaleToLengthOne(TensorView<float> rows);

}  // namespace pocketbert
