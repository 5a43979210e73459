#pragma once
// The vectors that all kernels use, and the few operations that Highway lacks. The only file that
// includes Highway: one static target per binary, 128-bit vectors on every machine, so that native
// and wasm builds of every variant round alike. Nothing here or in a kernel fuses a multiply with
// an add: a * b + c is rounded twice.

#define HWY_COMPILE_ONLY_STATIC
#include "hwy/highway.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pocketbert::simd {

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::FixedTag<float, 4>;
using I32 = hn::FixedTag<int32_t, 4>;
using I16 = hn::FixedTag<int16_t, 8>;
using I8 = hn::FixedTag<int8_t, 16>;
using U8 = hn::FixedTag<uint8_t, 16>;
using VecF32 = hn::Vec<F32>;
using VecI32 = hn::Vec<I32>;
using VecI16 = hn::Vec<I16>;
using VecI8 = hn::Vec<I8>;
using VecU8 = hn::Vec<U8>;

inline constexpr size_t kLanes = 4;  // floats in a vector

// `Value` in all lanes, from memory that the compiler cannot see through: as a literal it would be
// made anew in every step of a loop, which costs V8 three instructions each.
template <float Value>
HWY_INLINE VecF32 Constant() {
  static constexpr float kValue = Value;
  const float* value = &kValue;
  asm("" : "+r"(value));
  return hn::Set(F32(), *value);
}

// The first `count` < 4 floats of `from`, then zeros. The ends of rows are not worth inlining.
inline HWY_NOINLINE VecF32 LoadPart(const float* from, size_t count) {
  alignas(16) float lanes[kLanes] = {0, 0, 0, 0};
  for (size_t i = 0; i < count; ++i) lanes[i] = from[i];
  return hn::Load(F32(), lanes);
}

// The first `count` < 4 lanes of `v` to `to`.
inline HWY_NOINLINE void StorePart(VecF32 v, float* to, size_t count) {
  alignas(16) float lanes[kLanes];
  hn::Store(v, F32(), lanes);
  for (size_t i = 0; i < count; ++i) to[i] = lanes[i];
}

inline HWY_NOINLINE void StorePart(VecI16 v, int16_t* to, size_t count) {
  alignas(16) int16_t lanes[2 * kLanes];
  hn::Store(v, I16(), lanes);
  for (size_t i = 0; i < count; ++i) to[i] = lanes[i];
}

// The greater of each pair, a where they are equal or either is not a number: one instruction in
// V8, where the ordered maximum and minimum take seven.
HWY_INLINE VecF32 Greater(VecF32 a, VecF32 b) {
#if defined(__wasm_simd128__)
  return VecF32{wasm_f32x4_pmax(a.raw, b.raw)};
#else
  return hn::IfThenElse(hn::Lt(a, b), b, a);
#endif
}
HWY_INLINE VecF32 Lesser(VecF32 a, VecF32 b) {
#if defined(__wasm_simd128__)
  return VecF32{wasm_f32x4_pmin(a.raw, b.raw)};
#else
  return hn::IfThenElse(hn::Lt(b, a), b, a);
#endif
}

HWY_INLINE float GreatestLane(VecF32 v) {
  const VecF32 pairs = Greater(v, hn::Shuffle1032(v));
  return hn::GetLane(Greater(pairs, hn::Shuffle2301(pairs)));
}
HWY_INLINE float LeastLane(VecF32 v) {
  const VecF32 pairs = Lesser(v, hn::Shuffle1032(v));
  return hn::GetLane(Lesser(pairs, hn::Shuffle2301(pairs)));
}

// (lane 0 + lane 2) + (lane 1 + lane 3): the order in which every kernel sums lanes.
HWY_INLINE float SumLanes(VecF32 v) {
  const VecF32 pairs = hn::Add(v, hn::Shuffle1032(v));
  return hn::GetLane(hn::Add(pairs, hn::Shuffle2301(pairs)));
}

// Lane i = SumLanes of the i-th argument.
HWY_INLINE VecF32 SumLanesOfFour(VecF32 a, VecF32 b, VecF32 c, VecF32 d) {
  const F32 tag;
  // [a0+a2, b0+b2, a1+a3, b1+b3]
  const VecF32 ab = hn::Add(hn::InterleaveLower(tag, a, b), hn::InterleaveUpper(tag, a, b));
  const VecF32 cd = hn::Add(hn::InterleaveLower(tag, c, d), hn::InterleaveUpper(tag, c, d));
  return hn::Add(hn::ConcatLowerLower(tag, cd, ab), hn::ConcatUpperUpper(tag, cd, ab));
}

// Elements [i, i + 4) of a row of `count`, zeros past its end.
HWY_INLINE VecF32 LoadInRow(const float* row, size_t i, size_t count) {
  return i + kLanes <= count ? hn::LoadU(F32(), row + i) : LoadPart(row + i, count - i);
}

// Writes elements [i, i + 4) of a row of `count`, as far as they exist.
HWY_INLINE void StoreInRow(VecF32 v, float* row, size_t i, size_t count) {
  if (i + kLanes <= count) {
    hn::StoreU(v, F32(), row + i);
  } else {
    StorePart(v, row + i, count - i);
  }
}

// The sum of at(0), at(4), ... over a row of `count` elements, where at(i) gives something of
// elements [i, i + 4), zeros past the end. It is taken in 16 parts: part j sums the elements with
// index j mod 16, in order; then parts j, j + 4, j + 8, j + 12 are added as (0 + 4) + (8 + 12),
// then lanes as in SumLanes. Of a row's last 15 elements at(i, count) is asked instead of
// at(i, i + 4).
template <typename At>
HWY_INLINE float SumAt(size_t count, const At& at) {
  VecF32 part0 = hn::Zero(F32()), part1 = part0, part2 = part0, part3 = part0;
  const auto add = [&](VecF32& part, size_t i, size_t end) { part = hn::Add(part, at(i, end)); };
  size_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    add(part0, i, i + kLanes);
    add(part1, i + kLanes, i + 2 * kLanes);
    add(part2, i + 2 * kLanes, i + 3 * kLanes);
    add(part3, i + 3 * kLanes, i + 4 * kLanes);
  }
  if (i < count) add(part0, i, count);
  if (i + kLanes < count) add(part1, i + kLanes, count);
  if (i + 2 * kLanes < count) add(part2, i + 2 * kLanes, count);
  if (i + 3 * kLanes < count) add(part3, i + 3 * kLanes, count);
  return SumLanes(hn::Add(hn::Add(part0, part1), hn::Add(part2, part3)));
}

// The sum of vector_op(x) over a row, where vector_op(0) = 0, as SumAt takes it.
template <typename VectorOp>
HWY_INLINE float SumRow(const float* row, size_t count, const VectorOp& vector_op) {
  return SumAt(count, [&](size_t i, size_t end) { return vector_op(LoadInRow(row, i, end)); });
}

// Calls `vector_op(VecF32) -> VecF32` on a row of `count` elements from `from` to `to` (which may
// be the same row). The end of the row goes through the same code, in a copy of full width.
template <typename VectorOp>
HWY_NOINLINE void MapRow(const float* from, float* to, size_t count, const VectorOp& vector_op) {
  const F32 tag;
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(vector_op(hn::LoadU(tag, from + i)), tag, to + i);
  }
  if (const size_t rest = count - i; rest > 0) {
    alignas(16) float end[kLanes];
    hn::Store(LoadPart(from + i, rest), tag, end);
    MapRow(end, end, kLanes, vector_op);
    StorePart(hn::Load(tag, end), to + i, rest);
  }
}

// Nearest integer, ties to even, for |v| < 2^22: adding 1.5 * 2^23 pushes the fraction out.
inline constexpr float kRoundingMagic = 12582912.0f;

HWY_INLINE VecI32 RoundToInt(VecF32 v) {
  const I32 int_tag;
  const VecF32 magic = Constant<kRoundingMagic>();
  return hn::Sub(hn::BitCast(int_tag, hn::Add(v, magic)), hn::BitCast(int_tag, magic));
}

// p * 2^n, where the low bits of `shifted` = n + kRoundingMagic hold n: moved to p's exponent, they
// multiply.
HWY_INLINE VecF32 TimesPowerOfTwo(VecF32 p, VecF32 shifted) {
  const I32 int_tag;
  const VecI32 exponent = hn::ShiftLeft<23>(hn::BitCast(int_tag, shifted));
  return hn::BitCast(F32(), hn::Add(hn::BitCast(int_tag, p), exponent));
}

// sum * x + Coefficient: a step of Horner's scheme. Where time counts, polynomials are evaluated by
// Estrin's scheme instead, whose steps wait less for each other.
template <float Coefficient>
HWY_INLINE VecF32 Horner(VecF32 sum, VecF32 x) {
  return hn::Add(hn::Mul(sum, x), Constant<Coefficient>());
}

// e^v for v in [-87, 88] (clamped), relative error < 3e-7. Cody-Waite reduction v = n ln 2 + r,
// then a minimax polynomial of degree 6 for e^r on |r| <= ln 2 / 2 (fitted for this file).
HWY_INLINE VecF32 Exp(VecF32 v) {
  v = Lesser(Greater(v, Constant<-87.0f>()), Constant<88.0f>());
  const VecF32 shifted =
      hn::Add(hn::Mul(v, Constant<1.44269504f>()), Constant<kRoundingMagic>());
  const VecF32 n = hn::Sub(shifted, Constant<kRoundingMagic>());
  VecF32 r = hn::Sub(v, hn::Mul(n, Constant<0.693359375f>()));
  r = hn::Sub(r, hn::Mul(n, Constant<-2.12194440e-4f>()));
  VecF32 p = Horner<0.00836871006f>(Constant<0.00138146128f>(), r);
  p = Horner<0.041668389f>(p, r);
  p = Horner<0.166665211f>(p, r);
  p = Horner<0.49999994f>(p, r);
  p = hn::Add(hn::Add(hn::Mul(p, hn::Mul(r, r)), r), Constant<1.0f>());
  return TimesPowerOfTwo(p, shifted);
}

// ---- Integer products. Relaxed SIMD is what Highway lacks: each instruction has a plain twin with
// ---- the same results wherever the operands keep the bounds stated.

// The first 4 (8, 16) elements at `from`, repeated to fill the vector.
template <typename T>
HWY_INLINE hn::Vec<hn::FixedTag<T, 16 / sizeof(T)>> LoadRepeated(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return hn::Set(hn::FixedTag<T, 16 / sizeof(T)>(), value);
}

// Lane i = w[2i] a[2i] + w[2i+1] a[2i+1], exact for a in [0, 127].
HWY_INLINE VecI16 DotPairsPlain(VecI8 w, VecU8 a) {
  const I16 tag;
  const auto products = [&](auto w_half, auto a_half) {
    return hn::Mul(hn::PromoteTo(tag, w_half), hn::BitCast(tag, hn::PromoteTo(tag, a_half)));
  };
  const hn::Half<I8> half_i8;
  const hn::Half<U8> half_u8;
  const VecI16 low = products(hn::LowerHalf(half_i8, w), hn::LowerHalf(half_u8, a));
  const VecI16 high = products(hn::UpperHalf(half_i8, w), hn::UpperHalf(half_u8, a));
  return hn::Add(hn::ConcatEven(tag, high, low), hn::ConcatOdd(tag, high, low));
}

// The same by one instruction, where there is one.
HWY_INLINE VecI16 DotPairs(VecI8 w, VecU8 a) {
#if defined(__wasm_relaxed_simd__)
  return VecI16{wasm_i16x8_relaxed_dot_i8x16_i7x16(w.raw, a.raw)};
#elif HWY_TARGET <= HWY_SSSE3 && HWY_ARCH_X86
  return hn::SatWidenMulPairwiseAdd(I16(), a, w);
#else
  return DotPairsPlain(w, a);
#endif
}

// Lane i = v[2i] b[2i] + v[2i+1] b[2i+1], exact.
HWY_INLINE VecI32 DotPairs(VecI16 v, VecI16 b) {
  return hn::WidenMulPairwiseAdd(I32(), v, b);
}

// Lane i = sum[i] + the dot product of bytes 4i to 4i + 3, exact for a in [0, 127]. `ones` is a
// vector of ones (see LoadOnes).
HWY_INLINE VecI32 DotQuadsSplit(VecI8 w, VecU8 a, VecI16 ones, VecI32 sum) {
  return hn::Add(sum, DotPairs(DotPairs(w, a), ones));
}

// DotQuadsSplit by one instruction, where there is one.
HWY_INLINE VecI32 DotQuadsFused(VecI8 w, VecU8 a, VecI16 ones, VecI32 sum) {
#if defined(__wasm_relaxed_simd__)
  (void)ones;
  return VecI32{wasm_i32x4_relaxed_dot_i8x16_i7x16_add(w.raw, a.raw, sum.raw)};
#else
  return DotQuadsSplit(w, a, ones, sum);
#endif
}

// Ones from memory that the compiler cannot see through: as a constant it would be made anew in
// every step of a loop, which costs V8 three instructions each.
HWY_INLINE VecI16 LoadOnes() {
  alignas(16) static constexpr int16_t kOnes[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  const int16_t* ones = kOnes;
  asm("" : "+r"(ones));
  return hn::Load(I16(), ones);
}

}  // namespace pocketbert::simd
