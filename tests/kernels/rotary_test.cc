#include "kernels/rotary.h"

#include <catch2/catch_amalgamated.hpp>

#include "kernels/elementwise.h"
#include "reference/compare.h"
#include "reference/random.h"

namespace pocketbert {
namespace {

TEST_CASE("TurnHalves turns pairs of a head's halves, whatever the sizes") {
  reference::Random random(31);
  for (const size_t half : {1, 2, 3, 4, 5, 6, 8, 13, 32}) {
    for (const size_t heads : {0, 1, 2, 3}) {
      const auto cosines = random.FloatMatrix(1, half), sines = random.FloatMatrix(1, half);
      auto row = random.FloatMatrix(1, heads * 2 * half);
      auto expected = row;
      for (size_t h = 0; h < heads; ++h) {
        for (size_t i = 0; i < half; ++i) {
          float& a = expected.values[h * 2 * half + i];
          float& b = expected.values[h * 2 * half + half + i];
          const float turned = a * cosines.values[i] - b * sines.values[i];
          b = b * cosines.values[i] + a * sines.values[i];
          a = turned;
        }
      }
      CAPTURE(half, heads);
      TurnHalves(cosines.values, sines.values, row.values);
      CHECK(reference::CountDifferentBits(row.values, expected.values) == 0);
    }
  }
}

TEST_CASE("Multiply multiplies element by element") {
  reference::Random random(32);
  for (const size_t count : {0, 1, 3, 4, 5, 17}) {
    const auto a = random.FloatMatrix(1, count);
    auto b = random.FloatMatrix(1, count);
    auto expected = b;
    for (size_t i = 0; i < count; ++i) expected.values[i] *= a.values[i];
    Multiply(a.values, b.values);
    CHECK(reference::CountDifferentBits(b.values, expected.values) == 0);
  }
}

}  // namespace
}  // namespace pocketbert
