#include "kernels/gemm_i8.h"

#include <algorithm>

#include "kernels/simd.h"

namespace pocketbert {

namespace {

using namespace simd;  // NOLINT: the vocabulary of a kernel file

constexpr size_t kPanelRows = PackedI8::kPanelRows;
constexpr size_t kBlockCols = PackedI8::kBlockCols;
constexpr size_t kBlockBytes = kPanelRows * kBlockCols;
constexpr size_t kLaneBlocks = PackedI8::kLaneBlocks;

// One group of one panel.
struct GroupWeights {
  const int8_t* panel;  // [depth / 4, 8, 4]
  const float* scales;  // [8]
  const float* sums;    // [8]
  size_t depth;         // padded columns of the group
};

// Where some rows' codes of one group lie, and the panel's 8 columns of their results. Rows are
// *_stride apart.
template <typename Code>
struct GroupRows {
  const Code* codes;
  const float* scales;
  const float* offsets;
  const float* before;  // results without this group: the bias, or `c` itself
  float* c;
  size_t code_stride, scale_stride, offset_stride, before_stride, c_stride;
  size_t count;

  HWY_INLINE void Advance(size_t rows) {
    codes += rows * code_stride;
    scales += rows * scale_stride;
    offsets += rows * offset_stride;
    before += rows * before_stride;
    c += rows * c_stride;
    count -= rows;
  }
};

// Adds the group's share to columns [4 v, 4 v + 4) of row m, given their integer products.
template <typename Code>
HWY_INLINE void AddShare(const GroupRows<Code>& rows, size_t m, size_t v, VecI32 dots,
                         const GroupWeights& weights) {
  const F32 tag;
  const size_t column = v * kLanes;
  const VecF32 scale = hn::Set(tag, rows.scales[m * rows.scale_stride]);
  const VecF32 offset = hn::Set(tag, rows.offsets[m * rows.offset_stride]);
  const VecF32 weight_scale = hn::LoadU(tag, weights.scales + column);
  const VecF32 weight_sum = hn::LoadU(tag, weights.sums + column);
  VecF32 sum = hn::LoadU(tag, rows.before + m * rows.before_stride + column);
  sum = hn::Add(sum, hn::Mul(hn::Mul(hn::ConvertTo(tag, dots), weight_scale), scale));
  sum = hn::Add(sum, hn::Mul(offset, weight_sum));
  hn::StoreU(sum, tag, rows.c + m * rows.c_stride + column);
}

HWY_INLINE VecU8 FourCodes(const uint8_t* codes) {
  return hn::BitCast(U8(), LoadRepeated<int32_t>(codes));
}

// dots += the products of four blocks, of which pairs are summed in 16 bits.
template <size_t Rows>
HWY_INLINE void AddFourBlocks(const int8_t* w, const uint8_t* codes, size_t stride, VecI16 ones,
                              VecI32 (&dots)[Rows][2]) {
  VecI16 pairs[Rows][2];
  for (size_t m = 0; m < Rows; ++m) pairs[m][0] = pairs[m][1] = hn::Zero(I16());
  for (size_t block = 0; block < kLaneBlocks; ++block, w += kBlockBytes, codes += kBlockCols) {
    const VecI8 w0 = hn::LoadU(I8(), w);
    const VecI8 w1 = hn::LoadU(I8(), w + 16);
    for (size_t m = 0; m < Rows; ++m) {
      const VecU8 a = FourCodes(codes + m * stride);
      pairs[m][0] = hn::Add(pairs[m][0], DotPairs(w0, a));
      pairs[m][1] = hn::Add(pairs[m][1], DotPairs(w1, a));
    }
  }
  for (auto& row : dots) {
    const size_t m = static_cast<size_t>(&row - dots);
    row[0] = hn::Add(row[0], DotPairs(pairs[m][0], ones));
    row[1] = hn::Add(row[1], DotPairs(pairs[m][1], ones));
  }
}

// Activations as bytes, dot products of four, or of four blocks' four at once.
template <size_t Rows, DotForm Form>
HWY_NOINLINE void QuadRows(const GroupWeights& group, const GroupRows<uint8_t>& all) {
  const VecI16 ones = LoadOnes();
  // Copies: the compiler need not fear that results are written over them.
  const GroupWeights weights = group;
  for (GroupRows<uint8_t> rows = all; rows.count >= Rows; rows.Advance(Rows)) {
    VecI32 dots[Rows][2];
    for (size_t m = 0; m < Rows; ++m) dots[m][0] = dots[m][1] = hn::Zero(I32());
    const int8_t* w = weights.panel;
    size_t k = 0;
    if (Form == DotForm::kSplit) {
      constexpr size_t kStep = kLaneBlocks * kBlockCols;
      for (; k + kStep <= weights.depth; k += kStep, w += kLaneBlocks * kBlockBytes) {
        AddFourBlocks(w, rows.codes + k, rows.code_stride, ones, dots);
      }
    }
    for (; k < weights.depth; k += kBlockCols, w += kBlockBytes) {
      const VecI8 w0 = hn::LoadU(I8(), w);
      const VecI8 w1 = hn::LoadU(I8(), w + 16);
      for (size_t m = 0; m < Rows; ++m) {
        const VecU8 a = FourCodes(rows.codes + m * rows.code_stride + k);
        dots[m][0] = Form == DotForm::kFused ? DotQuadsFused(w0, a, ones, dots[m][0])
                                             : DotQuadsSplit(w0, a, ones, dots[m][0]);
        dots[m][1] = Form == DotForm::kFused ? DotQuadsFused(w1, a, ones, dots[m][1])
                                             : DotQuadsSplit(w1, a, ones, dots[m][1]);
      }
    }
    for (size_t m = 0; m < Rows; ++m) {
      AddShare(rows, m, 0, dots[m][0], weights);
      AddShare(rows, m, 1, dots[m][1], weights);
    }
  }
}

// Activations as 16-bit integers, dot products of two; half a panel at a time, its columns 0 and 1
// in one accumulator, 2 and 3 in another.
template <size_t Rows>
HWY_NOINLINE void PairRows(const GroupWeights& group, const GroupRows<int16_t>& all) {
  const I32 tag;
  const hn::Half<I8> half;
  const GroupWeights weights = group;
  for (GroupRows<int16_t> rows = all; rows.count >= Rows; rows.Advance(Rows)) {
    for (size_t v = 0; v < 2; ++v) {
      VecI32 dots[Rows][2];
      for (size_t m = 0; m < Rows; ++m) dots[m][0] = dots[m][1] = hn::Zero(tag);
      const int8_t* w = weights.panel + v * (kBlockBytes / 2);
      for (size_t k = 0; k < weights.depth; k += kBlockCols, w += kBlockBytes) {
        const VecI16 w0 = hn::PromoteTo(I16(), hn::LoadU(half, w));
        const VecI16 w1 = hn::PromoteTo(I16(), hn::LoadU(half, w + 8));
        for (size_t m = 0; m < Rows; ++m) {
          const int16_t* codes = rows.codes + m * rows.code_stride + k;
          const VecI16 a = hn::BitCast(I16(), LoadRepeated<int64_t>(codes));
          dots[m][0] = hn::Add(dots[m][0], DotPairs(w0, a));
          dots[m][1] = hn::Add(dots[m][1], DotPairs(w1, a));
        }
      }
      for (size_t m = 0; m < Rows; ++m) {
        const VecI32 columns = hn::Add(hn::ConcatEven(tag, dots[m][1], dots[m][0]),
                                       hn::ConcatOdd(tag, dots[m][1], dots[m][0]));
        AddShare(rows, m, v, columns, weights);
      }
    }
  }
}

// Calls add_shares(weights, rows) for every group of panel p, for rows from `first` on, whose
// results go to `c` [rows, 8].
template <typename Code, typename AddShares>
void ForEachGroup(const QuantizedRows<Code>& a, size_t first, const PackedI8& weights, size_t p,
                  const float* bias, TensorView<float> c, const AddShares& add_shares) {
  const size_t groups = weights.group_count();
  for (size_t g = 0; g < groups; ++g) {
    const size_t k = g * a.group_size;
    const size_t factors = (p * groups + g) * kPanelRows;
    const GroupWeights group = {
        weights.panels.data() + p * weights.panel_bytes() + k * kPanelRows,
        weights.scales.data() + factors, weights.sums.data() + factors,
        std::min(a.group_size, a.codes.cols - k)};
    const GroupRows<Code> rows = {a.codes.data + first * a.codes.stride + k,
                                  a.scales.data + first * a.scales.stride + g,
                                  a.offsets.data + first * a.offsets.stride + g,
                                  g == 0 ? bias : c.data,
                                  c.data,
                                  a.codes.stride,
                                  a.scales.stride,
                                  a.offsets.stride,
                                  g == 0 ? 0 : c.stride,
                                  c.stride,
                                  c.rows};
    add_shares(group, rows);
  }
}

// Panels outside, then groups: a group of a panel, 1 kB of weights, stays in the first-level cache
// while the rows pass by, and while they do the next one is on its way.
template <typename Code, typename AddShares>
void ForEachPanel(const QuantizedRows<Code>& a, const PackedI8& weights,
                  std::span<const float> bias, TensorView<float> c, const AddShares& add_shares) {
  PB_CHECK(a.cols == weights.cols && a.group_size == weights.group_size);
  PB_CHECK(c.rows == a.codes.rows && c.cols == weights.rows);
  PB_CHECK(bias.empty() || bias.size() == weights.rows);
  // Results of the last panel, if it has fewer than 8 columns, some rows at a time.
  constexpr size_t kRowsAside = 32;
  for (size_t p = 0; p < weights.panel_count(); ++p) {
    const size_t column = p * kPanelRows;
    const size_t columns = std::min(kPanelRows, weights.rows - column);
    float panel_bias[kPanelRows] = {};
    if (!bias.empty()) std::copy_n(bias.data() + column, columns, panel_bias);
    if (columns == kPanelRows) {
      ForEachGroup(a, 0, weights, p, panel_bias, c.Cols(column, column + columns), add_shares);
      continue;
    }
    float aside[kRowsAside * kPanelRows];
    for (size_t first = 0; first < c.rows; first += kRowsAside) {
      const size_t count = std::min(kRowsAside, c.rows - first);
      ForEachGroup(a, first, weights, p, panel_bias, {aside, count, kPanelRows}, add_shares);
      for (size_t m = 0; m < count; ++m) {
        std::copy_n(aside + m * kPanelRows, columns, &c.Row(first + m)[column]);
      }
    }
  }
}

// The rows that are left over after tiles of `tile` rows.
template <typename Code>
GroupRows<Code> RowsAfter(GroupRows<Code> rows, size_t tile) {
  rows.Advance(rows.count / tile * tile);
  return rows;
}

}  // namespace

// Tiles are as high as registers allow: with two rows the split form has 4 accumulators, 4 sums of
// pairs, 2 vectors of weights and the ones.
void MatMulI8(const QuantizedRows<uint8_t>& a, const PackedI8& weights,
              std::span<const float> bias, DotForm form, TensorView<float> c) {
  if (form == DotForm::kFused) {
    ForEachPanel(a, weights, bias, c, [](const GroupWeights& group, const auto& rows) {
      QuadRows<4, DotForm::kFused>(group, rows);
      QuadRows<1, DotForm::kFused>(group, RowsAfter(rows, 4));
    });
  } else {
    ForEachPanel(a, weights, bias, c, [](const GroupWeights& group, const auto& rows) {
      QuadRows<2, DotForm::kSplit>(group, rows);
      QuadRows<1, DotForm::kSplit>(group, RowsAfter(rows, 2));
    });
  }
}

void MatMulI8(const QuantizedRows<int16_t>& a, const PackedI8& weights,
              std::span<const float> bias, TensorView<float> c) {
  ForEachPanel(a, weights, bias, c, [](const GroupWeights& group, const auto& rows) {
    PairRows<4>(group, rows);
    PairRows<1>(group, RowsAfter(rows, 4));
  });
}

int32_t ProbeRelaxedDot() {
  // From memory that the compiler cannot see through, so that the engine runs the instruction
  // instead of the compiler.
  alignas(16) int8_t weights[16];
  alignas(16) uint8_t activations[16];
  std::fill_n(weights, 16, int8_t{127});
  std::fill_n(activations, 16, uint8_t{255});
  const int8_t* w = weights;
  const uint8_t* a = activations;
  asm volatile("" : "+r"(w), "+r"(a) : : "memory");
  return hn::GetLane(
      DotQuadsFused(hn::Load(I8(), w), hn::Load(U8(), a), LoadOnes(), hn::Zero(I32())));
}

DotForm RelaxedDotForm() {
#if defined(__wasm_relaxed_simd__)
  constexpr int32_t kUnsignedDot = 127 * 255 * 4;
  constexpr int32_t kSignedDot = -127 * 4;
  const int32_t probe = ProbeRelaxedDot();
  return probe == kUnsignedDot || probe == kSignedDot ? DotForm::kFused : DotForm::kSplit;
#else
  return DotForm::kSplit;
#endif
}

}  // namespace pocketbert
