#pragma once
// TaskSession: the scratch memory and threads with which tasks run one model.

#include <cstddef>

#include "base/result.h"
#include "base/session.h"
#include "model/model.h"

namespace pocketbert {

struct TaskSession {
  Session session;
  // Most tokens that go through the encoder at once; at least the model's max_length().
  size_t max_batch_tokens = 0;
};

// Makes a session for `model` whose scratch suffices for every task on batches of up to
// `max_batch_tokens` tokens (raised to the model's longest text). `pool` must outlive it. Errors:
// kOutOfMemory.
Result<TaskSession> OpenTaskSession(const Model& model, size_t max_batch_tokens, ThreadPool* pool);

// Most texts in one batch of `max_batch_tokens` tokens; bounds what is allocated per text.
size_t MaxBatchTexts(size_t max_batch_tokens);

}  // namespace pocketbert
