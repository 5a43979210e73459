#include "tasks/warm_up.h"

#include "catch2/catch_amalgamated.hpp"

namespace pocketbert {
namespace {

// Its weights are views of a few numbers: the sanitizers tell if it reads beyond them, the encoder's
// own checks if a shape does not fit.
TEST_CASE("warming up keeps to its memory, with any number of threads") {
  for (const size_t threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    CHECK_NOTHROW(WarmUp(&pool));
  }
}

}  // namespace
}  // namespace pocketbert
