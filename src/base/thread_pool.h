#pragma once
// ThreadPool: fork and join over a few threads that live as long as the pool.

#include <cstddef>
#include <memory>

namespace pocketbert {

// Which of the work falls to whom never changes a result: a task's outcome may depend on its index
// only. In builds without threads the pool has one thread, the caller.
class ThreadPool {
 public:
  // `threads` counts the caller too; values below 1 count as 1. Builds without threads use 1.
  explicit ThreadPool(size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Threads that take part in Run, the caller included; >= 1.
  size_t size() const;

  // Calls task(index, worker) for every index in [0, count), in any order and in parallel, and
  // returns when all are done. `worker` in [0, size()) tells which thread runs it (for scratch per
  // thread). Not reentrant: a task must not call Run.
  template <typename Task>
  void Run(size_t count, const Task& task) {
    RunErased(
        count,
        [](const void* context, size_t index, size_t worker) {
          (*static_cast<const Task*>(context))(index, worker);
        },
        &task);
  }

 private:
  using ErasedTask = void (*)(const void* context, size_t index, size_t worker);
  void RunErased(size_t count, ErasedTask task, const void* context);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pocketbert
