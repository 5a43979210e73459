#include "nn/position_tables.h"

#include <algorithm>
#include <cmath>

#include "kernels/layer_norm.h"
#include "nn/portable_math.h"

namespace pocketbert {

namespace {

size_t LongestSequence(const TokenBatch& batch) {
  size_t longest = 1;
  for (size_t s = 0; s < batch.sequences(); ++s) longest = std::max(longest, batch.length(s));
  return longest;
}

// Powers, frequencies and angles are rounded to float32 where the reference rounds them: at
// position 8000 the last bit of a frequency turns a pair by 0.0005.
void FillRotary(float theta, float factor, TensorView<float> table) {
  const size_t half = table.cols / 2;
  const double log_theta = PortableLog(static_cast<double>(theta));
  for (size_t i = 0; i < half; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(table.cols);
    const float power =
        static_cast<float>(PortableExp(static_cast<double>(exponent) * log_theta));
    const float frequency = 1.0f / power / factor;
    for (size_t p = 0; p < table.rows; ++p) {
      const float angle = static_cast<float>(p) * frequency;
      const auto [sine, cosine] = PortableSineCosine(static_cast<double>(angle));
      const std::span<float> row = table.Row(p);
      row[i] = static_cast<float>(cosine);
      row[half + i] = static_cast<float>(sine);
    }
  }
}

// The table's values in the order of distances, times sqrt(head size): softmax divides by it.
void FillBias(const EncoderConfig& config, TensorView<const float> table, size_t longest,
              TensorView<float> bias) {
  const float scale = std::sqrt(static_cast<float>(config.head_size()));
  for (size_t i = 0; i < bias.cols; ++i) {
    const int64_t distance = static_cast<int64_t>(i) - static_cast<int64_t>(longest - 1);
    const std::span<const float> row = table.Row(RelativeBiasBucket(distance));
    for (size_t head = 0; head < bias.rows; ++head) bias.Row(head)[i] = row[head] * scale;
  }
}

// Rows first, first + 1, … of the embeddings are those that distances below `longest` use.
size_t FirstDistanceRow(const EncoderConfig& config, size_t longest) {
  return DisentangledRow(config, -static_cast<int64_t>(longest - 1));
}

void FillDistances(const EncoderConfig& config, const EncoderWeights& weights,
                   PositionTables& tables) {
  const size_t first = FirstDistanceRow(config, tables.longest);
  for (size_t i = 0; i < tables.distance_rows.size(); ++i) {
    const int64_t distance = static_cast<int64_t>(i) - static_cast<int64_t>(tables.longest - 1);
    tables.distance_rows[i] = static_cast<uint32_t>(DisentangledRow(config, distance) - first);
  }
  const TensorView<const float> embeddings =
      weights.relative_embeddings.Rows(first, first + tables.distances.rows);
  if (config.relative_norm) {
    const std::span<const float> beta =
        config.norm_bias ? weights.relative_norm.beta : tables.zeros;
    return LayerNorm(embeddings, {weights.relative_norm.gamma, beta, config.layer_norm_eps},
                     tables.distances);
  }
  for (size_t r = 0; r < embeddings.rows; ++r) {
    const std::span<const float> row = embeddings.Row(r);
    std::copy(row.begin(), row.end(), tables.distances.Row(r).begin());
  }
}

}  // namespace

float NtkRotaryFactor(float factor, size_t head_size) {
  const double exponent = 2 / static_cast<double>(head_size);
  return static_cast<float>(PortableExp(exponent * PortableLog(static_cast<double>(factor))));
}

size_t RelativeBiasBucket(int64_t distance) {
  constexpr size_t kHalf = kRelativeBiasBuckets / 2;  // of each direction
  constexpr uint64_t kExact = kHalf / 2;
  const size_t direction = distance > 0 ? kHalf : 0;
  const uint64_t n = static_cast<uint64_t>(distance < 0 ? -distance : distance);
  if (n < kExact) return direction + n;
  // 8 log(n / 8) / log(128 / 8), rounded down: how often n^2 / 64 can be halved.
  size_t bucket = kExact;
  for (uint64_t bound = 2 * kExact * kExact; n * n >= bound && bucket < kHalf - 1; bound *= 2) {
    ++bucket;
  }
  return direction + bucket;
}

size_t DisentangledRow(const EncoderConfig& config, int64_t distance) {
  const int64_t span = static_cast<int64_t>(config.relative_span());
  const int64_t middle = static_cast<int64_t>(config.relative_buckets / 2);
  const int64_t size = distance < 0 ? -distance : distance;
  int64_t bucket = distance;
  if (middle > 0 && size > middle) {
    const double per_step =
        PortableLog(static_cast<double>(config.relative_max_distance - 1) /
                    static_cast<double>(middle));
    const double steps = PortableLog(static_cast<double>(size) / static_cast<double>(middle)) /
                         per_step * static_cast<double>(middle - 1);
    bucket = static_cast<int64_t>(std::ceil(steps)) + middle;
    if (distance < 0) bucket = -bucket;
  }
  return static_cast<size_t>(std::clamp<int64_t>(bucket + span, 0, 2 * span - 1));
}

size_t DistanceRowCount(const EncoderConfig& config, size_t longest) {
  longest = std::max<size_t>(longest, 1);
  return DisentangledRow(config, static_cast<int64_t>(longest) - 1) + 1 -
         FirstDistanceRow(config, longest);
}

PositionTables MakePositionTables(const EncoderConfig& config, const EncoderWeights& weights,
                                  const TokenBatch& batch, Workspace& workspace) {
  PositionTables tables;
  const size_t longest = LongestSequence(batch);
  tables.longest = longest;
  if (!config.norm_bias) {
    const std::span<float> zeros = workspace.AllocVector<float>(config.hidden_size);
    std::fill(zeros.begin(), zeros.end(), 0.0f);
    tables.zeros = zeros;
  }
  switch (config.relative) {
    case RelativePositions::kNone: break;
    case RelativePositions::kRotary:
      tables.rotary = workspace.Alloc<float>(longest, config.head_size());
      FillRotary(config.rotary_theta, config.rotary_factor, tables.rotary);
      if (config.global_every == 1) break;
      tables.rotary_local = workspace.Alloc<float>(longest, config.head_size());
      FillRotary(config.rotary_local_theta, config.rotary_factor, tables.rotary_local);
      break;
    case RelativePositions::kBias:
      tables.bias = workspace.Alloc<float>(config.heads, 2 * longest - 1);
      FillBias(config, weights.relative_bias, longest, tables.bias);
      break;
    case RelativePositions::kDisentangled:
      tables.distance_rows = workspace.AllocVector<uint32_t>(2 * longest - 1);
      tables.distances =
          workspace.Alloc<float>(DistanceRowCount(config, longest), config.hidden_size);
      FillDistances(config, weights, tables);
      break;
  }
  return tables;
}

size_t PositionTableBytes(const EncoderConfig& config, size_t tokens) {
  const size_t longest = std::max<size_t>(std::min(tokens, config.max_tokens()), 1);
  const size_t zeros = config.norm_bias ? 0 : Workspace::BytesFor<float>(config.hidden_size);
  switch (config.relative) {
    case RelativePositions::kNone: return zeros;
    case RelativePositions::kRotary: {
      const size_t tables = config.global_every == 1 ? 1 : 2;
      return zeros + tables * Workspace::BytesFor<float>(longest * config.head_size());
    }
    case RelativePositions::kBias:
      return zeros + Workspace::BytesFor<float>(config.heads * (2 * longest - 1));
    case RelativePositions::kDisentangled:
      return zeros + Workspace::BytesFor<uint32_t>(2 * longest - 1) +
             Workspace::BytesFor<float>(DistanceRowCount(config, longest) * config.hidden_size);
  }
  PB_CHECK(false && "unknown kind of positions");
}

}  // namespace pocketbert
