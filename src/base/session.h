#pragma once
// Session: all that one caller of a model changes. The model itself stays const, so that any number
// of sessions may share it.

#include "base/thread_pool.h"
#include "base/workspace.h"

namespace pocketbert {

struct Session {
  // Scratch for one forward; sized from the model's configuration (nn/encoder.h).
  Workspace workspace;
  // Owned by the engine, shared by its sessions; one call runs at a time.
  ThreadPool* pool;
};

}  // namespace pocketbert
