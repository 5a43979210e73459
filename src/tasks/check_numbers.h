#pragma once
// Results of a model whose weights are finite, yet so large that sums overflow.

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "base/tensor.h"

namespace pocketbert {

// Errors: kFormat where one of `values`, all of the text of this number, is infinite or not a
// number: `text 12: the model's scores are no numbers` (`what`: "scores").
Status CheckNumbers(size_t text, TensorView<const float> values, std::string_view what);

}  // namespace pocketbert
