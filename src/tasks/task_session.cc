#include "tasks/task_session.h"

#include <algorithm>

#include "nn/encoder.h"
#include "nn/heads.h"
#include "tasks/fill_mask.h"
#include "tasks/sentence_vector.h"

namespace pocketbert {

size_t MaxBatchTexts(size_t max_batch_tokens) { return std::max<size_t>(max_batch_tokens / 2, 1); }

Result<TaskSession> OpenTaskSession(const Model& model, size_t max_batch_tokens,
                                    ThreadPool* pool) {
  const EncoderConfig& config = model.encoder_config();
  const size_t tokens = std::max(max_batch_tokens, model.max_length());
  const size_t texts = MaxBatchTexts(tokens);
  const size_t threads = pool->size();
  size_t head_bytes = 0;
  for (const Head& head : model.heads()) {
    const HeadConfig& head_config = head.spec.config;
    if (head.spec.task == HeadTask::kFillMask) {
      head_bytes = std::max(head_bytes, FillMaskWorkspaceBytes(head_config, threads));
    } else {
      const size_t rows = head.spec.input == HeadInput::kTokens ? tokens : texts;
      head_bytes = std::max(head_bytes, HeadWorkspaceBytes(head_config, rows, threads));
    }
  }
  // A head that reads the [CLS] token gathers these rows first; they are no wider than a vector.
  const size_t bytes = EncoderWorkspaceBytes(config, tokens, threads) +
                       SentenceVectorWorkspaceBytes(model, texts, threads) + head_bytes;
  PB_ASSIGN_OR_RETURN(Workspace workspace, Workspace::Create(bytes));
  return TaskSession{{std::move(workspace), pool}, tokens};
}

}  // namespace pocketbert
