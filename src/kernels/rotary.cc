#include "kernels/rotary.h"

#include "base/check.h"
#include "kernels/simd.h"

namespace pocketbert {

using namespace simd;  // NOLINT: the vocabulary of a kernel file

void TurnHalves(std::span<const float> cosines, std::span<const float> sines,
                std::span<float> row) {
  const size_t half = cosines.size();
  PB_CHECK(sines.size() == half && half > 0 && row.size() % (2 * half) == 0);
  for (float* head = row.data(); head != row.data() + row.size(); head += 2 * half) {
    for (size_t i = 0; i < half; i += kLanes) {
      const VecF32 a = LoadInRow(head, i, half), b = LoadInRow(head + half, i, half);
      const VecF32 cosine = LoadInRow(cosines.data(), i, half);
      const VecF32 sine = LoadInRow(sines.data(), i, half);
      StoreInRow(hn::Sub(hn::Mul(a, cosine), hn::Mul(b, sine)), head, i, half);
      StoreInRow(hn::Add(hn::Mul(b, cosine), hn::Mul(a, sine)), head + half, i, half);
    }
  }
}

}  // namespace pocketbert
