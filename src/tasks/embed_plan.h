#pragma once
// What a caller wants of vectors, and what follows from it for a model.

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "model/model.h"
#include "nn/pooling.h"
#include "tasks/sentence_vector.h"
#include "tasks/text_batch.h"

namespace pocketbert {

struct EmbedOptions {
  LengthOptions length;
  // "query", or "document" (also "passage", "corpus"): the model's prompt of that name if it has
  // one; any other kind must be the name of a prompt. "": the model's default prompt, if any.
  std::string kind;
  // Name of a prompt, which the model must have. Goes before `kind`.
  std::string prompt_name;
  // The prompt itself. Goes before both.
  std::optional<std::string> prompt;
  // The first so many components, from 1 to the model's. If vectors are scaled to length 1, the
  // shortened ones are.
  std::optional<size_t> dimensions;
  // Scale to length 1 at the end, or not; absent: as the model's modules say.
  std::optional<bool> normalize;
  // Absent: as 1_Pooling says.
  std::optional<PoolingMode> pooling;
};

struct EmbedPlan {
  std::string prompt;     // goes before each text; may be empty
  VectorOptions vectors;  // views the model and the options
};

// The result views `options`. Errors: kInvalidArgument for an unknown prompt, dimensions out of
// range, a pooling whose width a Dense module does not take.
Result<EmbedPlan> PlanEmbedding(const Model& model, const EmbedOptions& options);

// The same for vectors of tokens: as many dimensions as hidden_size, of length 1 unless told
// otherwise; nothing is pooled.
Result<EmbedPlan> PlanTokens(const Model& model, const EmbedOptions& options);

}  // namespace pocketbert
