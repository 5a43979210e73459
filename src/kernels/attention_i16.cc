#include "kernels/attention_i16.h"

#include <algorithm>
#include <cmath>

#include "kernels/simd.h"

namespace pocketbert {

namespace {

using namespace simd;  // NOLINT: the vocabulary of a kernel file

constexpr size_t kPanelCols = PanelsI16::kPanelCols;
constexpr size_t kTileRows = 4;

// The greatest |x|.
HWY_NOINLINE float GreatestAbs(TensorView<const float> x) {
  VecF32 even = hn::Zero(F32()), odd = even;
  for (size_t r = 0; r < x.rows; ++r) {
    const float* row = x.data + r * x.stride;
    size_t k = 0;
    for (; k + 2 * kLanes <= x.cols; k += 2 * kLanes) {
      even = Greater(even, hn::Abs(hn::LoadU(F32(), row + k)));
      odd = Greater(odd, hn::Abs(hn::LoadU(F32(), row + k + kLanes)));
    }
    for (; k < x.cols; k += kLanes) even = Greater(even, hn::Abs(LoadInRow(row, k, x.cols)));
  }
  return GreatestLane(Greater(even, odd));
}

// How a matrix becomes integers.
struct Step {
  float scale, inverse;

  explicit Step(TensorView<const float> x) {
    const float greatest = GreatestAbs(x);
    const bool flat = !(greatest > 1e-30f);
    scale = flat ? 0.0f : greatest * (1.0f / kMaxCode16);
    inverse = flat ? 0.0f : kMaxCode16 / greatest;
  }
};

// Codes of elements [k, k + 8) of a row of `count`, zeros past its end.
HWY_INLINE VecI16 CodesAt(const float* row, size_t k, size_t count, VecF32 inverse) {
  const VecF32 low = LoadInRow(row, k, count);
  const VecF32 high = k + kLanes < count ? LoadInRow(row, k + kLanes, count) : hn::Zero(F32());
  return hn::OrderedDemote2To(I16(), RoundToInt(hn::Mul(low, inverse)),
                              RoundToInt(hn::Mul(high, inverse)));
}

// Codes of elements [k, k + 8) of row `r`, zeros outside of the matrix.
HWY_INLINE VecI16 CodesAt(TensorView<const float> x, size_t r, size_t k, VecF32 inverse) {
  if (r >= x.rows) return hn::Zero(I16());
  return CodesAt(x.data + r * x.stride, k, x.cols, inverse);
}

// Up to 4 rows of the result.
struct RowTile {
  const int16_t* a[kTileRows];
  const int16_t* panels;
  size_t depth;             // even
  float row_scales[kTileRows];
  float* c;
  size_t c_stride;
  size_t rows, columns;  // of the result; rows 1 to 4
};

// Writes 8 columns of row m, as far as they exist.
HWY_NOINLINE void FinishPart(const RowTile& tile, size_t m, size_t column, VecF32 left,
                             VecF32 right) {
  if (m >= tile.rows) return;
  alignas(16) float sums[kPanelCols];
  hn::Store(left, F32(), sums);
  hn::Store(right, F32(), sums + kLanes);
  float* to = tile.c + m * tile.c_stride + column;
  for (size_t i = 0; i < std::min(kPanelCols, tile.columns - column); ++i) {
    to[i] = sums[i] * tile.row_scales[m];
  }
}

// Always computes four rows: a row that does not exist has the pointer of one that does.
HWY_NOINLINE void MultiplyRows(const RowTile& tile) {
  const auto [a0, a1, a2, a3] = tile.a;
  const int16_t* b = tile.panels;
  const size_t depth = tile.depth;
  for (size_t column = 0; column < tile.columns; column += kPanelCols) {
    VecF32 sum[kTileRows][2];
    for (auto& row : sum) row[0] = row[1] = hn::Zero(F32());
    for (size_t k = 0; k < depth;) {
      VecI32 dots[kTileRows][2];
      for (auto& row : dots) row[0] = row[1] = hn::Zero(I32());
      const size_t end = std::min(depth, k + kBlock16);
      for (; k < end; k += 2, b += 2 * kPanelCols) {
        const VecI16 b0 = hn::LoadU(I16(), b);
        const VecI16 b1 = hn::LoadU(I16(), b + kPanelCols);
        const auto multiply = [&](const int16_t* row, VecI32 (&dot)[2]) HWY_ATTR {
          const VecI16 codes = hn::BitCast(I16(), LoadRepeated<int32_t>(row + k));
          dot[0] = hn::Add(dot[0], DotPairs(b0, codes));
          dot[1] = hn::Add(dot[1], DotPairs(b1, codes));
        };
        multiply(a0, dots[0]);
        multiply(a1, dots[1]);
        multiply(a2, dots[2]);
        multiply(a3, dots[3]);
      }
      for (size_t m = 0; m < kTileRows; ++m) {
        for (size_t v = 0; v < 2; ++v) {
          sum[m][v] = hn::Add(sum[m][v], hn::ConvertTo(F32(), dots[m][v]));
        }
      }
    }
    const bool whole = tile.rows == kTileRows && column + kPanelCols <= tile.columns;
    for (size_t m = 0; m < kTileRows; ++m) {
      if (!whole) {
        FinishPart(tile, m, column, sum[m][0], sum[m][1]);
        continue;
      }
      const VecF32 scale = hn::Set(F32(), tile.row_scales[m]);
      float* to = tile.c + m * tile.c_stride + column;
      hn::StoreU(hn::Mul(sum[m][0], scale), F32(), to);
      hn::StoreU(hn::Mul(sum[m][1], scale), F32(), to + kLanes);
    }
  }
}

// 8191 * 2^t for t in [-30, 0]: t = n + f with |f| <= 1/2, then a polynomial of degree 4 for 2^f
// (a minimax fit for this file: 3e-6), whose exponent n is added to.
HWY_INLINE VecF32 ScaledPowerOfTwo(VecF32 t) {
  const VecF32 shifted = hn::Add(t, Constant<kRoundingMagic>());
  const VecF32 f = hn::Sub(t, hn::Sub(shifted, Constant<kRoundingMagic>()));
  const VecF32 f2 = hn::Mul(f, f);
  const VecF32 p01 = Horner<8190.99395f>(Constant<5677.36078f>(), f);
  const VecF32 p23 = Horner<1967.86685f>(Constant<458.023194f>(), f);
  const VecF32 p24 = hn::Add(p23, hn::Mul(f2, Constant<78.388703f>()));
  return TimesPowerOfTwo(hn::Add(p01, hn::Mul(f2, p24)), shifted);
}

// Codes of one row; returns their sum.
HWY_NOINLINE int32_t SoftmaxRow(float scale, std::span<const float> x, int16_t* codes) {
  const F32 tag;
  const size_t count = x.size();
  VecF32 even = hn::Set(tag, x[0]), odd = even;
  size_t j = 0;
  for (; j + 2 * kLanes <= count; j += 2 * kLanes) {
    even = Greater(even, hn::LoadU(tag, x.data() + j));
    odd = Greater(odd, hn::LoadU(tag, x.data() + j + kLanes));
  }
  float top = GreatestLane(Greater(even, odd));
  for (; j < count; ++j) top = std::max(top, x[j]);
  const VecF32 tops = hn::Set(tag, top);
  const VecF32 scales = hn::Set(tag, scale);
  VecI32 sum = hn::Zero(I32());
  const auto four = [&](const float* from) HWY_ATTR {
    const VecF32 t = hn::Mul(hn::Sub(hn::LoadU(tag, from), tops), scales);
    return RoundToInt(ScaledPowerOfTwo(Greater(t, Constant<-30.0f>())));
  };
  const auto eight = [&](const float* from) HWY_ATTR {
    const VecI32 low = four(from), high = four(from + kLanes);
    sum = hn::Add(sum, hn::Add(low, high));
    return hn::OrderedDemote2To(I16(), low, high);
  };
  for (j = 0; j + 2 * kLanes <= count; j += 2 * kLanes) {
    hn::StoreU(eight(x.data() + j), I16(), codes + j);
  }
  if (j < count) {  // what lies past the end has share 0
    float rest[2 * kLanes];
    std::fill_n(rest, 2 * kLanes, -INFINITY);
    std::copy(x.begin() + static_cast<ptrdiff_t>(j), x.end(), rest);
    StorePart(eight(rest), codes + j, count - j);
  }
  if (count % 2 != 0) codes[count] = 0;
  return hn::ReduceSum(I32(), sum);
}

}  // namespace

float QuantizeI16(TensorView<const float> x, TensorView<int16_t> codes) {
  PB_CHECK(codes.rows == x.rows && codes.cols == PanelsI16::PaddedDepth(x.cols));
  const Step step(x);
  const VecF32 inverse = hn::Set(F32(), step.inverse);
  for (size_t r = 0; r < x.rows; ++r) {
    int16_t* to = codes.data + r * codes.stride;
    for (size_t k = 0; k < codes.cols; k += kPanelCols) {
      const VecI16 eight = CodesAt(x, r, k, inverse);
      if (k + kPanelCols <= codes.cols) {
        hn::StoreU(eight, I16(), to + k);
      } else {
        StorePart(eight, to + k, codes.cols - k);
      }
    }
  }
  return step.scale;
}

float PackTransposedI16(TensorView<const float> x, const PanelsI16& panels) {
  PB_CHECK(panels.depth == x.cols && panels.cols == x.rows);
  PB_CHECK(panels.values.size() >= PanelsI16::Size(panels.depth, panels.cols));
  const Step step(x);
  const VecF32 inverse = hn::Set(F32(), step.inverse);
  const size_t depth = PanelsI16::PaddedDepth(x.cols);
  for (size_t r = 0; r < x.rows; ++r) {
    int16_t* panel = panels.values.data() + r / kPanelCols * kPanelCols * depth;
    int16_t* to = panel + r % kPanelCols * 2;
    for (size_t k = 0; k < depth; k += kPanelCols) {
      alignas(16) int16_t eight[kPanelCols];
      hn::Store(CodesAt(x, r, k, inverse), I16(), eight);
      for (size_t i = 0; i < std::min(kPanelCols, depth - k); i += 2) {
        std::memcpy(to + (k + i) * kPanelCols, eight + i, 2 * sizeof(int16_t));
      }
    }
  }
  // Columns past the last.
  for (size_t r = x.rows; r < PanelsI16::PaddedCols(x.rows); ++r) {
    int16_t* panel = panels.values.data() + r / kPanelCols * kPanelCols * depth;
    for (size_t k = 0; k < depth; ++k) panel[(k / 2 * kPanelCols + r % kPanelCols) * 2 + k % 2] = 0;
  }
  return step.scale;
}

float PackI16(TensorView<const float> x, const PanelsI16& panels) {
  PB_CHECK(panels.depth == x.rows && panels.cols == x.cols);
  PB_CHECK(panels.values.size() >= PanelsI16::Size(panels.depth, panels.cols));
  const Step step(x);
  const VecF32 inverse = hn::Set(F32(), step.inverse);
  int16_t* to = panels.values.data();
  for (size_t column = 0; column < x.cols; column += kPanelCols) {
    for (size_t r = 0; r < x.rows; r += 2, to += 2 * kPanelCols) {
      const VecI16 even = CodesAt(x, r, column, inverse);
      const VecI16 odd = CodesAt(x, r + 1, column, inverse);
      hn::StoreU(hn::InterleaveLower(I16(), even, odd), I16(), to);
      hn::StoreU(hn::InterleaveUpper(I16(), even, odd), I16(), to + kPanelCols);
    }
  }
  return step.scale;
}

void MatMulI16(TensorView<const int16_t> a, const PanelsI16& b, std::span<const float> row_scales,
               TensorView<float> c) {
  const size_t depth = PanelsI16::PaddedDepth(b.depth);
  PB_CHECK(a.cols == depth && c.rows == a.rows && c.cols == b.cols);
  PB_CHECK(row_scales.empty() || row_scales.size() == a.rows);
  RowTile tile;
  tile.panels = b.values.data();
  tile.depth = depth;
  tile.c_stride = c.stride;
  tile.columns = c.cols;
  for (size_t m = 0; m < c.rows; m += kTileRows) {
    tile.rows = std::min(kTileRows, c.rows - m);
    for (size_t i = 0; i < kTileRows; ++i) {
      const size_t row = m + std::min(i, tile.rows - 1);
      tile.a[i] = a.data + row * a.stride;
      tile.row_scales[i] = row_scales.empty() ? 1.0f : row_scales[row];
    }
    tile.c = c.data + m * c.stride;
    MultiplyRows(tile);
  }
}

void SoftmaxI16(float scale, TensorView<const float> scores, TensorView<int16_t> codes,
                std::span<float> sums) {
  PB_CHECK(scores.cols > 0 && codes.cols == PanelsI16::PaddedDepth(scores.cols));
  PB_CHECK(codes.rows == scores.rows && sums.size() == scores.rows);
  for (size_t r = 0; r < scores.rows; ++r) {
    sums[r] = static_cast<float>(
        SoftmaxRow(scale, scores.Row(r), codes.data + r * codes.stride));
  }
}

}  // namespace pocketbert
