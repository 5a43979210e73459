#pragma once
// Work for its own sake. Browsers compile wasm in haste and replace the code of a function only after
// it has run for a while; that can happen before there is a model, while it is still on its way.

#include "base/thread_pool.h"

namespace pocketbert {

// Runs texts of some tokens through a small int8 encoder with made-up weights, which is gone
// afterwards; some ten milliseconds, after which most of what encoders do is fast.
void WarmUp(ThreadPool* pool);

}  // namespace pocketbert
