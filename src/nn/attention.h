#pragma once
// Multi-head self-attention within each sequence of a batch (Vaswani et al. 2017).

#include <cstdint>
#include <span>

#include "base/session.h"
#include "base/tensor.h"
#include "nn/batch.h"
#include "nn/config.h"

namespace pocketbert {

// kFloat: everything in float32. kInt16: as kernels/attention_i16.h does it, with scales per head
// and sequence; about twice as fast, and far more exact than int8 matrices, which it is meant for.
enum class AttentionForm { kFloat, kInt16 };

// context = softmax(query key^T / sqrt(head size)) value, for every head (consecutive columns) and
// every sequence by itself. All [tokens, hidden_size]; `context` may be `query`. Scores exist for
// one head and a block of queries at a time, so memory grows with the tokens, not their square
// (times the distances in use, if these are embedded).
struct AttentionTensors {
  TensorView<const float> query;
  TensorView<const float> key;
  TensorView<const float> value;
  TensorView<float> context;
};

// What a score depends on besides query and key. Views of an empty rule are empty.
struct AttentionRule {
  AttentionForm form = AttentionForm::kFloat;
  // Keys farther than this from the query have no share; 0: there is no such limit.
  size_t reach = 0;
  // As PositionTables::bias, [heads, 2 L - 1] for some L of at least the longest sequence.
  TensorView<const float> bias = {};
  // Disentangled attention (He et al. 2021) adds up to two products to that of query and key,
  //   query . (the distance's embedding, projected as a key)
  //   key . (the distance's embedding, projected as a query)
  // and divides the sum of n products by sqrt(n * head size). The projections [distances,
  // hidden_size], and their rows by distance as PositionTables::distance_rows, [2 L - 1].
  TensorView<const float> distance_keys = {};
  TensorView<const float> distance_queries = {};
  std::span<const uint32_t> distance_rows = {};
};
void Attend(const EncoderConfig& config, const TokenBatch& batch, const AttentionTensors& tensors,
            const AttentionRule& rule, Session& session);

// Workspace that Attend takes at most for `tokens` tokens in all.
size_t AttendWorkspaceBytes(const EncoderConfig& config, size_t tokens, size_t threads);

}  // namespace pocketbert
