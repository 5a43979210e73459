#pragma once
// Splitting rows among the threads of a pool.

#include <algorithm>
#include <cstddef>

#include "base/thread_pool.h"

namespace pocketbert {

// Rows that one thread takes through a chain of matrices at a time: what lies between two of them
// (64 rows of 1536 floats are 393 kB) stays in the second-level cache, and each time the weights
// pass by, many rows use them.
inline constexpr size_t kRowBlock = 64;

// Fewer rows stay with the caller: one tile of rows through all columns is as fast as a part of it.
inline constexpr size_t kLeastRowsToSplit = 5;

// Rows [begin, end), at most kRowBlock of them, and who works on them: `thread`, in
// [0, pool.size()), tells whose scratch to use.
struct RowBlock {
  size_t begin;
  size_t end;
  size_t thread;

  size_t rows() const { return end - begin; }
};

// Calls body(RowBlock) for consecutive blocks of nearly equal size that cover [0, rows), in any
// order and in parallel. What a row becomes must not depend on its block.
template <typename Body>
void ParallelRows(ThreadPool& pool, size_t rows, const Body& body) {
  const size_t threads = rows < kLeastRowsToSplit ? 1 : pool.size();
  const size_t rounds = (rows + threads * kRowBlock - 1) / (threads * kRowBlock);
  const size_t blocks = std::min(rows, threads * rounds);
  pool.Run(blocks, [&](size_t index, size_t thread) {
    body(RowBlock{rows * index / blocks, rows * (index + 1) / blocks, thread});
  });
}

}  // namespace pocketbert
