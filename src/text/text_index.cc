#include "text/text_index.h"

namespace pocketbert {
void TextIndex::Reset(size_t count) {
  slot_count_ = count + count / 2 + 8;
  slots_ = std::make_unique_for_overwrite<Slot[]>(slot_count_);
  std::memset(slots_.get(), 0xFF, slot_count_ * sizeof(Slot));
  // Whole words.
  const int bits = count <= 8 ? 6 : std::bit_width(count - 1) + 3;
  filter_.assign((size_t{1} << bits) / 64, 0);
  filter_shift_ = 64 - bits;
}

bool TextIndex::Insert(const TextKey& key, int32_t id) {
  return Enter(ProbeOf(key), id, [](int32_t) { return false; }) != kCrafted;
}

}  // namespace pocketbert
