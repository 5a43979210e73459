#include "text/merge_table.h"

#include <algorithm>
#include <bit>

namespace pocketbert {
namespace {

// A well-spread table of this fill has no runs of this length; a crafted one might.
constexpr size_t kLongestRun = 256;

}  // namespace

bool MergeTable::Fill(std::span<const BpeMerge> merges) {
  const int bits = std::bit_width(2 * merges.size() + 1);
  slots_.assign(size_t{1} << bits, {});
  shift_ = 64 - bits;
  for (uint32_t rank = 0; rank < merges.size(); ++rank) {
    const uint64_t key = KeyOf(merges[rank].left, merges[rank].right);
    size_t at = SlotOf(key);
    for (size_t run = 0; slots_[at].key != kFree && slots_[at].key != key; ++run) {
      if (run == kLongestRun) return false;
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = {key, {rank, merges[rank].result}};
  }
  return true;
}

std::vector<BpeMerge> MergeTable::All() const {
  size_t ranks = 0;
  for (const Slot& slot : slots_) {
    if (slot.key != kFree) ranks = std::max<size_t>(ranks, size_t{slot.merge.rank} + 1);
  }
  std::vector<BpeMerge> by_rank(ranks, {-1, -1, -1});
  for (const Slot& slot : slots_) {
    if (slot.key == kFree) continue;
    by_rank[slot.merge.rank] = {static_cast<int32_t>(slot.key >> 32),
                                static_cast<int32_t>(slot.key & 0xFFFFFFFF), slot.merge.result};
  }
  // Where an equal pair stood, nothing is left.
  std::erase_if(by_rank, [](const BpeMerge& merge) { return merge.left < 0; });
  return by_rank;
}

}  // namespace pocketbert
