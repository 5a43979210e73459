#pragma once
// Stable sorting with little code. std::sort and std::stable_sort unfold into 3 to 5 kB of wasm for
// every element type and comparison; here one compiled sort over indices serves them all.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace pocketbert {

// Sorts `order` by `less(context, a, b)`; entries of which neither comes first keep their order.
void SortIndices(std::span<uint32_t> order,
                 bool (*less)(const void* context, uint32_t a, uint32_t b), const void* context);

// The same with `less(a, b)` of any callable type.
template <typename Less>
void SortIndices(std::span<uint32_t> order, const Less& less) {
  SortIndices(
      order,
      [](const void* context, uint32_t a, uint32_t b) {
        return static_cast<bool>((*static_cast<const Less*>(context))(a, b));
      },
      &less);
}

// [0, 1, …, count - 1].
std::vector<uint32_t> CountUp(size_t count);

// Sorts items by `less(const T&, const T&)`; items of which neither comes first keep their order.
template <typename T, typename Less>
void SortStably(std::vector<T>& items, const Less& less) {
  std::vector<uint32_t> order = CountUp(items.size());
  SortIndices(order, [&](uint32_t a, uint32_t b) { return less(items[a], items[b]); });
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const uint32_t i : order) sorted.push_back(std::move(items[i]));
  items = std::move(sorted);
}

}  // namespace pocketbert
