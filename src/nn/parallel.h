#pragma once
// Splitting rows among the threads of a pool.

#include <algorithm>
#include <cstddef>

#include "base/thread_pool.h"

namespace pocketbert {

// Calls body(begin, end) for consecutive blocks of at most `block` rows that cover [0, rows), in
// any order and in parallel. What a row becomes must not depend on its block.
template <typename Body>
void ParallelRows(ThreadPool& pool, size_t rows, size_t block, const Body& body) {
  pool.Run((rows + block - 1) / block, [&](size_t index, size_t) {
    body(index * block, std::min(rows, (index + 1) * block));
  });
}

// Rows per block for element-wise work: large enough to be worth a fork.
inline constexpr size_t kElementwiseBlock = 16;

}  // namespace pocketbert
