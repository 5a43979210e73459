#pragma once
// Attention of one head in 16-bit integers: for models whose matrices are int8, so that attention
// adds far less error than their 7-bit activations do. Queries, keys and values become integers of
// 12 bits and a sign, softmax gives integers of 13 bits; products are summed exactly, in blocks.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/tensor.h"

namespace pocketbert {

// Codes of queries, keys and values lie in [-kMaxCode16, kMaxCode16], those of softmax in
// [0, kMaxShare16]. Sums of kBlock16 products of such codes fit into 32 bits.
inline constexpr int32_t kMaxCode16 = 4095;
inline constexpr int32_t kMaxShare16 = 8191;
inline constexpr size_t kBlock16 = 64;
static_assert(int64_t{kMaxCode16} * kMaxShare16 * int64_t{kBlock16} < (int64_t{1} << 31));

// The right operand of MatMulI16: an integer matrix [depth, cols] in panels of 8 columns; within a
// panel, for every two rows, the 8 columns' 2 values back to back. Zeros past its ends.
struct PanelsI16 {
  static constexpr size_t kPanelCols = 8;

  std::span<int16_t> values;  // Size(depth, cols)
  size_t depth;
  size_t cols;

  static constexpr size_t PaddedDepth(size_t depth) { return (depth + 1) / 2 * 2; }
  static constexpr size_t PaddedCols(size_t cols) {
    return (cols + kPanelCols - 1) / kPanelCols * kPanelCols;
  }
  static constexpr size_t Size(size_t depth, size_t cols) {
    return PaddedDepth(depth) * PaddedCols(cols);
  }
};

// The scale of a matrix's codes: its greatest |x| * (1 / 4095). A code is
// round(x * (4095 / greatest |x|)), ties to even; all are 0 where the greatest |x| is not above
// 1e-30, and the scale too. All three return the scale.
//
// Row-major codes; `codes` [x.rows, PaddedDepth(x.cols)], zeros past x.cols.
float QuantizeI16(TensorView<const float> x, TensorView<int16_t> codes);
// Panels of the transposed matrix: keys, `panels` [x.cols, x.rows].
float PackTransposedI16(TensorView<const float> x, const PanelsI16& panels);
// Panels of the matrix as it is: values, `panels` [x.rows, x.cols].
float PackI16(TensorView<const float> x, const PanelsI16& panels);

// c[m][n] = (sum over blocks of kBlock16 rows of b, in order, of the block's exact integer sum of
// a[m][k] * b[k][n], as float) * row_scales[m]. `a` [M, PaddedDepth(b.depth)], `row_scales` [M] or
// empty (1), `c` [M, b.cols].
void MatMulI16(TensorView<const int16_t> a, const PanelsI16& b, std::span<const float> row_scales,
               TensorView<float> c);

// Per row x of `scores` [rows, count]: codes[j] = round(8191 * 2^((x[j] - max(x)) * scale)), where
// 2^t has a relative error below 5e-6 and t below -30 counts as -30; `sums` gets their sums.
// `scale` > 0: log2(e) times what softmax multiplies scores by. `codes` [rows, PaddedDepth(count)],
// zeros past count; count > 0.
void SoftmaxI16(float scale, TensorView<const float> scores, TensorView<int16_t> codes,
                std::span<float> sums);

}  // namespace pocketbert
