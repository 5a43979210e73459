#pragma once
// TextIndex: ids by text, made for asking one text and then all its ever shorter beginnings.
//
// A text of up to 8 bytes is its own key, so that a shorter beginning is a mask away; a longer one
// has a hash that goes over its bytes by eights, of which the last can be taken out again. A filter
// of one bit a hash keeps most questions in vain away from the table.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace pocketbert {

static_assert(std::endian::native == std::endian::little, "bytes are read as numbers");

// `count` (at most 8) bytes as a number, the first byte lowest.
inline uint64_t LoadBytes(const char* at, size_t count) {
  uint64_t value = 0;
  if (count == 8) {
    std::memcpy(&value, at, 8);
  } else if (count >= 4) {
    uint32_t low;
    uint32_t high;  // overlaps `low`
    std::memcpy(&low, at, 4);
    std::memcpy(&high, at + count - 4, 4);
    value = low | static_cast<uint64_t>(high) << (8 * (count - 4));
  } else if (count > 0) {
    const auto byte = [&](size_t i) { return static_cast<uint64_t>(static_cast<uint8_t>(at[i])); };
    value = byte(0) | byte(count / 2) << (8 * (count / 2)) | byte(count - 1) << (8 * (count - 1));
  }
  return value;
}

// The key of a text, and of its beginnings: Shorten() takes the last byte off.
class TextKey {
 public:
  explicit TextKey(std::string_view text) : text_(text.data()), size_(text.size()) {
    if (size_ <= 8) {
      tail_ = LoadBytes(text_, size_);
      return;
    }
    for (size_t at = 0; at + 8 <= size_; at += 8) {
      chunks_ = (chunks_ ^ LoadBytes(text_ + at, 8)) * kFactor;
    }
    tail_ = LoadBytes(text_ + size_ / 8 * 8, size_ % 8);
  }

  // Of a text behind which bytes up to `end` may be read: has less to decide.
  static TextKey Before(std::string_view text, const char* end) {
    if (static_cast<size_t>(end - text.data()) < text.size() + 8) return TextKey(text);
    TextKey key(0, text.size());
    key.text_ = text.data();
    size_t at = 0;
    if (text.size() > 8) {
      for (; at + 8 <= text.size(); at += 8) {
        key.chunks_ = (key.chunks_ ^ LoadBytes(key.text_ + at, 8)) * kFactor;
      }
    }
    const size_t rest = text.size() - at;
    key.tail_ = rest == 0 ? 0 : LoadBytes(key.text_ + at, 8) << (64 - 8 * rest) >> (64 - 8 * rest);
    return key;
  }

  // Of a text of at most eight bytes, from LoadBytes; only to be looked for.
  static TextKey OfShort(uint64_t bytes, size_t size) { return TextKey(bytes, size); }

  size_t size() const { return size_; }
  // Up to 8 bytes the bytes themselves; two longer texts may rarely have one key.
  uint64_t key() const {
    return size_ <= 8 ? tail_ : ((chunks_ ^ tail_) * kFactor) ^ (chunks_ >> 32) ^ size_;
  }

  void Shorten() {
    if (size_ > 8 && size_ % 8 == 0) {
      // (H ^ chunk) * factor undone; the factor's inverse modulo 2^64.
      const uint64_t chunk = LoadBytes(text_ + size_ - 8, 8);
      chunks_ = (chunks_ * 0xF1DE83E19937733Du) ^ chunk;
      tail_ = chunk;
    }
    --size_;
    if (size_ == 8) {
      tail_ = LoadBytes(text_, 8);
    } else {
      tail_ &= (uint64_t{1} << (8 * (size_ % 8))) - 1;
    }
  }

 private:
  TextKey(uint64_t bytes, size_t size) : text_(nullptr), size_(size), tail_(bytes) {}

  static constexpr uint64_t kFactor = 0x9E3779B97F4A7C15u;

  const char* text_;
  size_t size_;
  uint64_t chunks_ = 0;  // all whole chunks of eight, if there are more than 8 bytes
  uint64_t tail_ = 0;    // the bytes after them
};

class TextIndex {
 public:
  // Ids are below this.
  static constexpr uint32_t kIds = 1u << 24;

  TextIndex() { Reset(0); }

  // Empties the table and makes room for `count` texts.
  void Reset(size_t count);

  // The id of the text with `key`, or -1. `equals(id)` tells whether that id's text is the wanted
  // one; it is asked only for texts of more than 8 bytes.
  template <typename Equals>
  int32_t Find(const TextKey& key, const Equals& equals) const {
    const Probe probe = ProbeOf(key);
    return MayHave(probe) ? Find(probe, equals) : -1;
  }

  // What is looked for: a text's key and size, and where it would be.
  struct Probe {
    uint64_t key;
    uint64_t spread;
    uint32_t size;
  };
  static Probe ProbeOf(const TextKey& key) {
    return {key.key(), Spread(key.key()), static_cast<uint32_t>(key.size())};
  }
  // False if the text is not there for certain. To ask this of several texts first takes less time
  // than one after the other, as their waits for memory overlap.
  bool MayHave(const Probe& probe) const {
    const uint64_t bit = probe.spread >> filter_shift_;
    return filter_[bit / 64] >> (bit % 64) & 1;
  }
  // As above, for one that it may have.
  template <typename Equals>
  int32_t Find(const Probe& probe, const Equals& equals) const {
    const Slot& slot = slots_[PlaceWith(probe, equals)];
    return slot.id_and_size == kFree ? -1 : IdOf(slot);
  }

  // Probes of one of these 256 regions are neighbours in the table: who enters many texts does so
  // region by region, so that memory is not touched all over.
  static constexpr size_t kRegions = 256;
  static size_t RegionOf(const Probe& probe) { return static_cast<size_t>(probe.spread >> 56); }

  // Enters a text with an id below kIds, which is returned; or if it is there, returns the id it
  // has and changes nothing. kCrafted if the texts seem crafted to collide.
  static constexpr int32_t kCrafted = -1;
  template <typename Equals>
  int32_t Enter(const Probe& probe, int32_t id, const Equals& equals) {
    const uint32_t size_part = SizePart(probe.size);
    size_t at = PlaceOf(probe);
    for (size_t run = 0; slots_[at].id_and_size != kFree; ++run, at = PlaceBehind(at)) {
      if (run == kLongestRun) return kCrafted;
      if (IsOf(slots_[at], probe, size_part, equals)) return IdOf(slots_[at]);
    }
    slots_[at] = {static_cast<uint32_t>(probe.key), static_cast<uint32_t>(probe.key >> 32),
                  static_cast<uint32_t>(id) | size_part};
    const uint64_t bit = probe.spread >> filter_shift_;
    filter_[bit / 64] |= uint64_t{1} << (bit % 64);
    return id;
  }
  // The same for a text that is not there. False if the texts seem crafted to collide.
  bool Insert(const TextKey& key, int32_t id);
  // Gives a text that is there another id.
  template <typename Equals>
  void Replace(const Probe& probe, int32_t id, const Equals& equals) {
    const size_t at = PlaceWith(probe, equals);
    slots_[at].id_and_size = static_cast<uint32_t>(id) | SizePart(probe.size);
  }

 private:
  // Twelve bytes: what a large vocabulary costs when it is loaded is mostly fresh memory.
  struct Slot {
    uint32_t key_low;
    uint32_t key_high;
    uint32_t id_and_size;  // kFree, or the id and its text's size times kIds, 9 for all above 8
  };
  static constexpr uint32_t kFree = UINT32_MAX;
  // A well-spread table of this fill has no runs of this length; a crafted one might.
  static constexpr size_t kLongestRun = 512;

  // The top bits of the product choose the slot, some more of them the filter's bit.
  static uint64_t Spread(uint64_t key) { return (key ^ key >> 29) * 0xD6E8FEB86659FD93u; }
  static uint32_t SizePart(uint32_t size) { return (size < 9 ? size : 9) * kIds; }
  size_t PlaceOf(const Probe& probe) const {
    return static_cast<size_t>((probe.spread >> 32) * slot_count_ >> 32);
  }
  size_t PlaceBehind(size_t at) const { return at + 1 == slot_count_ ? 0 : at + 1; }

  template <typename Equals>
  static bool IsOf(const Slot& slot, const Probe& probe, uint32_t size_part,
                   const Equals& equals) {
    return slot.key_low == static_cast<uint32_t>(probe.key) &&
           slot.key_high == static_cast<uint32_t>(probe.key >> 32) &&
           slot.id_and_size / kIds * kIds == size_part && (probe.size <= 8 || equals(IdOf(slot)));
  }
  // Where the text is or, if it is not there, a free slot.
  template <typename Equals>
  size_t PlaceWith(const Probe& probe, const Equals& equals) const {
    const uint32_t size_part = SizePart(probe.size);
    size_t at = PlaceOf(probe);
    while (slots_[at].id_and_size != kFree && !IsOf(slots_[at], probe, size_part, equals)) {
      at = PlaceBehind(at);
    }
    return at;
  }
  static int32_t IdOf(const Slot& slot) { return static_cast<int32_t>(slot.id_and_size % kIds); }

  std::unique_ptr<Slot[]> slots_;  // open addressing, at most two thirds full
  uint64_t slot_count_ = 0;
  std::vector<uint64_t> filter_;  // 8 bits or more for each text
  int filter_shift_ = 0;
};

}  // namespace pocketbert
