#include "tasks/check_numbers.h"

#include <utility>

#include "kernels/elementwise.h"
#include "tasks/text_batch.h"

namespace pocketbert {

Status CheckNumbers(size_t text, TensorView<const float> values, std::string_view what) {
  for (size_t r = 0; r < values.rows; ++r) {
    if (AllFinite(values.Row(r))) continue;
    Status error = FormatError(Message("the model's ") + what + " are no numbers");
    return AboutText(text, std::move(error).error());
  }
  return Done{};
}

}  // namespace pocketbert
