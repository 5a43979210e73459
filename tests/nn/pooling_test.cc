#include "nn/pooling.h"

#include <catch2/catch_amalgamated.hpp>

#include <cmath>

#include "reference/batch.h"
#include "reference/compare.h"

using pocketbert::PoolingMode;
using pocketbert::TokenBatch;
using reference::GreatestError;
using reference::Matrix;
using reference::OwnedBatch;
using reference::Random;

namespace {

constexpr PoolingMode kModes[] = {PoolingMode::kCls,         PoolingMode::kMax,
                                  PoolingMode::kMean,        PoolingMode::kMeanSqrtLen,
                                  PoolingMode::kWeightedMean, PoolingMode::kLastToken};

// sentence-transformers' formulas, in double: `mask` leaves out the skipped tokens.
double PooledValue(PoolingMode mode, const Matrix<float>& hidden, const OwnedBatch& batch, size_t s,
                   size_t skipped, size_t c) {
  const size_t begin = batch.offsets[s], end = batch.offsets[s + 1];
  const size_t first = std::min(begin + skipped, end);
  if (mode == PoolingMode::kCls) return begin < end ? hidden.at(begin, c) : 0;
  if (first == end) return 0;
  double sum = 0, weighted = 0, weights = 0, greatest = -INFINITY;
  for (size_t t = first; t < end; ++t) {
    const double weight = static_cast<double>(t - begin + 1);
    sum += hidden.at(t, c);
    weighted += weight * hidden.at(t, c);
    weights += weight;
    greatest = std::max(greatest, static_cast<double>(hidden.at(t, c)));
  }
  const double count = static_cast<double>(end - first);
  switch (mode) {
    case PoolingMode::kMax: return greatest;
    case PoolingMode::kMean: return sum / count;
    case PoolingMode::kMeanSqrtLen: return sum / std::sqrt(count);
    case PoolingMode::kWeightedMean: return weighted / weights;
    default: return hidden.at(end - 1, c);
  }
}

}  // namespace

TEST_CASE("pooling modes, one by one and side by side") {
  Random random(110);
  const OwnedBatch batch(reference::RandomSequences(random, {4, 1, 0, 9, 2}, 10, 2));
  const Matrix<float> hidden = random.FloatMatrix(batch.ids.size(), 37);
  for (size_t skipped : {0, 1, 3}) {
    Matrix<float> all(5, 6 * 37);
    Pool(kModes, hidden.view(), batch.view(), skipped, all.view());
    for (size_t m = 0; m < 6; ++m) {
      std::vector<float> one(5 * 37, 9.0f);
      std::vector<double> expected;
      Pool({&kModes[m], 1}, hidden.view(), batch.view(), skipped, {one.data(), 5, 37});
      for (size_t s = 0; s < 5; ++s) {
        for (size_t c = 0; c < 37; ++c) {
          expected.push_back(PooledValue(kModes[m], hidden, batch, s, skipped, c));
          CHECK(all.at(s, m * 37 + c) == one[s * 37 + c]);
        }
      }
      CAPTURE(m, skipped);
      CHECK(GreatestError<double>(one, expected) <= 1e-6);
    }
  }
}
