#include "tasks/embed.h"

#include <utility>

#include "nn/encoder.h"
#include "tasks/check_numbers.h"
#include "tasks/sentence_vector.h"

namespace pocketbert {
Result<Embeddings> EmbedBatch(const Model& model, TaskSession& task, TextList list,
                              const EmbedOptions& options) {
  PB_ASSIGN_OR_RETURN(const EmbedPlan plan, PlanEmbedding(model, options));
  PB_ASSIGN_OR_RETURN(TextBatch batch, FillBatch(model, task, list, plan.prompt, options.length));
  Embeddings result{.dimensions = plan.vectors.dimensions,
                    .tokens = batch.Lengths(),
                    .truncated = std::move(batch.truncated)};
  if (result.texts() == 0) return result;

  Workspace::Scope scope(task.session.workspace);
  const TensorView<float> hidden =  // [tokens, hidden_size]
      RunEncoder(model.encoder_config(), model.encoder(), batch.view(), task.session);
  const TensorView<float> vectors =  // [texts, dimensions]
      SentenceVectors(model, hidden, batch.view(), plan.vectors, task.session);
  for (size_t r = 0; r < vectors.rows; ++r) {
    PB_RETURN_IF_ERROR(CheckNumbers(list.first_number + r, vectors.Rows(r, r + 1), "vectors"));
  }
  AppendRows(vectors, result.data);
  return result;
}

Result<Embeddings> Embed(const Model& model, TaskSession& task, std::span<const TextPair> texts,
                         const EmbedOptions& options) {
  PB_ASSIGN_OR_RETURN(Embeddings all, EmbedBatch(model, task, {texts}, options));
  while (all.texts() < texts.size()) {
    const size_t done = all.texts();
    PB_ASSIGN_OR_RETURN(const Embeddings more,
                        EmbedBatch(model, task, {texts.subspan(done), done}, options));
    all.data.insert(all.data.end(), more.data.begin(), more.data.end());
    all.tokens.insert(all.tokens.end(), more.tokens.begin(), more.tokens.end());
    all.truncated.insert(all.truncated.end(), more.truncated.begin(), more.truncated.end());
  }
  return all;
}

}  // namespace pocketbert
