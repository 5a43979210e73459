#pragma once
// Activation functions by the names that Hugging Face configurations use for them.

#include <optional>
#include <span>
#include <string_view>

#include "base/tensor.h"

namespace pocketbert {

// One value per distinct formula; several names may mean the same one (see the table in
// activation.cc).
enum class Activation {
  kLinear,     // x
  kRelu,       // max(x, 0)
  kRelu2,      // max(x, 0)^2
  kRelu6,      // min(max(x, 0), 6)
  kLeakyRelu,  // x for x >= 0, else x / 100
  kGelu,       // x * Phi(x), Phi by the error function (Hendrycks & Gimpel 2016)
  kGelu10,     // kGelu clipped to [-10, 10]
  kGeluTanh,   // x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))
  kQuickGelu,  // x * sigmoid(1.702 x)
  kSilu,       // x * sigmoid(x)
  kMish,       // x * tanh(log(1 + e^x))
  kTanh,       // tanh(x)
  kSigmoid,    // 1 / (1 + e^-x)
  kLaplace,    // (1 + erf((x - 0.707107) / (0.282095 sqrt(2)))) / 2
  kGeluCoarse, // kGelu within 2e-4, in a third of the time; no configuration names it
};

// The activation that `hidden_act`, `activation`, ... of a configuration names ("gelu", "gelu_new",
// "silu", ...), or nothing if the name is unknown or needs learned parameters (prelu, xielu).
std::optional<Activation> ActivationFromName(std::string_view name);

// What to compute for `activation` if the result becomes 7-bit integers: their steps are far larger
// than the error of kGeluCoarse.
inline Activation BeforeQuantization(Activation activation) {
  return activation == Activation::kGelu ? Activation::kGeluCoarse : activation;
}

// output = activation(input), element by element; `output` may be `input`. Within 5e-7 of the
// formula (kLaplace 1e-6, kGeluCoarse 2e-4), absolute or, where the result exceeds 1, relative.
// Each element's result depends on that element only.
void Activate(Activation activation, TensorView<const float> input, TensorView<float> output);
inline void Activate(Activation activation, TensorView<float> values) {
  Activate(activation, values, values);
}

}  // namespace pocketbert
