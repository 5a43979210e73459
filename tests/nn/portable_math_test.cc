#include "nn/portable_math.h"

#include <catch2/catch_amalgamated.hpp>

#include <cmath>

#include "reference/random.h"

namespace pocketbert {
namespace {

TEST_CASE("exponential, logarithm, sine and cosine are those of the C library to 1e-15") {
  reference::Random random(7);
  for (int i = 0; i < 20000; ++i) {
    const double x = double{random.Float(700)};
    CHECK(std::abs(PortableExp(x) / std::exp(x) - 1) <= 1e-15 * (1 + std::abs(x) / 8));
    const double angle = double{random.Float()} * (i % 2 == 0 ? 10 : 1048575);
    const auto [sine, cosine] = PortableSineCosine(angle);
    CHECK(std::abs(sine - std::sin(angle)) <= 1e-15);
    CHECK(std::abs(cosine - std::cos(angle)) <= 1e-15);
    const double y = std::exp(double{random.Float(80)});
    CHECK(std::abs(PortableLog(y) - std::log(y)) <= 1e-15 * (1 + std::abs(std::log(y))));
  }
  CHECK(PortableExp(0) == 1);
  CHECK(PortableLog(1) == 0);
  CHECK(PortableLog(2) == std::log(2.0));
  CHECK(PortableSineCosine(0).sine == 0);
  CHECK(PortableSineCosine(0).cosine == 1);
}

}  // namespace
}  // namespace pocketbert
