#include "base/thread_pool.h"

#include <algorithm>

#include "base/check.h"

#if !defined(__EMSCRIPTEN__) || defined(POCKETBERT_THREADS)
#define POCKETBERT_HAS_THREADS 1
#else
#define POCKETBERT_HAS_THREADS 0
#endif

#if POCKETBERT_HAS_THREADS
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>
#endif

namespace pocketbert {

#if POCKETBERT_HAS_THREADS

namespace {
// A worker that finds no work polls this often before it sleeps: a forward forks many times in a
// row, and a wake-up from sleep costs 20 to 60 us where a poll costs a fraction of one.
constexpr int kPollsBeforeSleep = 2000;
}  // namespace

struct ThreadPool::State {
  std::vector<std::thread> threads;
  // Rises by one with every Run; a worker waits for it to change.
  std::atomic<uint32_t> generation{0};
  std::atomic<size_t> next_index{0};
  std::atomic<size_t> busy_workers{0};
  size_t count = 0;
  ErasedTask task = nullptr;
  const void* context = nullptr;
  bool stopping = false;

  void Work(size_t worker) {
    for (size_t i = next_index.fetch_add(1, std::memory_order_relaxed); i < count;
         i = next_index.fetch_add(1, std::memory_order_relaxed)) {
      task(context, i, worker);
    }
  }

  void WorkerLoop(size_t worker) {
    uint32_t seen = 0;
    while (true) {
      int polls = 0;
      while (generation.load(std::memory_order_acquire) == seen) {
        if (++polls > kPollsBeforeSleep) generation.wait(seen, std::memory_order_acquire);
      }
      seen = generation.load(std::memory_order_acquire);
      if (stopping) return;
      Work(worker);
      busy_workers.fetch_sub(1, std::memory_order_release);
    }
  }

  void Publish() {
    generation.fetch_add(1, std::memory_order_release);
    generation.notify_all();
  }
};

ThreadPool::ThreadPool(size_t threads) : state_(std::make_unique<State>()) {
  const size_t workers = std::max<size_t>(threads, 1) - 1;
  state_->threads.reserve(workers);
  for (size_t w = 1; w <= workers; ++w) {
    state_->threads.emplace_back([state = state_.get(), w] { state->WorkerLoop(w); });
  }
}

ThreadPool::~ThreadPool() {
  state_->stopping = true;
  state_->Publish();
  for (std::thread& thread : state_->threads) thread.join();
}

size_t ThreadPool::size() const { return state_->threads.size() + 1; }

void ThreadPool::RunErased(size_t count, ErasedTask task, const void* context) {
  const size_t workers = state_->threads.size();
  if (workers == 0 || count <= 1) {
    for (size_t i = 0; i < count; ++i) task(context, i, 0);
    return;
  }
  state_->count = count;
  state_->task = task;
  state_->context = context;
  state_->next_index.store(0, std::memory_order_relaxed);
  state_->busy_workers.store(workers, std::memory_order_relaxed);
  state_->Publish();
  state_->Work(0);
  while (state_->busy_workers.load(std::memory_order_acquire) != 0) {
  }
}

#else  // one thread: the caller

struct ThreadPool::State {};

ThreadPool::ThreadPool(size_t) {}
ThreadPool::~ThreadPool() = default;
size_t ThreadPool::size() const { return 1; }

void ThreadPool::RunErased(size_t count, ErasedTask task, const void* context) {
  for (size_t i = 0; i < count; ++i) task(context, i, 0);
}

#endif

}  // namespace pocketbert
