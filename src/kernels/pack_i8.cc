#include "kernels/pack_i8.h"

#include <algorithm>

namespace pocketbert {

namespace {

constexpr size_t kPanelRows = PackedI8::kPanelRows;
constexpr size_t kBlockCols = PackedI8::kBlockCols;
constexpr int32_t kMaxLaneSum = PackedI8::kMaxLaneSum;
constexpr size_t kLaneCols = PackedI8::kLaneBlocks * kBlockCols;
constexpr int32_t kLaneSum = kMaxLaneSum - 4;  // eight roundings add up to 4 at most

// What weights of one group of one row are divided by, in units of 1 / kLaneSum: the greatest sum
// of weights of one sign among the eight of columns 2i, 2i + 1 of four blocks, if it is too large.
int32_t DivisorOf(std::span<const int8_t> group) {
  int32_t greatest = 0;
  for (size_t k = 0; k < group.size(); k += kLaneCols) {
    int32_t positive[2] = {0, 0}, negative[2] = {0, 0};
    for (size_t i = k; i < std::min(group.size(), k + kLaneCols); ++i) {
      positive[i / 2 % 2] += std::max<int32_t>(group[i], 0);
      negative[i / 2 % 2] -= std::min<int32_t>(group[i], 0);
    }
    greatest = std::max({greatest, positive[0], positive[1], negative[0], negative[1]});
  }
  return greatest > kMaxLaneSum ? greatest : kLaneSum;
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

// Packs up to 8 rows; missing rows and columns become zeros. `panel` must not overlap `rows`.
void PackPanel(TensorView<const int8_t> rows, TensorView<const float> row_scales,
               const PackedI8& packed, std::span<int8_t> panel, const PanelFactors& factors) {
  const size_t group_size = packed.group_size;
  const size_t together = packed.order == PanelOrder::kFours ? 4 : 2;
  std::fill(panel.begin(), panel.end(), int8_t{0});
  std::fill(factors.scales.begin(), factors.scales.end(), 0.0f);
  std::fill(factors.sums.begin(), factors.sums.end(), 0.0f);
  for (size_t r = 0; r < rows.rows; ++r) {
    const std::span<const int8_t> row = rows.Row(r);
    for (size_t g = 0; g < row_scales.cols; ++g) {
      const size_t begin = g * group_size;
      const size_t end = std::min(row.size(), begin + group_size);
      const int32_t divisor = DivisorOf(row.subspan(begin, end - begin));
      int32_t sum = 0;
      for (size_t k = begin; k < end; ++k) {
        const int32_t weight = divisor == kLaneSum ? row[k] : Reduced(row[k], divisor);
        panel[(k / together * kPanelRows + r) * together + k % together] =
            static_cast<int8_t>(weight);
        sum += weight;
      }
      const float scale = row_scales.Row(r)[g] * (static_cast<float>(divisor) / kLaneSum);
      factors.scales[g * kPanelRows + r] = scale;
      factors.sums[g * kPanelRows + r] = scale * static_cast<float>(sum);
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
