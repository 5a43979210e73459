#include "kernels/gemm_i8.h"

#include <algorithm>

#include "kernels/simd.h"

namespace pocketbert {

namespace {

using namespace simd;  // NOLINT: the vocabulary of a kernel file

constexpr size_t kTileRows = 4;
constexpr size_t kPanelRows = PackedI8::kPanelRows;
constexpr size_t kBlockCols = PackedI8::kBlockCols;

// A tile of the result: up to 4 rows of activations x one panel (8 columns of the result).
template <typename Code>
struct Tile {
  const Code* codes;     // of the tile's first row; rows are code_stride apart
  const float* scales;   // [groups], rows are group_stride apart
  const float* offsets;  // likewise
  size_t code_stride, scale_stride, offset_stride;

  const int8_t* panel;         // [depth / 4, 8, 4]
  const float* weight_scales;  // [groups, 8]
  const float* weight_sums;    // [groups, 8]
  size_t depth;                // padded columns
  size_t group_size;

  const float* bias;  // [columns] or null
  float* c;           // rows are c_stride apart
  size_t c_stride;
  size_t columns;  // 1 to 8
};

// Adds group g's share to columns [column, column + 4) of row m, given their integer products.
template <typename Code>
HWY_INLINE VecF32 AddGroup(const Tile<Code>& tile, size_t m, size_t g, size_t column, VecI32 dots,
                           VecF32 sum) {
  const F32 tag;
  const VecF32 scale = hn::Set(tag, tile.scales[m * tile.scale_stride + g]);
  const VecF32 offset = hn::Set(tag, tile.offsets[m * tile.offset_stride + g]);
  const VecF32 weight_scale = hn::LoadU(tag, tile.weight_scales + g * kPanelRows + column);
  const VecF32 weight_sum = hn::LoadU(tag, tile.weight_sums + g * kPanelRows + column);
  sum = hn::Add(sum, hn::Mul(hn::Mul(hn::ConvertTo(tag, dots), weight_scale), scale));
  return hn::Add(sum, hn::Mul(offset, weight_sum));
}

// Writes columns [column, column + 4) of row m, as far as they exist.
template <typename Code>
HWY_INLINE void Finish(const Tile<Code>& tile, size_t m, size_t column, VecF32 sum) {
  if (column >= tile.columns) return;
  const size_t count = std::min(kLanes, tile.columns - column);
  if (tile.bias != nullptr) sum = hn::Add(sum, LoadInRow(tile.bias + column, 0, count));
  float* to = tile.c + m * tile.c_stride + column;
  if (count == kLanes) {
    hn::StoreU(sum, F32(), to);
  } else {
    StorePart(sum, to, count);
  }
}

HWY_INLINE VecU8 FourCodes(const uint8_t* codes) {
  return hn::BitCast(U8(), LoadRepeated<int32_t>(codes));
}

// Activations as bytes, dot products of four, or of two blocks' four at once.
template <size_t Rows, DotForm Form>
HWY_NOINLINE void QuadTile(const Tile<uint8_t>& tile) {
  constexpr size_t kBlockBytes = kPanelRows * kBlockCols;
  const VecI16 ones = LoadOnes();
  VecF32 sum[Rows][2];
  for (size_t m = 0; m < Rows; ++m) sum[m][0] = sum[m][1] = hn::Zero(F32());
  const int8_t* w = tile.panel;
  size_t k = 0;
  for (size_t g = 0; k < tile.depth; ++g) {
    VecI32 dots[Rows][2];
    for (size_t m = 0; m < Rows; ++m) dots[m][0] = dots[m][1] = hn::Zero(I32());
    const size_t end = std::min(tile.depth, k + tile.group_size);
    if (Form == DotForm::kSplit) {
      for (; k + 2 * kBlockCols <= end; k += 2 * kBlockCols, w += 2 * kBlockBytes) {
        const VecI8 w0 = hn::LoadU(I8(), w);
        const VecI8 w1 = hn::LoadU(I8(), w + 16);
        const VecI8 w2 = hn::LoadU(I8(), w + 32);
        const VecI8 w3 = hn::LoadU(I8(), w + 48);
        for (size_t m = 0; m < Rows; ++m) {
          const uint8_t* codes = tile.codes + m * tile.code_stride + k;
          const VecU8 a0 = FourCodes(codes), a1 = FourCodes(codes + kBlockCols);
          dots[m][0] = DotQuadsSplit(w0, a0, w2, a1, ones, dots[m][0]);
          dots[m][1] = DotQuadsSplit(w1, a0, w3, a1, ones, dots[m][1]);
        }
      }
    }
    for (; k < end; k += kBlockCols, w += kBlockBytes) {
      const VecI8 w0 = hn::LoadU(I8(), w);
      const VecI8 w1 = hn::LoadU(I8(), w + 16);
      for (size_t m = 0; m < Rows; ++m) {
        const VecU8 a = FourCodes(tile.codes + m * tile.code_stride + k);
        dots[m][0] = Form == DotForm::kFused ? DotQuadsFused(w0, a, ones, dots[m][0])
                                             : DotQuadsSplit(w0, a, ones, dots[m][0]);
        dots[m][1] = Form == DotForm::kFused ? DotQuadsFused(w1, a, ones, dots[m][1])
                                             : DotQuadsSplit(w1, a, ones, dots[m][1]);
      }
    }
    for (size_t m = 0; m < Rows; ++m) {
      sum[m][0] = AddGroup(tile, m, g, 0, dots[m][0], sum[m][0]);
      sum[m][1] = AddGroup(tile, m, g, kLanes, dots[m][1], sum[m][1]);
    }
  }
  for (size_t m = 0; m < Rows; ++m) {
    Finish(tile, m, 0, sum[m][0]);
    Finish(tile, m, kLanes, sum[m][1]);
  }
}

// Activations as 16-bit integers, dot products of two; half a panel at a time, its columns 0 and 1
// in one accumulator, 2 and 3 in another.
template <size_t Rows>
HWY_NOINLINE void PairTile(const Tile<int16_t>& tile, size_t column) {
  const I32 tag;
  const hn::Half<I8> half;
  VecF32 sum[Rows];
  for (size_t m = 0; m < Rows; ++m) sum[m] = hn::Zero(F32());
  const int8_t* w = tile.panel + column * kBlockCols;
  size_t k = 0;
  for (size_t g = 0; k < tile.depth; ++g) {
    VecI32 dots[Rows][2];
    for (size_t m = 0; m < Rows; ++m) dots[m][0] = dots[m][1] = hn::Zero(tag);
    const size_t end = std::min(tile.depth, k + tile.group_size);
    for (; k < end; k += kBlockCols, w += kPanelRows * kBlockCols) {
      const VecI16 w0 = hn::PromoteTo(I16(), hn::LoadU(half, w));
      const VecI16 w1 = hn::PromoteTo(I16(), hn::LoadU(half, w + 8));
      for (size_t m = 0; m < Rows; ++m) {
        const int16_t* codes = tile.codes + m * tile.code_stride + k;
        const VecI16 a = hn::BitCast(I16(), LoadRepeated<int64_t>(codes));
        dots[m][0] = hn::Add(dots[m][0], DotPairs(w0, a));
        dots[m][1] = hn::Add(dots[m][1], DotPairs(w1, a));
      }
    }
    for (size_t m = 0; m < Rows; ++m) {
      const VecI32 columns = hn::Add(hn::ConcatEven(tag, dots[m][1], dots[m][0]),
                                     hn::ConcatOdd(tag, dots[m][1], dots[m][0]));
      sum[m] = AddGroup(tile, m, g, column, columns, sum[m]);
    }
  }
  for (size_t m = 0; m < Rows; ++m) Finish(tile, m, column, sum[m]);
}

template <size_t Rows>
void PairTiles(const Tile<int16_t>& tile) {
  PairTile<Rows>(tile, 0);
  if (tile.columns > kLanes) PairTile<Rows>(tile, kLanes);
}

// Calls run_tile(tile, rows) with 4, 2 or 1 rows for every tile. Panels outside: a panel stays in
// the first-level cache while the rows pass by.
template <typename Code, typename RunTile>
void ForEachTile(const QuantizedRows<Code>& a, const PackedI8& weights,
                 std::span<const float> bias, TensorView<float> c, const RunTile& run_tile) {
  const size_t rows = a.codes.rows;
  PB_CHECK(a.cols == weights.cols && a.group_size == weights.group_size);
  PB_CHECK(c.rows == rows && c.cols == weights.rows);
  PB_CHECK(bias.empty() || bias.size() == weights.rows);
  Tile<Code> tile;
  tile.code_stride = a.codes.stride;
  tile.scale_stride = a.scales.stride;
  tile.offset_stride = a.offsets.stride;
  tile.depth = a.codes.cols;
  tile.group_size = a.group_size;
  tile.c_stride = c.stride;
  const size_t group_floats = weights.group_count() * kPanelRows;
  for (size_t p = 0; p < weights.panel_count(); ++p) {
    const size_t column = p * kPanelRows;
    tile.panel = weights.panels.data() + p * weights.panel_bytes();
    tile.weight_scales = weights.scales.data() + p * group_floats;
    tile.weight_sums = weights.sums.data() + p * group_floats;
    tile.bias = bias.empty() ? nullptr : bias.data() + column;
    tile.columns = std::min(kPanelRows, weights.rows - column);
    for (size_t m = 0, tile_rows; m < rows; m += tile_rows) {
      tile_rows = rows - m >= kTileRows ? kTileRows : rows - m >= 2 ? 2 : 1;
      tile.codes = a.codes.data + m * a.codes.stride;
      tile.scales = a.scales.data + m * a.scales.stride;
      tile.offsets = a.offsets.data + m * a.offsets.stride;
      tile.c = c.data + m * c.stride + column;
      run_tile(tile, tile_rows);
    }
  }
}

template <DotForm Form>
void MatMulQuads(const QuantizedRows<uint8_t>& a, const PackedI8& weights,
                 std::span<const float> bias, TensorView<float> c) {
  ForEachTile(a, weights, bias, c, [](const Tile<uint8_t>& tile, size_t rows) {
    switch (rows) {
      case 1: return QuadTile<1, Form>(tile);
      case 2: return QuadTile<2, Form>(tile);
      default: return QuadTile<kTileRows, Form>(tile);
    }
  });
}

}  // namespace

void MatMulI8(const QuantizedRows<uint8_t>& a, const PackedI8& weights,
              std::span<const float> bias, DotForm form, TensorView<float> c) {
  if (form == DotForm::kFused) {
    MatMulQuads<DotForm::kFused>(a, weights, bias, c);
  } else {
    MatMulQuads<DotForm::kSplit>(a, weights, bias, c);
  }
}

void MatMulI8(const QuantizedRows<int16_t>& a, const PackedI8& weights,
              std::span<const float> bias, TensorView<float> c) {
  ForEachTile(a, weights, bias, c, [](const Tile<int16_t>& tile, size_t rows) {
    switch (rows) {
      case 1: return PairTiles<1>(tile);
      case 2: return PairTiles<2>(tile);
      default: return PairTiles<kTileRows>(tile);
    }
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
