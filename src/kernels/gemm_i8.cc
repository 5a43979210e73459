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
  const int8_t* panel;  // [depth / 4, 8, 4], or [depth / 2, 8, 2] for PairRows
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

// Adds the group's share to the results of a tile, given its integer products. All is read before
// anything is written: the compiler must take results for what is read next.
template <size_t Rows, typename Code>
HWY_INLINE void AddShares(const GroupRows<Code>& rows, const VecI32 (&dots)[Rows][2],
                          const GroupWeights& weights) {
  const F32 tag;
  VecF32 sums[Rows][2];
  for (size_t v = 0; v < 2; ++v) {
    const VecF32 weight_scale = hn::LoadU(tag, weights.scales + v * kLanes);
    const VecF32 weight_sum = hn::LoadU(tag, weights.sums + v * kLanes);
    for (size_t m = 0; m < Rows; ++m) {
      const VecF32 scale = hn::Set(tag, rows.scales[m * rows.scale_stride]);
      const VecF32 offset = hn::Set(tag, rows.offsets[m * rows.offset_stride]);
      const VecF32 before =
          hn::LoadU(tag, rows.before + m * rows.before_stride + v * kLanes);
      const VecF32 product = hn::Mul(hn::Mul(hn::ConvertTo(tag, dots[m][v]), weight_scale), scale);
      sums[m][v] = hn::Add(hn::Add(before, product), hn::Mul(offset, weight_sum));
    }
  }
  for (size_t m = 0; m < Rows; ++m) {
    hn::StoreU(sums[m][0], tag, rows.c + m * rows.c_stride);
    hn::StoreU(sums[m][1], tag, rows.c + m * rows.c_stride + kLanes);
  }
}

// Where the codes of a tile's rows lie: a pointer for each row, and the compiler is not told how
// far apart they are. V8 adds an offset to the address of memory in each loading of repeated codes;
// with pointers, the rows share these sums.
template <size_t Rows, typename Code>
struct CodePointers {
  const Code* row[Rows];

  explicit HWY_INLINE CodePointers(const GroupRows<Code>& rows) {
    for (size_t m = 0; m < Rows; ++m) {
      row[m] = rows.codes + m * rows.code_stride;
      asm("" : "+r"(row[m]));
    }
  }
  HWY_INLINE void Advance(size_t codes) {
    for (const Code*& at : row) at += codes;
  }
};

HWY_INLINE VecU8 FourCodes(const uint8_t* codes) {
  return hn::BitCast(U8(), LoadRepeated<int32_t>(codes));
}

// dots += the products of four blocks, of which pairs are summed in 16 bits. The first block's sums
// are assigned, not added to zeros: the compiler would order the sums so that V8 spills.
template <size_t Rows>
HWY_INLINE void AddFourBlocks(const int8_t* w, const CodePointers<Rows, uint8_t>& codes,
                              VecI16 ones, VecI32 (&dots)[Rows][2]) {
  VecI16 sums[Rows][2];
  for (size_t block = 0; block < kLaneBlocks; ++block) {
    const VecI8 w0 = hn::LoadU(I8(), w + block * kBlockBytes);
    const VecI8 w1 = hn::LoadU(I8(), w + block * kBlockBytes + 16);
    for (size_t m = 0; m < Rows; ++m) {
      const VecU8 a = FourCodes(codes.row[m] + block * kBlockCols);
      sums[m][0] = block == 0 ? DotPairs(w0, a) : hn::Add(sums[m][0], DotPairs(w0, a));
      sums[m][1] = block == 0 ? DotPairs(w1, a) : hn::Add(sums[m][1], DotPairs(w1, a));
    }
  }
  for (size_t m = 0; m < Rows; ++m) {
    dots[m][0] = hn::Add(dots[m][0], DotPairs(sums[m][0], ones));
    dots[m][1] = hn::Add(dots[m][1], DotPairs(sums[m][1], ones));
  }
}

// dots += the products of one block.
template <size_t Rows, DotForm Form>
HWY_INLINE void AddBlock(const int8_t* w, const CodePointers<Rows, uint8_t>& codes, VecI16 ones,
                         VecI32 (&dots)[Rows][2]) {
  const VecI8 w0 = hn::LoadU(I8(), w);
  const VecI8 w1 = hn::LoadU(I8(), w + 16);
  for (size_t m = 0; m < Rows; ++m) {
    const VecU8 a = FourCodes(codes.row[m]);
    dots[m][0] = Form == DotForm::kFused ? DotQuadsFused(w0, a, ones, dots[m][0])
                                         : DotQuadsSplit(w0, a, ones, dots[m][0]);
    dots[m][1] = Form == DotForm::kFused ? DotQuadsFused(w1, a, ones, dots[m][1])
                                         : DotQuadsSplit(w1, a, ones, dots[m][1]);
  }
}

// Activations as bytes, dot products of four, or of four blocks' four at once.
template <size_t Rows, DotForm Form>
HWY_INLINE void AddQuadTile(const GroupWeights& weights, const GroupRows<uint8_t>& rows,
                            VecI16 ones) {
  VecI32 dots[Rows][2];
  for (auto& row : dots) row[0] = row[1] = hn::Zero(I32());
  CodePointers<Rows, uint8_t> codes(rows);
  const int8_t* w = weights.panel;
  const int8_t* end = w + weights.depth * kPanelRows;
  if (Form == DotForm::kSplit) {
    constexpr size_t kStep = kLaneBlocks * kBlockCols;
    const int8_t* whole = w + weights.depth / kStep * kStep * kPanelRows;
    for (; w != whole; w += kStep * kPanelRows, codes.Advance(kStep)) {
      AddFourBlocks(w, codes, ones, dots);
    }
  }
  for (; w != end; w += kBlockBytes, codes.Advance(kBlockCols)) {
    AddBlock<Rows, Form>(w, codes, ones, dots);
  }
  AddShares(rows, dots, weights);
}

// The arguments are copied: the compiler need not fear that results are written over them.
template <size_t kRows, DotForm Form>
HWY_NOINLINE void AddQuadRows(const GroupWeights& group, const GroupRows<uint8_t>& all) {
  const VecI16 ones = LoadOnes();
  const GroupWeights weights = group;
  GroupRows<uint8_t> rows = all;
  for (; rows.count >= kRows; rows.Advance(kRows)) AddQuadTile<kRows, Form>(weights, rows, ones);
}

// Tiles are as high as registers allow: with two rows the split form has 4 accumulators, 4 sums of
// pairs, 2 vectors of weights and the ones.
template <DotForm Form>
void AddQuadShares(const GroupWeights& group, const GroupRows<uint8_t>& all) {
  constexpr size_t kRows = Form == DotForm::kFused ? 4 : 2;
  if (all.count >= kRows) AddQuadRows<kRows, Form>(group, all);
  if (all.count % kRows == 0) return;
  GroupRows<uint8_t> rest = all;
  rest.Advance(all.count / kRows * kRows);
  AddQuadRows<1, Form>(group, rest);
}

HWY_INLINE VecI16 EightWeights(const int8_t* at) {
  return hn::PromoteTo(I16(), hn::LoadU(hn::Half<I8>(), at));
}
HWY_INLINE VecI16 EightWeights(const int16_t* at) { return hn::LoadU(I16(), at); }

// Activations as 16-bit integers, dot products of two. `twos` [depth / 2, 8, 2]: the panel's group,
// as it is or widened.
template <size_t Rows, typename Weight>
HWY_INLINE void AddPairTile(const Weight* twos, const GroupWeights& weights,
                            const GroupRows<int16_t>& rows) {
  VecI32 dots[Rows][2];
  for (auto& row : dots) row[0] = row[1] = hn::Zero(I32());
  CodePointers<Rows, int16_t> codes(rows);
  const Weight* end = twos + weights.depth * kPanelRows;
  for (; twos != end; twos += 2 * kPanelRows, codes.Advance(2)) {
    const VecI16 w0 = EightWeights(twos);
    const VecI16 w1 = EightWeights(twos + kPanelRows);
    for (size_t m = 0; m < Rows; ++m) {
      const VecI16 a = hn::BitCast(I16(), LoadRepeated<int32_t>(codes.row[m]));
      dots[m][0] = hn::Add(dots[m][0], DotPairs(w0, a));
      dots[m][1] = hn::Add(dots[m][1], DotPairs(w1, a));
    }
  }
  AddShares(rows, dots, weights);
}

// From this many rows on, widening a group first is faster.
constexpr size_t kRowsToWiden = 12;

// All of a group in one function, so large that V8 does not inline it: that would cost its loops
// their unrolling.
HWY_NOINLINE void AddPairShares(const GroupWeights& group, const GroupRows<int16_t>& all) {
  const GroupWeights weights = group;
  GroupRows<int16_t> rows = all;
  if (rows.count >= kRowsToWiden) {
    alignas(16) int16_t wide[kMaxGroupSize * kPanelRows];
    for (size_t i = 0; i < weights.depth * kPanelRows; i += 8) {
      hn::Store(EightWeights(weights.panel + i), I16(), wide + i);
    }
    for (; rows.count >= 4; rows.Advance(4)) AddPairTile<4>(wide, weights, rows);
  }
  for (; rows.count >= 4; rows.Advance(4)) AddPairTile<4>(weights.panel, weights, rows);
  for (; rows.count > 0; rows.Advance(1)) AddPairTile<1>(weights.panel, weights, rows);
}

// Calls add_shares(weights, rows) for every group of panel p; `rows` is as for the first one.
template <typename Code, typename AddShares>
void ForEachGroup(const PackedI8& weights, size_t p, GroupRows<Code> rows,
                  const AddShares& add_shares) {
  const size_t factors = p * weights.group_count() * kPanelRows;
  GroupWeights group = {weights.panels.data() + p * weights.panel_bytes(),
                        weights.scales.data() + factors, weights.sums.data() + factors, 0};
  for (size_t rest = PackedI8::PaddedCols(weights.cols); rest > 0; rest -= group.depth) {
    group.depth = std::min(weights.group_size, rest);
    add_shares(group, rows);
    group.panel += group.depth * kPanelRows;
    group.scales += kPanelRows;
    group.sums += kPanelRows;
    rows.codes += group.depth;
    ++rows.scales;
    ++rows.offsets;
    rows.before = rows.c;
    rows.before_stride = rows.c_stride;
  }
}

// The first group of rows from `first` on, whose results go to `c` [rows, 8]; `bias` [8].
template <typename Code>
GroupRows<Code> FirstGroup(const QuantizedRows<Code>& a, size_t first, const float* bias,
                           TensorView<float> c) {
  return {a.codes.data + first * a.codes.stride,
          a.scales.data + first * a.scales.stride,
          a.offsets.data + first * a.offsets.stride,
          bias,
          c.data,
          a.codes.stride,
          a.scales.stride,
          a.offsets.stride,
          0,
          c.stride,
          c.rows};
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
  static constexpr float kNoBias[kPanelRows] = {};
  for (size_t p = 0; p < weights.panel_count(); ++p) {
    const size_t column = p * kPanelRows;
    const size_t columns = std::min(kPanelRows, weights.rows - column);
    const float* panel_bias = bias.empty() ? kNoBias : bias.data() + column;
    if (columns == kPanelRows) {
      const TensorView<float> panel(c.data + column, c.rows, columns, c.stride);
      ForEachGroup(weights, p, FirstGroup(a, 0, panel_bias, panel), add_shares);
      continue;
    }
    float aside[kRowsAside * kPanelRows];
    float bias_aside[kPanelRows] = {};
    std::copy_n(panel_bias, columns, bias_aside);
    panel_bias = bias_aside;
    for (size_t first = 0; first < c.rows; first += kRowsAside) {
      const TensorView<float> panel(aside, std::min(kRowsAside, c.rows - first), kPanelRows);
      ForEachGroup(weights, p, FirstGroup(a, first, panel_bias, panel), add_shares);
      for (size_t m = 0; m < panel.rows; ++m) {
        std::copy_n(panel.Row(m).begin(), columns, &c.Row(first + m)[column]);
      }
    }
  }
}

}  // namespace

void MatMulI8(const QuantizedRows<uint8_t>& a, const PackedI8& weights,
              std::span<const float> bias, DotForm form, TensorView<float> c) {
  PB_CHECK(weights.order == PanelOrder::kFours);
  if (form == DotForm::kFused) {
    ForEachPanel(a, weights, bias, c, AddQuadShares<DotForm::kFused>);
  } else {
    ForEachPanel(a, weights, bias, c, AddQuadShares<DotForm::kSplit>);
  }
}

void MatMulI8(const QuantizedRows<int16_t>& a, const PackedI8& weights,
              std::span<const float> bias, TensorView<float> c) {
  PB_CHECK(weights.order == PanelOrder::kTwos);
  ForEachPanel(a, weights, bias, c, AddPairShares);
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
