#include "base/tensor.h"

#include <numeric>
#include <vector>

#include "catch2/catch_amalgamated.hpp"

namespace pocketbert {
namespace {

TEST_CASE("Rows and columns of a strided view", "[tensor]") {
  std::vector<int> data(12);
  std::iota(data.begin(), data.end(), 0);
  const TensorView<int> view(data.data(), 3, 3, 4);  // 0 1 2 (3) | 4 5 6 (7) | 8 9 10 (11)
  CHECK(view.Row(1)[2] == 6);
  CHECK(view.Row(2).size() == 3);
  const TensorView<const int> lower = view.Rows(1, 3);
  CHECK(lower.rows == 2);
  CHECK(lower.Row(0)[0] == 4);
  const TensorView<int> right = view.Cols(1, 3);
  CHECK(right.cols == 2);
  CHECK(right.stride == 4);
  CHECK(right.Row(2)[1] == 10);
  CHECK(view.Rows(1, 1).empty());
}

}  // namespace
}  // namespace pocketbert
