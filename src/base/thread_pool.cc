#include "base/thread_pool.h"

#include <algorithm>

#include "base/check.h"

#if !defined(__EMSCRIPTEN__) || defined(POCKETBERT_THREADS)
#define POCKETBERT_HAS_THREADS 1
#else
#define POCKETBERT_HAS_THREADS 0
#endif

#if POCKETBERT_HAS_THREADS
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <vector>
#endif

namespace pocketbert {

#if POCKETBERT_HAS_THREADS

namespace {
// A worker that finds no work polls this often before it sleeps: a forward forks many times in a
// row, and a wake-up from sleep costs 20 to 60 us where a poll costs a fraction of one.
constexpr int kPollsBeforeSleep = 2000;

using Counter = std::atomic<uint32_t>;

// Sleep until `counter` is no longer `seen`, and wake all who do. In wasm these are instructions;
// the standard library's way there, like its threads, is 8 kB of code around them.
#if defined(__wasm__)
void WaitForChange(Counter& counter, uint32_t seen) {
  static_assert(sizeof(Counter) == 4);
  __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(&counter), static_cast<int>(seen), -1);
}
void WakeAll(Counter& counter) {
  __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&counter), UINT32_MAX);
}
#else
void WaitForChange(Counter& counter, uint32_t seen) {
  counter.wait(seen, std::memory_order_acquire);
}
void WakeAll(Counter& counter) { counter.notify_all(); }
#endif

}  // namespace

struct ThreadPool::State {
  // What a thread is started with.
  struct Seat {
    State* state;
    size_t worker;
    pthread_t thread;
  };

  std::vector<Seat> seats;
  // Rises by one with every Run; a worker waits for it to change.
  Counter generation{0};
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
        if (++polls > kPollsBeforeSleep) WaitForChange(generation, seen);
      }
      seen = generation.load(std::memory_order_acquire);
      if (stopping) return;
      Work(worker);
      busy_workers.fetch_sub(1, std::memory_order_release);
    }
  }

  void Publish() {
    generation.fetch_add(1, std::memory_order_release);
    WakeAll(generation);
  }
};

ThreadPool::ThreadPool(size_t threads) : state_(std::make_unique<State>()) {
  const size_t workers = std::max<size_t>(threads, 1) - 1;
  for (size_t w = 1; w <= workers; ++w) state_->seats.push_back({state_.get(), w, {}});
  for (State::Seat& seat : state_->seats) {
    const auto work = [](void* argument) -> void* {
      const State::Seat& own = *static_cast<State::Seat*>(argument);
      own.state->WorkerLoop(own.worker);
      return nullptr;
    };
    PB_CHECK(pthread_create(&seat.thread, nullptr, work, &seat) == 0);
  }
}

ThreadPool::~ThreadPool() {
  state_->stopping = true;
  state_->Publish();
  for (const State::Seat& seat : state_->seats) pthread_join(seat.thread, nullptr);
}

size_t ThreadPool::size() const { return state_->seats.size() + 1; }

void ThreadPool::RunErased(size_t count, ErasedTask task, const void* context) {
  const size_t workers = state_->seats.size();
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
