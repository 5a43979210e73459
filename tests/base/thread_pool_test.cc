#include "base/thread_pool.h"

#include <atomic>
#include <vector>

#include "catch2/catch_amalgamated.hpp"

namespace pocketbert {
namespace {

TEST_CASE("Every index runs exactly once, by a worker of the pool", "[thread_pool]") {
  const size_t threads = GENERATE(0, 1, 2, 3);
  ThreadPool pool(threads);
  CHECK(pool.size() >= 1);
  CHECK(pool.size() <= (threads == 0 ? 1 : threads));
  for (const size_t count : {0, 1, 2, 3, 7, 64, 1000, 65535, 65536, 140000}) {
    std::vector<std::atomic<int>> runs(count);
    std::atomic<bool> known_workers{true};
    pool.Run(count, [&](size_t index, size_t worker) {
      runs[index].fetch_add(1);
      if (worker >= pool.size()) known_workers = false;
    });
    CHECK(known_workers);
    for (const std::atomic<int>& run : runs) CHECK(run.load() == 1);
  }
}

TEST_CASE("What tasks wrote is seen after Run, many times in a row", "[thread_pool]") {
  ThreadPool pool(2);
  std::vector<int> squares(50);
  for (int round = 0; round < 2000; ++round) {
    pool.Run(squares.size(), [&](size_t index, size_t) {
      squares[index] = static_cast<int>(index * index) + round;
    });
    long sum = 0;
    for (const int square : squares) sum += square;
    REQUIRE(sum == 40425 + 50L * round);
  }
}

// A worker that is late meets runs that have ended meanwhile, of other tasks and other counts.
TEST_CASE("Workers that come late take no task of a run that is over", "[thread_pool]") {
  for (int round = 0; round < 50; ++round) {
    ThreadPool pool(3);  // its workers start while the first runs are already under way
    for (size_t run = 0; run < 200; ++run) {
      const size_t count = 2 + run * 7 % 23;
      std::vector<std::atomic<size_t>> marks(count);
      pool.Run(count, [&marks, run](size_t index, size_t) { marks[index].fetch_add(run + 1); });
      for (const std::atomic<size_t>& mark : marks) REQUIRE(mark.load() == run + 1);
    }
  }
}

}  // namespace
}  // namespace pocketbert
