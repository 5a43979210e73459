#pragma once
// Embedding: one vector per text, as sentence-transformers computes it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "nn/pooling.h"
#include "tasks/task_session.h"
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

struct Embeddings {
  size_t dimensions = 0;
  std::vector<float> data = {};    // [texts, dimensions]
  std::vector<uint32_t> tokens;    // [texts] tokens that were computed, special ones included
  std::vector<uint8_t> truncated;  // [texts] 1 where a text was cut

  size_t texts() const { return tokens.size(); }
};

// Embeds as many texts, from the first, as fit one batch of the session: at least one if there is
// one. A text's vector depends on the text, the model and the options only, bit for bit. Errors:
// those of FillBatch; kInvalidArgument for an unknown prompt, dimensions out of range, a pooling
// whose width a Dense module does not take.
Result<Embeddings> EmbedBatch(const Model& model, TaskSession& session, TextList list,
                              const EmbedOptions& options);

// Embeds all texts, batch after batch.
Result<Embeddings> Embed(const Model& model, TaskSession& session,
                         std::span<const TextPair> texts, const EmbedOptions& options);

}  // namespace pocketbert
