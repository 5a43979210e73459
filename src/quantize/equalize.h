#pragma once
// Equalization: factors that move range from activations into weights before both are quantized.
//
// An int8 matrix W reads inputs x whose channels differ much in size: the largest decide the step
// of the quantization and the small ones drown in it. So x[k] is divided by e[k] and W[:, k]
// multiplied by it, which in exact arithmetic changes nothing. The factors come from the checkpoint
// alone, no sample text is needed: `profile` estimates the root mean square of every channel of x
// from the LayerNorms that x has passed,
//   e[k] = profile[k] / rms of column k of W,
// both kept above 1/1000 of their largest. Equalized are the inputs of query/key/value, of the
// first feed-forward matrices, and of the embeddings' projection; for the others it gained nothing
// when measured. Where an input is simply a LayerNorm's output (pre_norm models; layers that share
// weights, whose inputs are mostly the output of their own last norm), that norm is its profile.
//
// All arithmetic is double with + * / sqrt, sums in the order of the index: the same bits
// everywhere.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/config.h"

namespace pocketbert {

// How these factors are named in the file's `quantization` text.
inline constexpr std::string_view kEqualizationName = "layernorm-profile-3";

// True for the matrices that are equalized, by TensorSpec::input_scale_name.
bool IsEqualized(std::string_view input_scale_name);

// The tensors of the checkpoint that profiles are made of, by canonical name.
class ProfileTensors {
 public:
  // A bias, or gamma or beta of a LayerNorm.
  virtual std::span<const float> Vector(std::string_view name) const = 0;
  // sqrt(sum_k W[n, k]^2) for each row n of a matrix.
  virtual std::span<const double> RowNorms(std::string_view name) const = 0;

 protected:
  ~ProfileTensors() = default;
};

// One input of an encoder that is equalized.
struct EqualizedInput {
  enum class Kind {
    kProjection,  // of the embeddings
    kResidual,    // what layer `layer` reads, followed through the layers before it
    kNorm,        // the output of the LayerNorm `norm`
  };
  Kind kind = Kind::kNorm;
  size_t layer = 0;
  std::string norm;
  bool norm_bias = true;
  // The factors are taken to the power 3/4. A norm in front of a block reads sums that nothing has
  // normalized: its gamma tells only a part of how its output's channels differ. (3/4 was the best
  // of 0, 1/4, … 1 on two small models.)
  bool gentle = false;
  std::string input_scale_name;
  // What InputProfile will ask of ProfileTensors.
  std::vector<std::string> tensors;
  // True if it asks for `encoder_input`.
  bool needs_encoder_input = false;
};

// All of them, in the order of the computation.
std::vector<EqualizedInput> EqualizedInputs(const EncoderConfig& config);

// The estimated root mean square of each channel of `input`. `encoder_input` [hidden_size] is that
// of the first layer's input: LayerNormProfile of embeddings.LayerNorm, or ProjectedProfile of it.
std::vector<double> InputProfile(const EqualizedInput& input, const ProfileTensors& tensors,
                                 std::span<const double> encoder_input);

// What a LayerNorm gives for normally distributed input: sqrt(gamma[k]^2 + beta[k]^2). `beta` may
// be empty: all 0.
std::vector<double> LayerNormProfile(std::span<const float> gamma, std::span<const float> beta);

// One channel of a linear map of such a LayerNorm's output:
//   sqrt(sum_k (row[k] gamma[k])^2 + (sum_k row[k] beta[k] + bias)^2)
double ProjectedProfile(std::span<const float> row, std::span<const float> gamma,
                        std::span<const float> beta, float bias);

// Writes e [in]. `column_energy` [in]: sum of W[n, k]^2 over all `rows` rows that read this input.
// All ones if the profile or the energies are all zero or not finite.
void EqualizationFactors(std::span<const double> profile, std::span<const double> column_energy,
                         size_t rows, std::span<float> factors);

}  // namespace pocketbert
