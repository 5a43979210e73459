#pragma once
// Embedding: one vector per text, as sentence-transformers computes it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "tasks/embed_plan.h"
#include "tasks/task_session.h"
#include "tasks/text_batch.h"

namespace pocketbert {

struct Embeddings {
  size_t dimensions = 0;
  std::vector<float> data = {};    // [texts, dimensions]
  std::vector<uint32_t> tokens;    // [texts] tokens that were computed, special ones included
  std::vector<uint8_t> truncated;  // [texts] 1 where a text was cut

  size_t texts() const { return tokens.size(); }
};

// Embeds as many texts, from the first, as fit one batch of the session: at least one if there is
// one. A text's vector depends on the text, the model and the options only, bit for bit. Errors:
// those of FillBatch and PlanEmbedding.
Result<Embeddings> EmbedBatch(const Model& model, TaskSession& session, TextList list,
                              const EmbedOptions& options);

// Embeds all texts, batch after batch.
Result<Embeddings> Embed(const Model& model, TaskSession& session,
                         std::span<const TextPair> texts, const EmbedOptions& options);

}  // namespace pocketbert
