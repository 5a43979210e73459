#pragma once
// WholeWords: which entries of a vocabulary are what the model makes of their own text. Nearly all
// are, and then most words of a text need no more than to be looked up; as it takes time to find
// out, it is found out when the word is first met. Any number of threads may do so at once: each
// comes to the same.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace pocketbert {

class WholeWords {
 public:
  enum State : uint8_t { kUnknown, kWhole, kParted };

  // Forgets all, makes room for ids below `ids`.
  void Reset(size_t ids) { states_ = std::make_unique<std::atomic<uint8_t>[]>(ids); }

  State Get(int32_t id) const {
    return static_cast<State>(states_[static_cast<size_t>(id)].load(std::memory_order_relaxed));
  }
  void Set(int32_t id, State state) const {
    states_[static_cast<size_t>(id)].store(state, std::memory_order_relaxed);
  }

 private:
  std::unique_ptr<std::atomic<uint8_t>[]> states_;
};

}  // namespace pocketbert
