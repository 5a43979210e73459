#pragma once
// Packing of int8 weight matrices into the order in which the integer GEMM reads them.
//
// Source: row-major int8 [rows, cols] (rows = outputs), values in [-127, 127]. Packed: panels of 8
// rows; within a panel, for every 4 columns (PanelOrder::kTwos: 2), the 8 rows' 4 (2) values back
// to back:
//
//   panel 0: row 0 [k0 k1 k2 k3]  row 1 [k0 k1 k2 k3]  ...  row 7 [k0 k1 k2 k3]
//            row 0 [k4 k5 k6 k7]  row 1 [k4 k5 k6 k7]  ...
//
// Rows are padded with zeros to a multiple of 8, columns to a multiple of 4. Columns form groups of
// `group_size` (the last may be shorter); weights have a scale per row and group, activations one
// per token and group.
//
// Four blocks of 4 columns, counted from a group's beginning, are multiplied together: products of
// columns 2i and 2i + 1 of all four are summed in 16 bits. That is exact if among those eight
// weights neither the positive nor the negative ones add up to more than 258 (activations reach
// 127). The quantizer sees to it (quantize/quantize_row.h); in other matrices, the group of a row
// where they reach sum s > 258 is packed in coarser steps, as round(w * 254 / s), ties away from
// zero, with s / 254 times the scale.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/tensor.h"

namespace pocketbert {

// Largest group: sums of 127 * 127 * 512 stay below 2^24, so that they are exact as float too.
inline constexpr size_t kMaxGroupSize = 512;

// Models' groups are a multiple of this, so that none but a matrix's last ends within 16 bytes of
// activations.
inline constexpr size_t kGroupStep = 32;

// kFours for activations in bytes, kTwos for activations in 16-bit integers.
enum class PanelOrder { kFours, kTwos };

// What this build multiplies. Without relaxed SIMD, wasm has products of 16-bit integers only.
#if defined(__EMSCRIPTEN__) && !defined(__wasm_relaxed_simd__)
using ActivationCode = int16_t;
inline constexpr PanelOrder kPanelOrder = PanelOrder::kTwos;
#else
using ActivationCode = uint8_t;
inline constexpr PanelOrder kPanelOrder = PanelOrder::kFours;
#endif

// A packed matrix: a view of memory that somebody else owns. weight[n][k] = scale[n][group of k] *
// int8 value.
struct PackedI8 {
  static constexpr size_t kPanelRows = 8;
  static constexpr size_t kBlockCols = 4;
  static constexpr size_t kLaneBlocks = 4;
  static constexpr int kMaxLaneSum = 32767 / 127;  // 258

  size_t rows = 0;        // outputs
  size_t cols = 0;        // inputs
  size_t group_size = 0;  // inputs per group, a multiple of 4, at most kMaxGroupSize
  PanelOrder order = kPanelOrder;

  std::span<const int8_t> panels;  // [panels, padded_cols / 4, 8, 4] or [.., padded_cols / 2, 8, 2]
  std::span<const float> scales;   // [panels, groups, 8]
  std::span<const float> sums;     // [panels, groups, 8]: scale * sum of a row's int8 values

  size_t panel_count() const { return PaddedRows(rows) / kPanelRows; }
  size_t panel_bytes() const { return PaddedCols(cols) * kPanelRows; }
  size_t group_count() const { return GroupCount(cols, group_size); }

  static constexpr size_t PaddedRows(size_t rows) {
    return (rows + kPanelRows - 1) / kPanelRows * kPanelRows;
  }
  static constexpr size_t PaddedCols(size_t cols) {
    return (cols + kBlockCols - 1) / kBlockCols * kBlockCols;
  }
  static constexpr size_t GroupCount(size_t cols, size_t group_size) {
    return (cols + group_size - 1) / group_size;
  }
};

// What `PackI8` writes into; the caller owns it. Element counts for a matrix [rows, cols]:
//   panels:       PackedI8::PaddedRows(rows) * PackedI8::PaddedCols(cols)
//   scales, sums: PackedI8::PaddedRows(rows) * PackedI8::GroupCount(cols, group_size) each
struct PackI8Memory {
  std::span<int8_t> panels;
  std::span<float> scales;
  std::span<float> sums;
};

// Packs `matrix` [rows, cols] with `scales` [rows, groups] into `memory`, returns the view of it.
// `memory.panels` may begin where `matrix` begins if CanPackI8InPlace and matrix.stride == cols:
// the packing then happens in place and needs `scratch`, 8 * cols bytes.
PackedI8 PackI8(TensorView<const int8_t> matrix, TensorView<const float> scales,
                size_t group_size, const PackI8Memory& memory, std::span<int8_t> scratch = {},
                PanelOrder order = kPanelOrder);

inline constexpr bool CanPackI8InPlace(size_t rows, size_t cols) {
  return rows % PackedI8::kPanelRows == 0 && cols % PackedI8::kBlockCols == 0;
}

}  // namespace pocketbert
