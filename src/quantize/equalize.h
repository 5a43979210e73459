#pragma once
// Equalizer: factors that move range from activations into weights before both are quantized.
//
// An int8 matrix W reads inputs x whose channels differ much in size: the largest decide the step of
// the quantization and the small ones drown in it. So x[k] is multiplied by scale[k] and W[:, k]
// divided by it, which in exact arithmetic changes nothing. The scales come from the checkpoint
// alone: no sample text is needed.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/config.h"

namespace pocketbert {

// One set of matrices that read the same input, e.g. query, key and value of a layer.
enum class InputKind { kAttention, kFeedForward };
struct EqualizedInput {
  InputKind kind = InputKind::kAttention;
  size_t layer = 0;
};

// Which matrices have an input_scale: those of this name (TensorSpec::input_scale_name).
bool IsEqualized(std::string_view input_scale_name);

// Follows the encoder from the bottom up: InputScale is called once for each input, in the order of
// the computation.
class Equalizer {
 public:
  explicit Equalizer(const EncoderConfig& config);

  // All equalized inputs in the order of the computation, with their input_scale_name.
  static std::vector<std::pair<std::string, EqualizedInput>> Inputs(const EncoderConfig& config);

  // Canonical names of the vectors that InputScale reads for this input: gamma and beta of LayerNorms,
  // in the order in which it wants them.
  std::vector<std::string> Vectors(const EqualizedInput& input) const;

  // Writes scale [in]. `vectors` are those of Vectors(input); `column_rms` [in] is the root mean square
  // of each column over all the matrices that read this input. All scales are positive and finite.
  void InputScale(const EqualizedInput& input, std::span<const std::span<const float>> vectors,
                  std::span<const float> column_rms, std::span<float> scale);

 private:
  bool has_projection_;
  // Estimated root mean square of each channel of the residual stream, [hidden_size].
  std::vector<float> residual_;
};

}  // namespace pocketbert
