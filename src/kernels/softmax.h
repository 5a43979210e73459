#pragma once
// Softmax of rows.

#include "base/tensor.h"

namespace pocketbert {

// Replaces each row x of `rows` by e / sum(e), e = exp((x - max(x)) * scale), computed as
// e * (1 / sum(e)); the sum as in simd.h's SumRow. `scale` > 0 (attention: 1 / sqrt(head size)).
// A row of no elements stays as it is.
void Softmax(float scale, TensorView<float> rows);

}  // namespace pocketbert
