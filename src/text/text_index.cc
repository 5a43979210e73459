#include "text/text_index.h"

namespace pocketbert {
namespace {

// A well-spread table of this fill has no runs of this length; a crafted one might.
constexpr size_t kLongestRun = 256;

}  // namespace

void TextIndex::Reset(size_t count) {
  // At least 16 slots: then the filter has at least one whole word.
  const int bits = count <= 8 ? 4 : std::bit_width(2 * count - 1);
  slots_.assign(size_t{1} << bits, {});
  slot_shift_ = 64 - bits;
  filter_.assign((size_t{1} << (bits + 2)) / 64, 0);
  filter_shift_ = slot_shift_ - 2;
}

bool TextIndex::Insert(const Probe& probe, int32_t id) {
  const size_t mask = slots_.size() - 1;
  size_t at = static_cast<size_t>(probe.spread >> slot_shift_);
  for (size_t run = 0; slots_[at].id >= 0; ++run) {
    if (run == kLongestRun) return false;
    at = (at + 1) & mask;
  }
  slots_[at] = {probe.key, id, probe.size};
  const uint64_t bit = probe.spread >> filter_shift_;
  filter_[bit / 64] |= uint64_t{1} << (bit % 64);
  return true;
}

}  // namespace pocketbert
