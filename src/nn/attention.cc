#include "nn/attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/attention_i16.h"
#include "kernels/gemm_f32.h"
#include "kernels/softmax.h"

namespace pocketbert {

namespace {

// Queries whose scores are computed together: [16, keys] floats stay in the first-level cache for
// texts of up to 512 tokens.
constexpr size_t kQueryBlock = 16;

// One head of one sequence: [length, head size] each.
struct Head {
  TensorView<const float> query;
  TensorView<const float> key;
  TensorView<const float> value;
  TensorView<float> context;

  size_t length() const { return query.rows; }
  size_t size() const { return query.cols; }
  float score_scale() const { return 1.0f / std::sqrt(static_cast<float>(size())); }
};

Head HeadOf(const AttentionTensors& tensors, size_t begin, size_t end, size_t first_column,
            size_t size) {
  const auto part = [&](auto matrix) {
    return matrix.Rows(begin, end).Cols(first_column, first_column + size);
  };
  return {part(tensors.query), part(tensors.key), part(tensors.value), part(tensors.context)};
}

// Memory of one thread for sequences of up to `longest` tokens, for kInt16.
struct Scratch {
  std::span<float> scores;     // [query block, longest]
  std::span<int16_t> shares;   // [query block, longest]: codes of softmax
  std::span<int16_t> queries;  // [longest, head size]
  std::span<int16_t> keys;     // panels
  std::span<int16_t> values;   // panels
};

void AttendFloat(const Head& head, std::span<float> score_memory) {
  for (size_t first = 0; first < head.length(); first += kQueryBlock) {
    const size_t last = std::min(head.length(), first + kQueryBlock);
    const TensorView<float> scores(score_memory.data(), last - first, head.length());
    MatMulTransposed(head.query.Rows(first, last), head.key, {}, scores);
    Softmax(head.score_scale(), scores);
    MatMul(scores, head.value, head.context.Rows(first, last));
  }
}

void AttendInt16(const Head& head, const Scratch& scratch) {
  constexpr float kLog2E = 1.44269504f;
  const size_t length = head.length();
  const TensorView<int16_t> queries(scratch.queries.data(), length,
                                    PanelsI16::PaddedDepth(head.size()));
  const PanelsI16 keys{scratch.keys, head.size(), length};
  const PanelsI16 values{scratch.values, length, head.size()};
  const float query_scale = QuantizeI16(head.query, queries);
  const float key_scale = PackTransposedI16(head.key, keys);
  const float value_scale = PackI16(head.value, values);
  const float score_scale = query_scale * key_scale * (head.score_scale() * kLog2E);
  for (size_t first = 0; first < length; first += kQueryBlock) {
    const size_t last = std::min(length, first + kQueryBlock);
    const TensorView<float> scores(scratch.scores.data(), last - first, length);
    const TensorView<int16_t> shares(scratch.shares.data(), last - first,
                                     PanelsI16::PaddedDepth(length));
    float row_scales[kQueryBlock];
    const std::span<float> sums(row_scales, last - first);
    MatMulI16(queries.Rows(first, last), keys, {}, scores);
    SoftmaxI16(score_scale, scores, shares, sums);
    for (float& sum : sums) sum = value_scale / sum;
    MatMulI16(shares, values, sums, head.context.Rows(first, last));
  }
}

size_t LongestSequence(const TokenBatch& batch) {
  size_t longest = 0;
  for (size_t s = 0; s < batch.sequences(); ++s) longest = std::max(longest, batch.length(s));
  return longest;
}

}  // namespace

void Attend(const EncoderConfig& config, const TokenBatch& batch, const AttentionTensors& tensors,
            AttentionForm form, Session& session) {
  Workspace::Scope scope(session.workspace);
  Workspace& workspace = session.workspace;
  const size_t threads = session.pool->size();
  const size_t size = config.head_size();
  const size_t longest = LongestSequence(batch);
  const size_t padded = PanelsI16::PaddedDepth(longest);
  const auto scores = workspace.Alloc<float>(threads, kQueryBlock * longest);
  TensorView<int16_t> shares, queries, keys, values;
  if (form == AttentionForm::kInt16) {
    shares = workspace.Alloc<int16_t>(threads, kQueryBlock * padded);
    queries = workspace.Alloc<int16_t>(threads, longest * PanelsI16::PaddedDepth(size));
    keys = workspace.Alloc<int16_t>(threads, PanelsI16::Size(size, longest));
    values = workspace.Alloc<int16_t>(threads, PanelsI16::Size(longest, size));
  }
  session.pool->Run(batch.sequences() * config.heads, [&](size_t index, size_t worker) {
    const size_t s = index / config.heads;
    const Head head = HeadOf(tensors, batch.begin(s), batch.end(s), index % config.heads * size,
                             size);
    if (form == AttentionForm::kFloat) {
      AttendFloat(head, scores.Row(worker));
    } else {
      AttendInt16(head, {scores.Row(worker), shares.Row(worker), queries.Row(worker),
                         keys.Row(worker), values.Row(worker)});
    }
  });
}

size_t AttendWorkspaceBytes(const EncoderConfig& config, size_t tokens, size_t threads) {
  const size_t longest = std::min(tokens, config.max_tokens());
  const size_t size = config.head_size();
  const auto codes = [&](size_t count) { return Workspace::BytesFor<int16_t>(threads * count); };
  return Workspace::BytesFor<float>(threads * kQueryBlock * longest) +
         codes(kQueryBlock * PanelsI16::PaddedDepth(longest)) +
         codes(longest * PanelsI16::PaddedDepth(size)) + codes(PanelsI16::Size(size, longest)) +
         codes(PanelsI16::Size(longest, size));
}

}  // namespace pocketbert
