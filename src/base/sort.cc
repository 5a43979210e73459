#include "base/sort.h"

#include <algorithm>

namespace pocketbert {

// Merge sort from runs of one entry upwards.
void SortIndices(std::span<uint32_t> order,
                 bool (*less)(const void* context, uint32_t a, uint32_t b), const void* context) {
  const size_t count = order.size();
  std::vector<uint32_t> merged(count);
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * run) {
      const size_t middle = std::min(begin + run, count), end = std::min(begin + 2 * run, count);
      size_t left = begin, right = middle;
      for (size_t at = begin; at < end; ++at) {
        const bool take_right =
            right < end && (left == middle || less(context, order[right], order[left]));
        merged[at] = order[take_right ? right++ : left++];
      }
    }
    std::copy(merged.begin(), merged.end(), order.begin());
  }
}

std::vector<uint32_t> CountUp(size_t count) {
  std::vector<uint32_t> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<uint32_t>(i);
  return numbers;
}

}  // namespace pocketbert
