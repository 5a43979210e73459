#pragma once
// What one forward works out about positions before its first layer: tables for the longest text of
// the batch, shared by all layers, heads and texts. An entry depends on positions only, never on
// the batch.

#include <cstdint>
#include <span>

#include "base/session.h"
#include "base/tensor.h"
#include "nn/batch.h"
#include "nn/config.h"
#include "nn/weights.h"

namespace pocketbert {

// MPNet's distances: 32 buckets, those up to 128 by their logarithm.
inline constexpr size_t kRelativeBiasBuckets = 32;

// L = tokens of the longest sequence, at least 1; D = head size; each empty unless the config has
// it.
struct PositionTables {
  size_t longest = 1;  // L
  // Row p: the cosines of position p's D / 2 angles, then their sines. [L, D] each.
  TensorView<float> rotary;
  TensorView<float> rotary_local;  // of layers with a window
  // Element L - 1 + k - q of a head's row: what is added to the product of query q and key k, which
  // is scaled by 1 / sqrt(D) after that. [heads, 2 L - 1]
  TensorView<float> bias;
  // Element L - 1 + q - k: the row of `distances` that stands for the distance from key k to query
  // q. [2 L - 1]
  std::span<uint32_t> distance_rows;
  TensorView<float> distances;  // [rows in use, hidden_size]: embedded, normalized
  std::span<const float> zeros;  // [hidden_size]: betas of norms that have none
};

// Allocated in the workspace's open scope: PositionTableBytes.
PositionTables MakePositionTables(const EncoderConfig& config, const EncoderWeights& weights,
                                  const TokenBatch& batch, Workspace& workspace);
size_t PositionTableBytes(const EncoderConfig& config, size_t tokens);

// Rows of PositionTables::distances for texts of up to `longest` tokens.
size_t DistanceRowCount(const EncoderConfig& config, size_t longest);

// kRotary: the rotary_factor of NTK scaling, factor^(2 / head size); theta is multiplied by factor.
float NtkRotaryFactor(float factor, size_t head_size);

// kBias: the row of the table for the key `distance` tokens after the query (negative: before it).
// T5's rule: half of the buckets for each direction; of those, half for the distances 0, 1, …, the
// rest for distances up to 128 by their logarithm, all beyond in the last.
size_t RelativeBiasBucket(int64_t distance);

// kDisentangled: the row of the embeddings for the key `distance` tokens before the query (negative:
// after it), in [0, 2 relative_span). With m = relative_buckets / 2, a distance d > m counts as
//   m + ceil(log(d / m) / log((relative_max_distance - 1) / m) * (m - 1))
// (DeBERTa v2 and v3).
size_t DisentangledRow(const EncoderConfig& config, int64_t distance);

}  // namespace pocketbert
