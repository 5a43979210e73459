#include "nn/attention.h"

#include <algorithm>

#include "kernels/attention_i16.h"
#include "kernels/gemm_f32.h"
#include "kernels/softmax.h"
#include "nn/position_tables.h"
#include "nn/score_rule.h"

namespace pocketbert {

namespace {

constexpr size_t kQueryBlock = ScoreBlock::kQueries;

// Memory of one thread for sequences of up to `longest` tokens; codes for kInt16 only.
struct Scratch {
  std::span<float> scores;     // [query block, longest]
  std::span<int16_t> shares;   // [query block, longest]: codes of softmax
  std::span<int16_t> queries;  // [longest, head size]
  std::span<int16_t> keys;     // panels
  std::span<int16_t> values;   // panels
  ScoreRule::Scratch distances;
};

void AttendFloat(const AttentionHead& head, const AttentionRule& options, const Scratch& scratch) {
  const ScoreRule rule(options, head, scratch.distances);
  for (size_t first = 0; first < head.length(); first += kQueryBlock) {
    const ScoreBlock block(first, head.length(), options.reach);
    const TensorView<float> scores(scratch.scores.data(), block.queries(), block.keys());
    MatMulTransposed(head.query.Rows(first, block.last), head.key.Rows(block.begin, block.end), {},
                     scores);
    rule.Apply(block, 1, scores);
    Softmax(rule.scale(), scores);
    MatMul(scores, head.value.Rows(block.begin, block.end), head.context.Rows(first, block.last));
  }
}

void AttendInt16(const AttentionHead& head, const AttentionRule& options, const Scratch& scratch) {
  constexpr float kLog2E = 1.44269504f;
  const ScoreRule rule(options, head, scratch.distances);
  const size_t length = head.length();
  const size_t depth = PanelsI16::PaddedDepth(head.size());
  const TensorView<int16_t> queries(scratch.queries.data(), length, depth);
  const PanelsI16 keys{scratch.keys, head.size(), length};
  PanelsI16 values{scratch.values, length, head.size()};
  const float query_scale = QuantizeI16(head.query, queries);
  const float key_scale = PackTransposedI16(head.key, keys);
  float value_scale = options.reach == 0 ? PackI16(head.value, values) : 0;
  const float score_unit = rule.scale() * kLog2E;
  const float score_scale = query_scale * key_scale * score_unit;
  // What the rule changes is in units of scaled scores.
  const bool plain = rule.plain();
  for (size_t first = 0; first < length; first += kQueryBlock) {
    const ScoreBlock block(first, length, options.reach);
    const TensorView<float> scores(scratch.scores.data(), block.queries(), block.keys());
    const TensorView<int16_t> shares(scratch.shares.data(), block.queries(),
                                     PanelsI16::PaddedDepth(block.keys()));
    float row_scales[kQueryBlock];
    const std::span<float> rows(row_scales, block.queries());
    const PanelsI16 seen{scratch.keys.subspan(block.begin * depth), head.size(), block.keys()};
    std::fill(rows.begin(), rows.end(), plain ? 1.0f : score_scale);
    MatMulI16(queries.Rows(first, block.last), seen, rows, scores);
    rule.Apply(block, score_unit, scores);
    SoftmaxI16(plain ? score_scale : 1.0f, scores, shares, rows);
    if (options.reach != 0) {
      values.depth = block.keys();
      value_scale = PackI16(head.value.Rows(block.begin, block.end), values);
    }
    for (float& sum : rows) sum = value_scale / sum;
    MatMulI16(shares, values, rows, head.context.Rows(first, block.last));
  }
}

size_t LongestSequence(const TokenBatch& batch) {
  size_t longest = 0;
  for (size_t s = 0; s < batch.sequences(); ++s) longest = std::max(longest, batch.length(s));
  return longest;
}

}  // namespace

void Attend(const EncoderConfig& config, const TokenBatch& batch, const AttentionTensors& tensors,
            const AttentionRule& rule, Session& session) {
  Workspace::Scope scope(session.workspace);
  Workspace& workspace = session.workspace;
  const size_t threads = session.pool->size();
  const size_t size = config.head_size();
  const size_t longest = LongestSequence(batch);
  const size_t padded = PanelsI16::PaddedDepth(longest);
  const size_t query_distances = kQueryBlock * rule.distance_keys.rows;
  const size_t key_distances = longest * rule.distance_queries.rows;
  PB_CHECK(rule.bias.empty() || rule.bias.cols >= 2 * longest - 1);
  PB_CHECK(rule.distance_rows.empty() || rule.distance_rows.size() >= 2 * longest - 1);
  const auto scores = workspace.Alloc<float>(threads, kQueryBlock * longest);
  const auto distances = workspace.Alloc<float>(threads, query_distances + key_distances);
  TensorView<int16_t> shares, queries, keys, values;
  if (rule.form == AttentionForm::kInt16) {
    shares = workspace.Alloc<int16_t>(threads, kQueryBlock * padded);
    queries = workspace.Alloc<int16_t>(threads, longest * PanelsI16::PaddedDepth(size));
    keys = workspace.Alloc<int16_t>(threads, PanelsI16::Size(size, longest));
    values = workspace.Alloc<int16_t>(threads, PanelsI16::Size(longest, size));
  }
  session.pool->Run(batch.sequences() * config.heads, [&](size_t index, size_t worker) {
    const size_t s = index / config.heads;
    const size_t number = index % config.heads;
    const auto part = [&](auto matrix) {
      return matrix.Rows(batch.begin(s), batch.end(s)).Cols(number * size, (number + 1) * size);
    };
    const AttentionHead head{part(tensors.query), part(tensors.key), part(tensors.value),
                             part(tensors.context), number};
    Scratch scratch;
    scratch.scores = scores.Row(worker);
    scratch.distances = {distances.Row(worker).first(query_distances),
                         distances.Row(worker).subspan(query_distances)};
    if (rule.form == AttentionForm::kFloat) return AttendFloat(head, rule, scratch);
    scratch.shares = shares.Row(worker);
    scratch.queries = queries.Row(worker);
    scratch.keys = keys.Row(worker);
    scratch.values = values.Row(worker);
    AttendInt16(head, rule, scratch);
  });
}

size_t AttendWorkspaceBytes(const EncoderConfig& config, size_t tokens, size_t threads) {
  const size_t longest = std::min(tokens, config.max_tokens());
  const size_t size = config.head_size();
  const auto codes = [&](size_t count) { return Workspace::BytesFor<int16_t>(threads * count); };
  size_t distances = 0;
  if (config.relative == RelativePositions::kDisentangled) {
    const size_t count = DistanceRowCount(config, longest);
    if (config.content_to_position) distances += kQueryBlock * count;
    if (config.position_to_content) distances += longest * count;
  }
  return Workspace::BytesFor<float>(threads * kQueryBlock * longest) +
         Workspace::BytesFor<float>(threads * distances) +
         codes(kQueryBlock * PanelsI16::PaddedDepth(longest)) +
         codes(longest * PanelsI16::PaddedDepth(size)) + codes(PanelsI16::Size(size, longest)) +
         codes(PanelsI16::Size(longest, size));
}

}  // namespace pocketbert
