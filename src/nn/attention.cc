#include "nn/attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/gemm_f32.h"
#include "kernels/softmax.h"

namespace pocketbert {

namespace {

// Queries whose scores are computed together: [16, keys] floats stay in the first-level cache for
// texts of up to 512 tokens.
constexpr size_t kQueryBlock = 16;

// Rows [first, last) of a sequence [begin, end).
struct Queries {
  size_t begin, end;
  size_t first, last;
};

// One head for a few queries of one sequence; `score_memory` holds a score block at least.
void AttendHead(const EncoderConfig& config, size_t head, const Queries& queries,
                const AttentionTensors& tensors, std::span<float> score_memory) {
  const size_t size = config.head_size();
  const auto head_of = [&](auto matrix, size_t from, size_t to) {
    return matrix.Rows(from, to).Cols(head * size, (head + 1) * size);
  };
  const auto [begin, end, first, last] = queries;
  const TensorView<float> scores(score_memory.data(), last - first, end - begin);
  MatMulTransposed(head_of(tensors.query, first, last), head_of(tensors.key, begin, end), {},
                   scores);
  Softmax(1.0f / std::sqrt(static_cast<float>(size)), scores);
  MatMul(scores, head_of(tensors.value, begin, end), head_of(tensors.context, first, last));
}

size_t LongestSequence(const TokenBatch& batch) {
  size_t longest = 0;
  for (size_t s = 0; s < batch.sequences(); ++s) longest = std::max(longest, batch.length(s));
  return longest;
}

}  // namespace

void Attend(const EncoderConfig& config, const TokenBatch& batch, const AttentionTensors& tensors,
            Session& session) {
  Workspace::Scope scope(session.workspace);
  const size_t tokens = batch.tokens();
  const size_t blocks = (tokens + kQueryBlock - 1) / kQueryBlock;
  const TensorView<float> scores =  // [threads, query block * keys]
      session.workspace.Alloc<float>(session.pool->size(), kQueryBlock * LongestSequence(batch));
  // A block of the batch's tokens may hold the end of one sequence and the beginning of others.
  session.pool->Run(config.heads * blocks, [&](size_t index, size_t worker) {
    const size_t head = index / blocks;
    size_t first = index % blocks * kQueryBlock;
    const size_t last = std::min(tokens, first + kQueryBlock);
    for (size_t s = batch.SequenceOf(first); first < last; ++s) {
      const Queries queries{batch.begin(s), batch.end(s), first, std::min(last, batch.end(s))};
      if (queries.first < queries.last) {
        AttendHead(config, head, queries, tensors, scores.Row(worker));
      }
      first = queries.last;
    }
  });
}

size_t AttendWorkspaceBytes(const EncoderConfig& config, size_t tokens, size_t threads) {
  const size_t longest = std::min(tokens, config.max_tokens());
  return Workspace::BytesFor<float>(threads * kQueryBlock * longest);
}

}  // namespace pocketbert
