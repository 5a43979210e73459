#pragma once
// Names of a checkpoint's tensors into canonical ones (nn/weights.h): the only place that knows how
// each family spells them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/hf_config.h"

namespace pocketbert {

// "bert.encoder.layer.0.output.LayerNorm.gamma"        → "encoder.layer.0.output.LayerNorm.weight"
// "distilbert.transformer.layer.0.attention.q_lin.bias" →
// "encoder.layer.0.attention.self.query.bias" A name that the family does not use comes back as it
// is, without its prefix.
std::string CanonicalTensorName(ModelFamily family, std::string_view name);

// Some families keep several matrices of one input in one tensor, rows below rows. The canonical
// names of its equal parts, in order:
// "encoder.layer.0.attention.self.qkv.weight" → "….query.weight", "….key.weight", "….value.weight"
// Any other name comes back alone.
inline constexpr size_t kMaxFusedParts = 3;
std::vector<std::string> SplitFusedName(std::string canonical_name);

// What a canonical name that no part of a model asked for means.
enum class UnusedTensor {
  kBuffer,   // constants that the library's classes keep, e.g. embeddings.position_ids
  kHead,     // weights of a task that nothing here does
  kEncoder,  // belongs to the encoder: config.json describes another network than the file
};
UnusedTensor ClassifyUnusedTensor(std::string_view canonical_name);

}  // namespace pocketbert
