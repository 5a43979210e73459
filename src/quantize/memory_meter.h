#pragma once
// MemoryMeter: what an import holds, and the most it ever held. Bounded memory is a promise that a
// test reads from here.

#include <algorithm>
#include <cstddef>

namespace pocketbert {

struct MemoryMeter {
  size_t held = 0;  // bytes
  size_t peak = 0;

  void Add(size_t bytes) {
    held += bytes;
    peak = std::max(peak, held);
  }
  void Remove(size_t bytes) { held -= bytes; }
};

}  // namespace pocketbert
