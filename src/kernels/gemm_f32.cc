#include "kernels/gemm_f32.h"

#include "kernels/simd.h"

namespace pocketbert {

namespace {

using namespace simd;  // NOLINT: the vocabulary of a kernel file

constexpr size_t kDotRows = 2;   // tile of MatMulTransposed: rows of a x rows of b
constexpr size_t kDotCols = 4;
constexpr size_t kSumRows = 4;   // tile of MatMul: rows of a x columns of b
constexpr size_t kSumCols = 8;

// One tile of MatMulTransposed: pointers to its first rows and the strides of the matrices.
struct DotTile {
  const float* a;
  const float* b;
  const float* bias;  // null: none
  float* c;
  size_t a_stride, b_stride, c_stride;
  size_t depth;  // K
};

// `Rows` x 4 elements. Accumulators run along k; their lanes are summed at the end.
template <size_t Rows>
HWY_NOINLINE void DotFourColumns(const DotTile& tile) {
  const F32 tag;
  VecF32 sum[Rows][kDotCols];
  for (size_t m = 0; m < Rows; ++m) {
    for (size_t n = 0; n < kDotCols; ++n) sum[m][n] = hn::Zero(tag);
  }
  const auto step = [&](auto load) HWY_ATTR {
    VecF32 a[Rows];
    for (size_t m = 0; m < Rows; ++m) a[m] = load(tile.a + m * tile.a_stride);
    for (size_t n = 0; n < kDotCols; ++n) {
      const VecF32 b = load(tile.b + n * tile.b_stride);
      for (size_t m = 0; m < Rows; ++m) sum[m][n] = hn::Add(sum[m][n], hn::Mul(a[m], b));
    }
  };
  size_t k = 0;
  for (; k + kLanes <= tile.depth; k += kLanes) {
    step([&](const float* row) { return hn::LoadU(F32(), row + k); });
  }
  if (k < tile.depth) {
    step([&](const float* row) { return LoadPart(row + k, tile.depth - k); });
  }
  const VecF32 bias = tile.bias != nullptr ? hn::LoadU(tag, tile.bias) : hn::Zero(tag);
  for (size_t m = 0; m < Rows; ++m) {
    const VecF32 dots = SumLanesOfFour(sum[m][0], sum[m][1], sum[m][2], sum[m][3]);
    hn::StoreU(tile.bias != nullptr ? hn::Add(dots, bias) : dots, tag, tile.c + m * tile.c_stride);
  }
}

// One element.
HWY_NOINLINE void DotOne(const DotTile& tile) {
  VecF32 sum = hn::Zero(F32());
  for (size_t k = 0; k < tile.depth; k += kLanes) {
    sum = hn::Add(sum, hn::Mul(LoadInRow(tile.a, k, tile.depth), LoadInRow(tile.b, k, tile.depth)));
  }
  const float dot = SumLanes(sum);
  *tile.c = tile.bias != nullptr ? dot + *tile.bias : dot;
}

// One tile of MatMul.
struct SumTile {
  const float* a;
  const float* b;
  float* c;
  size_t a_stride, b_stride, c_stride;
  size_t depth;  // K
};

// `Rows` x (4 * `Vectors`) elements. Accumulators lie along the columns; k runs in order.
template <size_t Rows, size_t Vectors>
HWY_NOINLINE void SumColumns(const SumTile& tile) {
  const F32 tag;
  VecF32 sum[Rows][Vectors];
  for (size_t m = 0; m < Rows; ++m) {
    for (size_t v = 0; v < Vectors; ++v) sum[m][v] = hn::Zero(tag);
  }
  const float* b_row = tile.b;
  for (size_t k = 0; k < tile.depth; ++k, b_row += tile.b_stride) {
    VecF32 b[Vectors];
    for (size_t v = 0; v < Vectors; ++v) b[v] = hn::LoadU(tag, b_row + v * kLanes);
    for (size_t m = 0; m < Rows; ++m) {
      const VecF32 a = hn::Set(tag, tile.a[m * tile.a_stride + k]);
      for (size_t v = 0; v < Vectors; ++v) sum[m][v] = hn::Add(sum[m][v], hn::Mul(a, b[v]));
    }
  }
  for (size_t m = 0; m < Rows; ++m) {
    for (size_t v = 0; v < Vectors; ++v) {
      hn::StoreU(sum[m][v], tag, tile.c + m * tile.c_stride + v * kLanes);
    }
  }
}

HWY_NOINLINE void SumOne(const SumTile& tile) {
  float sum = 0;
  for (size_t k = 0; k < tile.depth; ++k) sum += tile.a[k] * tile.b[k * tile.b_stride];
  *tile.c = sum;
}

// All columns of `Rows` rows from `row` on.
template <size_t Rows>
void SumRows(TensorView<const float> a, TensorView<const float> b, TensorView<float> c,
             size_t row) {
  SumTile tile{a.data + row * a.stride, b.data, c.data + row * c.stride,
               a.stride, b.stride, c.stride, a.cols};
  const auto advance = [&tile](size_t columns) {
    tile.b += columns;
    tile.c += columns;
  };
  size_t n = 0;
  for (; n + kSumCols <= c.cols; n += kSumCols, advance(kSumCols)) SumColumns<Rows, 2>(tile);
  for (; n + kLanes <= c.cols; n += kLanes, advance(kLanes)) SumColumns<Rows, 1>(tile);
  for (; n < c.cols; ++n, advance(1)) {
    for (size_t m = 0; m < Rows; ++m) {
      SumTile one = tile;
      one.a += m * a.stride;
      one.c += m * c.stride;
      SumOne(one);
    }
  }
}

}  // namespace

void MatMulTransposed(TensorView<const float> a, TensorView<const float> b,
                      std::span<const float> bias, TensorView<float> c) {
  PB_CHECK(a.cols == b.cols && c.rows == a.rows && c.cols == b.rows);
  PB_CHECK(bias.empty() || bias.size() == c.cols);
  const auto tile_at = [&](size_t m, size_t n) {
    return DotTile{a.data + m * a.stride, b.data + n * b.stride,
                   bias.empty() ? nullptr : bias.data() + n, c.data + m * c.stride + n,
                   a.stride, b.stride, c.stride, a.cols};
  };
  // Columns outside: four rows of b stay in the first-level cache while the rows of a pass by.
  size_t n = 0;
  for (; n + kDotCols <= c.cols; n += kDotCols) {
    size_t m = 0;
    for (; m + kDotRows <= c.rows; m += kDotRows) DotFourColumns<kDotRows>(tile_at(m, n));
    for (; m < c.rows; ++m) DotFourColumns<1>(tile_at(m, n));
  }
  for (; n < c.cols; ++n) {
    for (size_t m = 0; m < c.rows; ++m) DotOne(tile_at(m, n));
  }
}

void MatMul(TensorView<const float> a, TensorView<const float> b, TensorView<float> c) {
  PB_CHECK(a.cols == b.rows && c.rows == a.rows && c.cols == b.cols);
  size_t m = 0;
  for (; m + kSumRows <= c.rows; m += kSumRows) SumRows<kSumRows>(a, b, c, m);
  for (; m < c.rows; ++m) SumRows<1>(a, b, c, m);
}

}  // namespace pocketbert
