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

// A worker that finds no work polls this often before it sleeps, for about 100 us: a forward forks
// many times in a row, some threads' tasks are longer than others', and a wake-up from sleep costs
// 20 to 60 us.
constexpr int kPollsBeforeSleep = 100000;

// Tasks of one generation; longer runs are cut.
constexpr size_t kMaxCount = 0xffff;

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
void WaitForChange(Counter& counter, uint32_t seen) { counter.wait(seen); }
void WakeAll(Counter& counter) { counter.notify_all(); }
#endif

// What is left to claim: the generation, how many tasks it has, and the next one's index, in one
// word, so that a claim is one comparison and can succeed for the generation it was meant for only.
struct Ticket {
  uint32_t generation;
  uint16_t count;
  uint16_t next;
};
static_assert(std::atomic<Ticket>::is_always_lock_free);

}  // namespace

struct ThreadPool::State {
  // What a thread is started with.
  struct Seat {
    State* state;
    size_t worker;
    pthread_t thread;
  };

  std::vector<Seat> seats;
  // Rises by one with every generation; a worker without work waits for it to change.
  Counter generation{0};
  // Workers that sleep or are about to: waking costs, so it is left out where nobody does.
  Counter sleepers{0};
  std::atomic<Ticket> ticket{Ticket{0, 0, 0}};
  // Tasks of this generation that are finished.
  Counter done{0};
  // Written while all tasks are finished. A worker that comes late may read them at any time, but
  // uses them only once its claim has shown that they are its generation's.
  std::atomic<size_t> first_index{0};
  std::atomic<ErasedTask> task{nullptr};
  std::atomic<const void*> context{nullptr};
  std::atomic<bool> stopping{false};

  // Claims and runs tasks until none is left.
  void Work(size_t worker) {
    Ticket seen = ticket.load(std::memory_order_acquire);
    while (seen.next < seen.count) {
      const size_t first = first_index.load(std::memory_order_relaxed);
      const ErasedTask run = task.load(std::memory_order_relaxed);
      const void* argument = context.load(std::memory_order_relaxed);
      Ticket rest = seen;
      ++rest.next;
      if (!ticket.compare_exchange_weak(seen, rest, std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
        continue;
      }
      run(argument, first + seen.next, worker);
      done.fetch_add(1, std::memory_order_release);
      seen = ticket.load(std::memory_order_acquire);
    }
  }

  void WorkerLoop(size_t worker) {
    uint32_t seen = 0;
    while (!stopping.load(std::memory_order_acquire)) {
      int polls = 0;
      while (generation.load(std::memory_order_acquire) == seen) {
        if (++polls <= kPollsBeforeSleep) continue;
        sleepers.fetch_add(1);
        WaitForChange(generation, seen);
        sleepers.fetch_sub(1);
      }
      seen = generation.load(std::memory_order_acquire);
      Work(worker);
    }
  }

  // Sequentially consistent, as a worker's way to sleep is: either it is seen to sleep, or it sees
  // the new generation.
  void Publish() {
    generation.fetch_add(1);
    if (sleepers.load() > 0) WakeAll(generation);
  }

  // The caller works too, and waits for tasks that others have claimed: never for a worker that the
  // system has not let in.
  void RunGeneration(size_t first, size_t count) {
    done.store(0, std::memory_order_relaxed);
    first_index.store(first, std::memory_order_relaxed);
    const Ticket open{generation.load(std::memory_order_relaxed) + 1,
                      static_cast<uint16_t>(count), 0};
    ticket.store(open, std::memory_order_release);
    Publish();
    Work(0);
    while (done.load(std::memory_order_acquire) != count) {
    }
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
  state_->stopping.store(true, std::memory_order_release);
  state_->Publish();
  for (const State::Seat& seat : state_->seats) pthread_join(seat.thread, nullptr);
}

size_t ThreadPool::size() const { return state_->seats.size() + 1; }

void ThreadPool::RunErased(size_t count, ErasedTask task, const void* context) {
  if (state_->seats.empty() || count <= 1) {
    for (size_t i = 0; i < count; ++i) task(context, i, 0);
    return;
  }
  state_->task.store(task, std::memory_order_relaxed);
  state_->context.store(context, std::memory_order_relaxed);
  for (size_t first = 0; first < count; first += kMaxCount) {
    state_->RunGeneration(first, std::min(kMaxCount, count - first));
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
