#include "kernels/elementwise.h"

#include <algorithm>
#include <cmath>

#include "kernels/simd.h"

namespace pocketbert {

namespace {

using namespace simd;  // NOLINT: the vocabulary of a kernel file

// Four int8 values as floats; `count` < 4 of them at the end of a row.
VecF32 LoadI8(const int8_t* from, size_t count) {
  const hn::Rebind<int8_t, F32> narrow;
  if (count >= kLanes) {
    return hn::ConvertTo(F32(), hn::PromoteTo(I32(), hn::LoadU(narrow, from)));
  }
  alignas(16) float values[kLanes] = {0, 0, 0, 0};
  for (size_t i = 0; i < count; ++i) values[i] = from[i];
  return hn::Load(F32(), values);
}

// to's elements [i, i + 4) become vector_op(i, they).
template <typename VectorOp>
HWY_INLINE void UpdateRow(std::span<float> to, const VectorOp& vector_op) {
  for (size_t i = 0; i < to.size(); i += kLanes) {
    const VecF32 updated = vector_op(i, LoadInRow(to.data(), i, to.size()));
    if (i + kLanes <= to.size()) {
      hn::StoreU(updated, F32(), &to[i]);
    } else {
      StorePart(updated, &to[i], to.size() - i);
    }
  }
}

// to[i] = vector_op(to[i], scale * value i), four at a time.
template <typename VectorOp>
void UpdateGroups(const ScaledI8& scaled, std::span<float> to, const VectorOp& vector_op) {
  PB_CHECK(scaled.values.size() == to.size() && scaled.group_size > 0);
  PB_CHECK(scaled.scales.size() * scaled.group_size >= to.size());
  for (size_t begin = 0; begin < to.size(); begin += scaled.group_size) {
    const std::span<float> part =
        to.subspan(begin, std::min(scaled.group_size, to.size() - begin));
    const int8_t* values = scaled.values.data() + begin;
    const VecF32 scale = hn::Set(F32(), scaled.scales[begin / scaled.group_size]);
    UpdateRow(part, [&](size_t i, VecF32 v) {
      return vector_op(v, hn::Mul(scale, LoadI8(values + i, part.size() - i)));
    });
  }
}

}  // namespace

void Add(std::span<const float> values, std::span<float> sum) {
  PB_CHECK(values.size() == sum.size());
  UpdateRow(sum, [&](size_t i, VecF32 s) {
    return hn::Add(s, LoadInRow(values.data(), i, values.size()));
  });
}

void Multiply(std::span<const float> values, std::span<float> product) {
  PB_CHECK(values.size() == product.size());
  UpdateRow(product, [&](size_t i, VecF32 p) {
    return hn::Mul(p, LoadInRow(values.data(), i, values.size()));
  });
}

void ExpandI8(const ScaledI8& scaled, std::span<float> row) {
  UpdateGroups(scaled, row, [](VecF32, VecF32 value) { return value; });
}

void AddExpandedI8(const ScaledI8& scaled, std::span<float> sum) {
  UpdateGroups(scaled, sum, [](VecF32 s, VecF32 value) { return hn::Add(s, value); });
}

void Scale(float factor, std::span<float> values) {
  const VecF32 factors = hn::Set(F32(), factor);
  UpdateRow(values, [&](size_t, VecF32 v) { return hn::Mul(v, factors); });
}

void MaxInto(std::span<const float> values, std::span<float> greatest) {
  PB_CHECK(values.size() == greatest.size());
  UpdateRow(greatest, [&](size_t i, VecF32 g) {
    return Greater(g, LoadInRow(values.data(), i, values.size()));
  });
}

void AddScaled(float weight, std::span<const float> values, std::span<float> sum) {
  PB_CHECK(values.size() == sum.size());
  const VecF32 weights = hn::Set(F32(), weight);
  UpdateRow(sum, [&](size_t i, VecF32 s) {
    return hn::Add(s, hn::Mul(weights, LoadInRow(values.data(), i, values.size())));
  });
}

void NormalizeRow(std::span<float> row) {
  const float squares = SumRow(row.data(), row.size(), [](VecF32 v) { return hn::Mul(v, v); });
  const VecF32 length = hn::Set(F32(), std::max(std::sqrt(squares), 1e-12f));
  UpdateRow(row, [&](size_t, VecF32 v) { return hn::Div(v, length); });
}

bool AllFinite(std::span<const float> values) {
  // 0 * x is 0 for finite x, else not a number.
  float poison = 0;
  for (const float value : values) poison += value * 0.0f;
  return poison == 0;
}

}  // namespace pocketbert
