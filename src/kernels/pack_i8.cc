#include "kernels/pack_i8.h"

#include <algorithm>
#include <cstring>

#include "kernels/simd.h"

namespace pocketbert {

namespace {

using namespace simd;  // NOLINT: the vocabulary of a kernel file

constexpr size_t kPanelRows = PackedI8::kPanelRows;
constexpr size_t kBlockCols = PackedI8::kBlockCols;
constexpr int32_t kMaxLaneSum = PackedI8::kMaxLaneSum;
constexpr int32_t kLaneSum = kMaxLaneSum - 4;  // eight roundings add up to 4 at most

// Of one group of one row: the greatest sum of weights of one sign among the eight of columns 2i,
// 2i + 1 of four blocks, and the sum of all weights.
struct GroupSums {
  int32_t greatest = 0;
  int32_t total = 0;
};

using U16 = hn::FixedTag<uint16_t, 8>;
using U32 = hn::FixedTag<uint32_t, 4>;
using VecU16 = hn::Vec<U16>;

// Lane i = byte 2i + byte 2i + 1.
VecU16 PairSums(VecU8 bytes) {
  const VecU16 v = hn::BitCast(U16(), bytes);
  return hn::Add(hn::And(v, hn::Set(U16(), 0xFF)), hn::ShiftRight<8>(v));
}

// Lane i + those of the same columns in the three other blocks.
VecU16 LaneSums(VecU16 pairs) {
  const hn::Vec<U32> blocks = hn::BitCast(U32(), pairs);
  const VecU16 two = hn::Add(pairs, hn::BitCast(U16(), hn::Shuffle2301(blocks)));
  return hn::Add(two, hn::BitCast(U16(), hn::Shuffle1032(hn::BitCast(U32(), two))));
}

// Four blocks at once: most of the time of opening a model goes here, in code that the browser has
// just compiled in haste.
GroupSums SumsOf(std::span<const int8_t> group) {
  constexpr size_t kStep = PackedI8::kLaneBlocks * kBlockCols;
  const VecI8 zero = hn::Zero(I8());
  VecU16 greatest = hn::Zero(U16());
  VecU16 total = greatest;  // modulo 2^16 a lane, which stays within 16 bits with a sign
  for (size_t k = 0; k < group.size(); k += kStep) {
    alignas(16) int8_t sixteen[kStep] = {};
    std::memcpy(sixteen, group.data() + k, std::min(kStep, group.size() - k));
    const VecI8 v = hn::Load(I8(), sixteen);
    const VecU16 positive = PairSums(hn::BitCast(U8(), hn::Max(v, zero)));
    const VecU16 negative = PairSums(hn::BitCast(U8(), hn::Neg(hn::Min(v, zero))));
    total = hn::Add(total, hn::Sub(positive, negative));
    greatest = hn::Max(greatest, hn::Max(LaneSums(positive), LaneSums(negative)));
  }
  alignas(16) int16_t lanes[2][8];
  hn::Store(hn::BitCast(I16(), greatest), I16(), lanes[0]);
  hn::Store(hn::BitCast(I16(), total), I16(), lanes[1]);
  GroupSums sums;
  for (size_t i = 0; i < 8; ++i) {
    sums.greatest = std::max<int32_t>(sums.greatest, lanes[0][i]);
    sums.total += lanes[1][i];
  }
  return sums;
}

// round(weight * kLaneSum / divisor), ties away from zero.
int32_t Reduced(int32_t weight, int32_t divisor) {
  const int32_t half = weight < 0 ? -divisor : divisor;
  return (2 * kLaneSum * weight + half) / (2 * divisor);
}

// Where a panel's scales and sums go: [groups, 8] each.
struct PanelFactors {
  std::span<float> scales;
  std::span<float> sums;
};

// Copies `row` to where its columns are in a panel: `Together` of them, then those of the 7 other
// rows. The number is known to the compiler, else each few bytes would be a call.
template <size_t Together>
void CopyRow(std::span<const int8_t> row, int8_t* to) {
  const size_t whole = row.size() / Together * Together;
  const int8_t* from = row.data();
  for (const int8_t* end = from + whole; from != end; from += Together) {
    std::memcpy(to, from, Together);
    to += kPanelRows * Together;
  }
  if (whole < row.size()) std::memcpy(to, from, row.size() - whole);
}

// Packs up to 8 rows; missing rows and columns become zeros. `panel` must not overlap `rows`.
void PackPanel(TensorView<const int8_t> rows, TensorView<const float> row_scales,
               const PackedI8& packed, std::span<int8_t> panel, const PanelFactors& factors) {
  const bool fours = packed.order == PanelOrder::kFours;
  std::fill(panel.begin(), panel.end(), int8_t{0});
  std::fill(factors.scales.begin(), factors.scales.end(), 0.0f);
  std::fill(factors.sums.begin(), factors.sums.end(), 0.0f);
  for (size_t r = 0; r < rows.rows; ++r) {
    for (size_t g = 0; g < row_scales.cols; ++g) {
      const size_t begin = g * packed.group_size;
      std::span<const int8_t> group =
          rows.Row(r).subspan(begin, std::min(rows.cols - begin, packed.group_size));
      GroupSums sums = SumsOf(group);
      float scale = row_scales.Row(r)[g];
      int8_t reduced[kMaxGroupSize];
      if (sums.greatest > kMaxLaneSum) {
        for (size_t k = 0; k < group.size(); ++k) {
          reduced[k] = static_cast<int8_t>(Reduced(group[k], sums.greatest));
        }
        scale *= static_cast<float>(sums.greatest) / kLaneSum;
        group = {reduced, group.size()};
        sums = SumsOf(group);
      }
      int8_t* const to = panel.data() + begin * kPanelRows;
      if (fours) {
        CopyRow<4>(group, to + r * 4);
      } else {
        CopyRow<2>(group, to + r * 2);
      }
      factors.scales[g * kPanelRows + r] = scale;
      factors.sums[g * kPanelRows + r] = scale * static_cast<float>(sums.total);
    }
  }
}

}  // namespace

PackedI8 PackI8(TensorView<const int8_t> matrix, TensorView<const float> scales,
                size_t group_size, const PackI8Memory& memory, std::span<int8_t> scratch,
                PanelOrder order) {
  PB_CHECK(matrix.rows > 0 && matrix.cols > 0);
  PB_CHECK(group_size > 0 && group_size % kBlockCols == 0 && group_size <= kMaxGroupSize);
  PackedI8 packed;
  packed.rows = matrix.rows;
  packed.cols = matrix.cols;
  packed.group_size = group_size;
  packed.order = order;
  const size_t group_floats = packed.group_count() * kPanelRows;
  PB_CHECK(scales.rows == matrix.rows && scales.cols == packed.group_count());
  PB_CHECK(memory.panels.size() == packed.panel_count() * packed.panel_bytes());
  PB_CHECK(memory.scales.size() == packed.panel_count() * group_floats);
  PB_CHECK(memory.sums.size() == packed.panel_count() * group_floats);
  const bool in_place = memory.panels.data() == matrix.data;
  PB_CHECK(!in_place || (CanPackI8InPlace(matrix.rows, matrix.cols) &&
                         matrix.stride == matrix.cols && scratch.size() >= packed.panel_bytes()));
  for (size_t p = 0; p < packed.panel_count(); ++p) {
    const size_t first = p * kPanelRows;
    const size_t last = std::min(matrix.rows, first + kPanelRows);
    const TensorView<const int8_t> rows = matrix.Rows(first, last);
    const TensorView<const float> row_scales = scales.Rows(first, last);
    const PanelFactors factors{memory.scales.subspan(p * group_floats, group_floats),
                               memory.sums.subspan(p * group_floats, group_floats)};
    const std::span<int8_t> panel =
        memory.panels.subspan(p * packed.panel_bytes(), packed.panel_bytes());
    PackPanel(rows, row_scales, packed, in_place ? scratch.first(panel.size()) : panel, factors);
    if (in_place) std::copy_n(scratch.begin(), panel.size(), panel.begin());
  }
  packed.panels = memory.panels;
  packed.scales = memory.scales;
  packed.sums = memory.sums;
  return packed;
}

}  // namespace pocketbert
