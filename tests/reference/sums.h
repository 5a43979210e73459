#pragma once
// Sums in the orders that src/kernels promises. In double they are simply accurate sums; in float
// they give the kernels' bits.

#include <cstddef>

namespace reference {

// (0 + 2) + (1 + 3).
template <typename T>
T SumLanes(const T (&lanes)[4]) {
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

// term(0) + … + term(count - 1): part j of 16 sums the terms j, j + 16, j + 32, …
template <typename T, typename Term>
T SumRow(size_t count, const Term& term) {
  T parts[16] = {};
  for (size_t i = 0; i < count; ++i) parts[i % 16] += term(i);
  T lanes[4];
  for (size_t l = 0; l < 4; ++l) {
    lanes[l] = (parts[l] + parts[l + 4]) + (parts[l + 8] + parts[l + 12]);
  }
  return SumLanes(lanes);
}

// sum_k a[k] b[k] in four parts, k mod 4.
template <typename T>
T Dot(const T* a, const T* b, size_t count) {
  T lanes[4] = {};
  for (size_t k = 0; k < count; ++k) lanes[k % 4] += a[k] * b[k];
  return SumLanes(lanes);
}

}  // namespace reference
