#include "quantize/equalize.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "nn/weights.h"

namespace pocketbert {
namespace {

// Layers before its own that a profile follows the residual stream through.
constexpr size_t kDepth = 3;
// Typical root mean squares of the attention's context and of the activation function's output, by
// which a row's norm becomes the size of what it adds to the residual stream.
constexpr double kContextRms = 0.5;
constexpr double kActivationRms = 0.2;
// Smallest profile and column weight, as a part of the largest.
constexpr double kFloor = 1e-3;

constexpr std::string_view kEmbeddingNorm = "embeddings.LayerNorm";
constexpr std::string_view kProjectionScale = "embeddings_project.input_scale";
constexpr std::string_view kAttentionScale = ".attention.self.input_scale";
constexpr std::string_view kFeedForwardScale = ".intermediate.dense.input_scale";

std::string LayerName(size_t layer) { return "encoder.layer." + std::to_string(layer); }

// The tensors of one layer that change the profile of the residual stream.
struct LayerNames {
  explicit LayerNames(size_t layer)
      : attention_norm(LayerName(layer) + ".attention.output.LayerNorm"),
        output_norm(LayerName(layer) + ".output.LayerNorm"),
        attention_matrix(LayerName(layer) + ".attention.output.dense.weight"),
        output_matrix(LayerName(layer) + ".output.dense.weight") {}
  std::string attention_norm, output_norm;
  std::string attention_matrix, output_matrix;
};

void AddNorm(const std::string& norm, std::vector<std::string>& tensors) {
  tensors.push_back(norm + ".weight");
  tensors.push_back(norm + ".bias");
}

size_t FirstLayer(size_t layer) { return layer < kDepth ? 0 : layer - kDepth; }
// The chain begins at the encoder's input, or inside its first layer, after that layer's attention.
bool BeginsAtInput(size_t layer) { return layer < kDepth; }

double MeanSquare(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

std::vector<double> NormProfile(const ProfileTensors& tensors, const std::string& norm) {
  return LayerNormProfile(tensors.Vector(norm + ".weight"), tensors.Vector(norm + ".bias"));
}

// A branch of the layer is added to the residual stream, and a LayerNorm follows:
//   profile ← sqrt((gamma u)^2 + beta^2), u = r / rms(r), r = sqrt(profile^2 + (size row_norm)^2)
void PassBranch(const ProfileTensors& tensors, const std::string& matrix, double size,
                const std::string& norm, std::vector<double>& profile) {
  const std::span<const double> row_norms = tensors.RowNorms(matrix);
  const std::span<const float> gamma = tensors.Vector(norm + ".weight");
  const std::span<const float> beta = tensors.Vector(norm + ".bias");
  PB_CHECK(row_norms.size() == profile.size() && gamma.size() == profile.size());
  for (size_t k = 0; k < profile.size(); ++k) {
    const double added = size * row_norms[k];
    profile[k] = std::sqrt(profile[k] * profile[k] + added * added);
  }
  const double rms = std::sqrt(MeanSquare(profile));
  for (size_t k = 0; k < profile.size(); ++k) {
    const double spread = static_cast<double>(gamma[k]) * (profile[k] / rms);
    const double center = static_cast<double>(beta[k]);
    profile[k] = std::sqrt(spread * spread + center * center);
  }
}

EqualizedInput NormInput(const EncoderConfig& config, std::string norm, std::string scale_name) {
  EqualizedInput input;
  input.norm_bias = config.norm_bias;
  input.gentle = config.pre_norm;
  input.input_scale_name = std::move(scale_name);
  input.tensors.push_back(norm + ".weight");
  if (config.norm_bias) input.tensors.push_back(norm + ".bias");
  input.norm = std::move(norm);
  return input;
}

EqualizedInput ResidualInput(size_t layer, std::string scale_name) {
  EqualizedInput input;
  input.kind = EqualizedInput::Kind::kResidual;
  input.layer = layer;
  input.input_scale_name = std::move(scale_name);
  input.needs_encoder_input = BeginsAtInput(layer);
  for (size_t j = FirstLayer(layer); j < layer; ++j) {
    const LayerNames names(j);
    AddNorm(names.attention_norm, input.tensors);
    AddNorm(names.output_norm, input.tensors);
    input.tensors.push_back(names.attention_matrix);
    input.tensors.push_back(names.output_matrix);
  }
  return input;
}

EqualizedInput AttentionInput(const EncoderConfig& config, size_t layer) {
  const std::string name = LayerName(layer);
  std::string scale_name = name + std::string(kAttentionScale);
  if (config.pre_norm) {
    return NormInput(config,
                     config.HasAttentionNorm(layer) ? AttentionNormName(config, name)
                                                    : std::string(kEmbeddingNorm),
                     std::move(scale_name));
  }
  if (config.weight_sets() != config.layers) {
    return NormInput(config, OutputNormName(config, name), std::move(scale_name));
  }
  return ResidualInput(layer, std::move(scale_name));
}

EqualizedInput FeedForwardInput(const EncoderConfig& config, size_t layer) {
  const std::string name = LayerName(layer);
  return NormInput(config,
                   config.pre_norm ? OutputNormName(config, name)
                                   : AttentionNormName(config, name),
                   name + std::string(kFeedForwardScale));
}

std::vector<double> ResidualProfile(size_t layer, const ProfileTensors& tensors,
                                     std::span<const double> encoder_input) {
  const size_t first = FirstLayer(layer);
  std::vector<double> profile(encoder_input.begin(), encoder_input.end());
  if (!BeginsAtInput(layer)) profile = NormProfile(tensors, LayerNames(first).attention_norm);
  for (size_t j = first; j < layer; ++j) {
    const LayerNames names(j);
    if (j != first || BeginsAtInput(layer)) {
      PassBranch(tensors, names.attention_matrix, kContextRms, names.attention_norm, profile);
    }
    PassBranch(tensors, names.output_matrix, kActivationRms, names.output_norm, profile);
  }
  return profile;
}

}  // namespace

bool IsEqualized(std::string_view input_scale_name) {
  return input_scale_name == kProjectionScale || input_scale_name.ends_with(kAttentionScale) ||
         input_scale_name.ends_with(kFeedForwardScale);
}

std::vector<EqualizedInput> EqualizedInputs(const EncoderConfig& config) {
  std::vector<EqualizedInput> inputs;
  if (config.has_projection()) {
    inputs.push_back(
        NormInput(config, std::string(kEmbeddingNorm), std::string(kProjectionScale)));
    inputs.back().kind = EqualizedInput::Kind::kProjection;
  }
  for (size_t layer = 0; layer < config.weight_sets(); ++layer) {
    inputs.push_back(AttentionInput(config, layer));
    inputs.push_back(FeedForwardInput(config, layer));
  }
  return inputs;
}

std::vector<double> InputProfile(const EqualizedInput& input, const ProfileTensors& tensors,
                                 std::span<const double> encoder_input) {
  if (input.kind == EqualizedInput::Kind::kResidual) {
    return ResidualProfile(input.layer, tensors, encoder_input);
  }
  const std::span<const float> gamma = tensors.Vector(input.norm + ".weight");
  if (!input.norm_bias) return LayerNormProfile(gamma, {});
  return LayerNormProfile(gamma, tensors.Vector(input.norm + ".bias"));
}

std::vector<double> LayerNormProfile(std::span<const float> gamma, std::span<const float> beta) {
  PB_CHECK(beta.empty() || gamma.size() == beta.size());
  std::vector<double> profile(gamma.size());
  for (size_t k = 0; k < profile.size(); ++k) {
    const double spread = static_cast<double>(gamma[k]);
    const double center = beta.empty() ? 0 : static_cast<double>(beta[k]);
    profile[k] = std::sqrt(spread * spread + center * center);
  }
  return profile;
}

double ProjectedProfile(std::span<const float> row, std::span<const float> gamma,
                        std::span<const float> beta, float bias) {
  double spread = 0;
  double center = 0;
  for (size_t k = 0; k < row.size(); ++k) {
    const double weight = static_cast<double>(row[k]);
    const double part = weight * static_cast<double>(gamma[k]);
    spread += part * part;
    center += weight * static_cast<double>(beta[k]);
  }
  center += static_cast<double>(bias);
  return std::sqrt(spread + center * center);
}

void EqualizationFactors(std::span<const double> profile, std::span<const double> column_energy,
                         size_t rows, std::span<float> factors) {
  PB_CHECK(profile.size() == factors.size() && column_energy.size() == factors.size());
  std::vector<double> column_rms(factors.size());
  for (size_t k = 0; k < factors.size(); ++k) {
    column_rms[k] = std::sqrt(column_energy[k] / static_cast<double>(rows));
  }
  const double largest_profile = *std::max_element(profile.begin(), profile.end());
  const double largest_rms = *std::max_element(column_rms.begin(), column_rms.end());
  bool sound = largest_profile > 0 && largest_rms > 0;
  for (size_t k = 0; k < factors.size(); ++k) {
    const double factor = std::max(profile[k], kFloor * largest_profile) /
                          std::max(column_rms[k], kFloor * largest_rms);
    factors[k] = static_cast<float>(factor);
    sound = sound && std::isfinite(profile[k]) && std::isfinite(factors[k]) &&
            std::isfinite(1.0f / factors[k]);
  }
  if (!sound) std::fill(factors.begin(), factors.end(), 1.0f);
}

}  // namespace pocketbert
