#pragma once
// Names of a checkpoint's tensors into canonical ones (nn/weights.h): the only place that knows how
// each family spells them.

#include <string>
#include <string_view>

#include "model/hf_config.h"

namespace pocketbert {

// "bert.encoder.layer.0.output.LayerNorm.gamma"        → "encoder.layer.0.output.LayerNorm.weight"
// "distilbert.transformer.layer.0.attention.q_lin.bias" →
// "encoder.layer.0.attention.self.query.bias" A name that the family does not use comes back as it
// is, without its prefix.
std::string CanonicalTensorName(ModelFamily family, std::string_view name);

// What a canonical name that no part of a model asked for means.
enum class UnusedTensor {
  kBuffer,   // constants that the library's classes keep, e.g. embeddings.position_ids
  kHead,     // weights of a task that nothing here does, e.g. cls.predictions.bias
  kEncoder,  // belongs to the encoder: config.json describes another network than the file
};
UnusedTensor ClassifyUnusedTensor(std::string_view canonical_name);

}  // namespace pocketbert
