#pragma once
// Batches that own their arrays.

#include <vector>

#include "nn/batch.h"
#include "reference/random.h"

namespace reference {

struct Sequence {
  std::vector<int> ids, types;
};

struct OwnedBatch {
  std::vector<int32_t> ids;
  std::vector<uint8_t> types;
  std::vector<uint32_t> offsets = {0};

  OwnedBatch() = default;
  explicit OwnedBatch(const std::vector<Sequence>& sequences) {
    for (const Sequence& sequence : sequences) {
      ids.insert(ids.end(), sequence.ids.begin(), sequence.ids.end());
      types.insert(types.end(), sequence.types.begin(), sequence.types.end());
      offsets.push_back(static_cast<uint32_t>(ids.size()));
    }
  }

  pocketbert::TokenBatch view() const { return {ids, types, offsets}; }
};

// Sequences of the given lengths with random ids and types.
inline std::vector<Sequence> RandomSequences(Random& random, const std::vector<size_t>& lengths,
                                             size_t vocab_size, size_t type_vocab_size) {
  std::vector<Sequence> sequences;
  for (size_t length : lengths) {
    Sequence& sequence = sequences.emplace_back();
    for (size_t t = 0; t < length; ++t) {
      sequence.ids.push_back(random.Int(0, static_cast<int>(vocab_size) - 1));
      sequence.types.push_back(
          type_vocab_size == 0 ? 0 : random.Int(0, static_cast<int>(type_vocab_size) - 1));
    }
  }
  return sequences;
}

}  // namespace reference
