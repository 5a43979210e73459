#include "kernels/pack_i8.h"

#include <algorithm>

namespace pocketbert {

namespace {

constexpr size_t kPanelRows = PackedI8::kPanelRows;
constexpr size_t kBlockCols = PackedI8::kBlockCols;

// Packs up to 8 rows; missing rows and columns become zeros. `panel` must not overlap `rows`.
void PackPanel(TensorView<const int8_t> rows, std::span<int8_t> panel) {
  std::fill(panel.begin(), panel.end(), int8_t{0});
  for (size_t r = 0; r < rows.rows; ++r) {
    const std::span<const int8_t> row = rows.Row(r);
    for (size_t k = 0; k < row.size(); ++k) {
      panel[(k / kBlockCols * kPanelRows + r) * kBlockCols + k % kBlockCols] = row[k];
    }
  }
}

// Scales and scaled sums of a panel's rows, [groups, 8] each.
void FillGroups(TensorView<const int8_t> rows, TensorView<const float> row_scales,
                size_t group_size, std::span<float> scales, std::span<float> sums) {
  std::fill(scales.begin(), scales.end(), 0.0f);
  std::fill(sums.begin(), sums.end(), 0.0f);
  for (size_t r = 0; r < rows.rows; ++r) {
    const std::span<const int8_t> row = rows.Row(r);
    const std::span<const float> scale = row_scales.Row(r);
    for (size_t g = 0; g < scale.size(); ++g) {
      int32_t sum = 0;
      const size_t end = std::min(row.size(), (g + 1) * group_size);
      for (size_t k = g * group_size; k < end; ++k) sum += row[k];
      scales[g * kPanelRows + r] = scale[g];
      sums[g * kPanelRows + r] = scale[g] * static_cast<float>(sum);
    }
  }
}

}  // namespace

PackedI8 PackedI8::PanelRange(size_t begin, size_t end) const {
  PB_CHECK(begin <= end && end <= panel_count());
  PackedI8 part = *this;
  part.rows = std::min(rows, end * kPanelRows) - begin * kPanelRows;
  part.panels = panels.subspan(begin * panel_bytes(), (end - begin) * panel_bytes());
  const size_t group_floats = group_count() * kPanelRows;
  part.scales = scales.subspan(begin * group_floats, (end - begin) * group_floats);
  part.sums = sums.subspan(begin * group_floats, (end - begin) * group_floats);
  return part;
}

PackedI8 PackI8(TensorView<const int8_t> matrix, TensorView<const float> scales,
                size_t group_size, const PackI8Memory& memory, std::span<int8_t> scratch) {
  PB_CHECK(matrix.rows > 0 && matrix.cols > 0);
  PB_CHECK(group_size > 0 && group_size % kBlockCols == 0 && group_size <= kMaxGroupSize);
  PackedI8 packed;
  packed.rows = matrix.rows;
  packed.cols = matrix.cols;
  packed.group_size = group_size;
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
    FillGroups(rows, scales.Rows(first, last), group_size,
               memory.scales.subspan(p * group_floats, group_floats),
               memory.sums.subspan(p * group_floats, group_floats));
    const std::span<int8_t> panel =
        memory.panels.subspan(p * packed.panel_bytes(), packed.panel_bytes());
    if (!in_place) {
      PackPanel(rows, panel);
      continue;
    }
    PackPanel(rows, scratch.first(packed.panel_bytes()));
    std::copy_n(scratch.begin(), panel.size(), panel.begin());
  }
  packed.panels = memory.panels;
  packed.scales = memory.scales;
  packed.sums = memory.sums;
  return packed;
}

}  // namespace pocketbert
