// Tells the program that started this one how many test cases passed: one line on standard output.
// Catch2's own JSON report names every assertion, which takes minutes to write in wasm.

#include <catch2/catch_amalgamated.hpp>
#include <cstdio>

namespace {

class CountListener : public Catch::EventListenerBase {
 public:
  using Catch::EventListenerBase::EventListenerBase;

  void testRunEnded(const Catch::TestRunStats& stats) override {
    const Catch::Counts& cases = stats.totals.testCases;
    std::printf("\ntest cases counted: %llu passed, %llu failed, %llu skipped\n",
                static_cast<unsigned long long>(cases.passed + cases.failedButOk),
                static_cast<unsigned long long>(cases.failed),
                static_cast<unsigned long long>(cases.skipped));
    std::fflush(stdout);
  }
};

CATCH_REGISTER_LISTENER(CountListener)

}  // namespace
