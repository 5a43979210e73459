#pragma once
// MergeTable: what two tokens side by side become, and how early (BPE).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "text/model_data.h"

namespace pocketbert {

class MergeTable {
 public:
  static constexpr uint32_t kNoRank = UINT32_MAX;

  struct Merge {
    uint32_t rank = kNoRank;
    int32_t result = -1;
  };

  // In order of rank; of equal pairs the last counts. False if the pairs seem crafted to collide.
  bool Fill(std::span<const BpeMerge> merges);

  // A rank of kNoRank if the two do not merge.
  Merge Find(int32_t left, int32_t right) const {
    const uint64_t key = KeyOf(left, right);
    for (size_t at = SlotOf(key);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.key == key) return slot.merge;
      if (slot.key == kFree) return {};
    }
  }

  // All, in order of rank.
  std::vector<BpeMerge> All() const;

 private:
  static constexpr uint64_t kFree = UINT64_MAX;
  struct Slot {
    uint64_t key = kFree;
    Merge merge;
  };

  static uint64_t KeyOf(int32_t left, int32_t right) {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
  }
  size_t SlotOf(uint64_t key) const {
    return static_cast<size_t>((key ^ key >> 29) * 0xD6E8FEB86659FD93u >> shift_);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(2);  // open addressing, a power of two
  int shift_ = 63;
};

}  // namespace pocketbert
