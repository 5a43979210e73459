#include "nn/attention.h"

#include <algorithm>

#include "kernels/attention_i16.h"
#include "kernels/elementwise.h"
#include "kernels/gemm_f32.h"
#include "kernels/softmax.h"
#include "nn/attention_head.h"

namespace pocketbert {

namespace {

// Scores of keys that a query must not see: softmax makes of them less than 1e-37 of a share.
constexpr float kUnseen = -1e30f;

// Memory of one thread for sequences of up to `longest` tokens; all but `scores` for kInt16.
struct Scratch {
  std::span<float> scores;     // [query block, longest]
  std::span<int16_t> shares;   // [query block, longest]: codes of softmax
  std::span<int16_t> queries;  // [longest, head size]
  std::span<int16_t> keys;     // panels
  std::span<int16_t> values;   // panels
};

// A block of queries [first, last) and the keys [begin, end) that at least one of them sees, from a
// multiple of a panel's columns on.
struct Block {
  size_t first, last, begin, end;

  Block(size_t first, size_t length, size_t reach)
      : first(first), last(std::min(length, first + kQueryBlock)), begin(0), end(length) {
    if (reach == 0) return;
    if (first > reach) begin = (first - reach) / PanelsI16::kPanelCols * PanelsI16::kPanelCols;
    end = std::min(length, last + reach);
  }
  size_t queries() const { return last - first; }
  size_t keys() const { return end - begin; }
};

// Adds unit * bias to the block's scores, then takes the keys out of sight that are too far.
void ApplyRule(const AttentionRule& rule, size_t head, const Block& block, float unit,
               TensorView<float> scores) {
  for (size_t r = 0; r < block.queries(); ++r) {
    const size_t q = block.first + r;
    const std::span<float> row = scores.Row(r);
    if (!rule.bias.empty()) {
      const size_t middle = rule.bias.cols / 2;  // of distance 0
      AddScaled(unit, rule.bias.Row(head).subspan(middle + block.begin - q, block.keys()), row);
    }
    if (rule.reach == 0) continue;
    const size_t begin = std::max(block.begin, q - std::min(q, rule.reach)) - block.begin;
    const size_t end = std::min(block.end, q + rule.reach + 1) - block.begin;
    std::fill(row.begin(), row.begin() + static_cast<ptrdiff_t>(begin), kUnseen);
    std::fill(row.begin() + static_cast<ptrdiff_t>(end), row.end(), kUnseen);
  }
}

void AttendFloat(const AttentionHead& head, const AttentionRule& rule, const Scratch& scratch) {
  for (size_t first = 0; first < head.length(); first += kQueryBlock) {
    const Block block(first, head.length(), rule.reach);
    const TensorView<float> scores(scratch.scores.data(), block.queries(), block.keys());
    MatMulTransposed(head.query.Rows(first, block.last), head.key.Rows(block.begin, block.end), {},
                     scores);
    ApplyRule(rule, head.number, block, 1, scores);
    Softmax(head.score_scale(), scores);
    MatMul(scores, head.value.Rows(block.begin, block.end), head.context.Rows(first, block.last));
  }
}

void AttendInt16(const AttentionHead& head, const AttentionRule& rule, const Scratch& scratch) {
  constexpr float kLog2E = 1.44269504f;
  const size_t length = head.length();
  const size_t depth = PanelsI16::PaddedDepth(head.size());
  const TensorView<int16_t> queries(scratch.queries.data(), length, depth);
  const PanelsI16 keys{scratch.keys, head.size(), length};
  PanelsI16 values{scratch.values, length, head.size()};
  const float query_scale = QuantizeI16(head.query, queries);
  const float key_scale = PackTransposedI16(head.key, keys);
  float value_scale = rule.reach == 0 ? PackI16(head.value, values) : 0;
  const float score_unit = head.score_scale() * kLog2E;
  const float score_scale = query_scale * key_scale * score_unit;
  // What the rule changes is in units of scaled scores.
  const bool plain = rule.bias.empty() && rule.reach == 0;
  for (size_t first = 0; first < length; first += kQueryBlock) {
    const Block block(first, length, rule.reach);
    const TensorView<float> scores(scratch.scores.data(), block.queries(), block.keys());
    const TensorView<int16_t> shares(scratch.shares.data(), block.queries(),
                                     PanelsI16::PaddedDepth(block.keys()));
    float row_scales[kQueryBlock];
    const std::span<float> rows(row_scales, block.queries());
    const PanelsI16 seen{scratch.keys.subspan(block.begin * depth), head.size(), block.keys()};
    std::fill(rows.begin(), rows.end(), plain ? 1.0f : score_scale);
    MatMulI16(queries.Rows(first, block.last), seen, rows, scores);
    ApplyRule(rule, head.number, block, score_unit, scores);
    SoftmaxI16(plain ? score_scale : 1.0f, scores, shares, rows);
    if (rule.reach != 0) {
      values.depth = block.keys();
      value_scale = PackI16(head.value.Rows(block.begin, block.end), values);
    }
    for (float& sum : rows) sum = value_scale / sum;
    MatMulI16(shares, values, rows, head.context.Rows(first, block.last));
  }
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
  PB_CHECK(rule.bias.empty() || rule.bias.cols >= 2 * longest - 1);
  const auto scores = workspace.Alloc<float>(threads, kQueryBlock * longest);
  TensorView<int16_t> shares, queries, keys, values;
  if (rule.form == AttentionForm::kInt16) {
    shares = workspace.Alloc<int16_t>(threads, kQueryBlock * padded);
    queries = workspace.Alloc<int16_t>(threads, longest * PanelsI16::PaddedDepth(size));
    keys = workspace.Alloc<int16_t>(threads, PanelsI16::Size(size, longest));
    values = workspace.Alloc<int16_t>(threads, PanelsI16::Size(longest, size));
  }
  ForEachHead(config, batch, tensors, session, [&](const AttentionHead& head, size_t worker) {
    if (rule.form == AttentionForm::kFloat) {
      AttendFloat(head, rule, {scores.Row(worker), {}, {}, {}, {}});
    } else {
      AttendInt16(head, rule, {scores.Row(worker), shares.Row(worker), queries.Row(worker),
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
