#pragma once
// Names of an ONNX graph's values and nodes into names of tensors.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "model/hf_config.h"

namespace pocketbert {

// The tensor whose name a value has, or "": names that exporters make up have no dots, or begin with
// "onnx::" or a slash. Endings that quantization adds are taken off.
// "bert.pooler.dense.weight_Transposed_quantized" → "bert.pooler.dense.weight"
std::string OwnName(std::string_view value);

// From the name of a node, which is its path in the network:
// "/encoder/layer.0/output/dense/MatMul_quant" and ".weight" → "encoder.layer.0.output.dense.weight".
// "" for names that are no paths.
std::string PlaceName(std::string_view node, std::string_view ending);

// Canonical names (model/source_names.h) of tensors that lie deeper than in the checkpoint, in a
// wrapper: "model.0.auto_model.embeddings.LayerNorm.bias" → "embeddings.LayerNorm.bias".
class WeightNames {
 public:
  explicit WeightNames(const HfConfig& config);

  // Finds out what wrapper names made by a rule (0, 1, 2) have, from those of the encoder.
  void Learn(size_t rule, std::string_view name);
  // The canonical name. Needs all names of the rule to be learned.
  std::string Canonical(size_t rule, std::string_view name) const;

  // True for a canonical name that is a tensor of the encoder, or several fused.
  bool IsExpected(const std::string& canonical_name) const;

 private:
  // Where in `name` the name of an encoder's tensor begins, or npos.
  size_t EncoderName(std::string_view name) const;

  ModelFamily family_;
  std::vector<std::string> expected_;  // sorted
  std::array<std::string, 3> wrappers_;
};

}  // namespace pocketbert
