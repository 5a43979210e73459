#include "nn/disentangled_attention.h"

#include <algorithm>
#include <cmath>

#include "kernels/gemm_f32.h"
#include "kernels/softmax.h"
#include "nn/attention_head.h"

namespace pocketbert {

namespace {

// One head's part of the projected distances, and the memory of one thread.
struct Distances {
  std::span<const uint32_t> rows;  // of PositionTables
  size_t middle;                   // the element of distance 0
  TensorView<const float> key;     // [distances, head size] each, or empty
  TensorView<const float> query;
};

struct Scratch {
  std::span<float> scores;           // [query block, longest]
  std::span<float> query_distances;  // [query block, distances]
  std::span<float> key_distances;    // [longest, distances]
};

// scores[q][k] += to_position[q][row of q - k]
void AddContentToPosition(const Distances& distances, size_t first,
                          TensorView<const float> to_position, TensorView<float> scores) {
  for (size_t r = 0; r < scores.rows; ++r) {
    const uint32_t* rows = &distances.rows[distances.middle + first + r];
    const float* from = to_position.data + r * to_position.stride;
    float* score = scores.data + r * scores.stride;
    for (size_t k = 0; k < scores.cols; ++k) score[k] += from[*(rows - k)];
  }
}

// scores[q][k] += to_content[k][row of q - k]
void AddPositionToContent(const Distances& distances, size_t first,
                          TensorView<const float> to_content, TensorView<float> scores) {
  for (size_t r = 0; r < scores.rows; ++r) {
    const uint32_t* rows = &distances.rows[distances.middle + first + r];
    const float* from = to_content.data;
    float* score = scores.data + r * scores.stride;
    for (size_t k = 0; k < scores.cols; ++k, from += to_content.stride) {
      score[k] += from[*(rows - k)];
    }
  }
}

void AttendHead(const AttentionHead& head, const Distances& distances, const Scratch& scratch) {
  const size_t length = head.length();
  TensorView<float> to_content;
  size_t parts = 1;
  if (!distances.query.empty()) {
    ++parts;
    to_content = {scratch.key_distances.data(), length, distances.query.rows};
    MatMulTransposed(head.key, distances.query, {}, to_content);
  }
  if (!distances.key.empty()) ++parts;
  const float scale = 1.0f / std::sqrt(static_cast<float>(parts * head.size()));
  for (size_t first = 0; first < length; first += kQueryBlock) {
    const size_t last = std::min(length, first + kQueryBlock);
    const TensorView<const float> query = head.query.Rows(first, last);
    const TensorView<float> scores(scratch.scores.data(), last - first, length);
    MatMulTransposed(query, head.key, {}, scores);
    if (!distances.key.empty()) {
      const TensorView<float> to_position(scratch.query_distances.data(), last - first,
                                          distances.key.rows);
      MatMulTransposed(query, distances.key, {}, to_position);
      AddContentToPosition(distances, first, to_position, scores);
    }
    if (!distances.query.empty()) AddPositionToContent(distances, first, to_content, scores);
    Softmax(scale, scores);
    MatMul(scores, head.value, head.context.Rows(first, last));
  }
}

}  // namespace

void AttendDisentangled(const EncoderConfig& config, const TokenBatch& batch,
                        const AttentionTensors& tensors, const PositionTables& tables,
                        const DistanceProjections& projections, Session& session) {
  Workspace::Scope scope(session.workspace);
  const size_t threads = session.pool->size();
  const size_t size = config.head_size();
  const size_t longest = LongestSequence(batch);
  const size_t count = tables.distances.rows;
  const auto scores = session.workspace.Alloc<float>(threads, kQueryBlock * longest);
  const auto query_distances = session.workspace.Alloc<float>(threads, kQueryBlock * count);
  const auto key_distances = session.workspace.Alloc<float>(threads, longest * count);
  ForEachHead(config, batch, tensors, session, [&](const AttentionHead& head, size_t worker) {
    const auto part = [&](TensorView<const float> projection) {
      if (projection.empty()) return projection;
      return projection.Cols(head.number * size, (head.number + 1) * size);
    };
    const Distances distances{tables.distance_rows, tables.longest - 1, part(projections.key),
                              part(projections.query)};
    AttendHead(head, distances,
               {scores.Row(worker), query_distances.Row(worker), key_distances.Row(worker)});
  });
}

size_t AttendDisentangledWorkspaceBytes(const EncoderConfig& config, size_t tokens,
                                        size_t threads) {
  const size_t longest = std::max<size_t>(std::min(tokens, config.max_tokens()), 1);
  const size_t count = DistanceRowCount(config, longest);
  return Workspace::BytesFor<float>(threads * kQueryBlock * longest) +
         Workspace::BytesFor<float>(threads * kQueryBlock * count) +
         Workspace::BytesFor<float>(threads * longest * count);
}

}  // namespace pocketbert
