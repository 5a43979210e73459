#pragma once
// Vocabulary: texts with ids, found by text or by id. Ids may have gaps.
//
// Its compact form (Serialize): 8 bytes "PBVOCAB1"; number of ids, number of text bytes (both u32,
// little-endian); for each id from 0 its text's length in bytes + 1, or 0 for a gap, as a
// variable-length number (7 bits a byte, low first, high bit: more follow); the texts, back to
// back.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pocketbert {

struct VocabularyEntry {
  std::string_view text;
  uint32_t id;
};

class Vocabulary {
 public:
  // Largest id + 1 that is accepted.
  static constexpr size_t kMostIds = size_t{1} << 24;

  Vocabulary() = default;

  // Of equal texts the last entry counts; its earlier id becomes a gap. Errors (kFormat): an id too
  // large, or two texts with one id. `name` stands for the file in messages.
  static Result<Vocabulary> FromEntries(std::span<const VocabularyEntry> entries,
                                        std::string_view name);
  // Lines of a vocab.txt: parted by line feeds (a carriage return before one is dropped), numbered
  // from 0; empty lines count.
  static Result<Vocabulary> FromLines(std::string_view text, std::string_view name);

  static Result<Vocabulary> FromBytes(std::span<const uint8_t> bytes);
  std::vector<uint8_t> Serialize() const;

  // -1 if there is none.
  int32_t Find(std::string_view text) const {
    return FindHashed(Hash(kHashSeed, text), {}, text);
  }

  // Lookups of many prefixes: Hash may go on from the hash of what stands before. `prefix` and
  // `text` are two parts of the wanted text, whose hash is `hash`.
  static constexpr uint32_t kHashSeed = 0x811C9DC5u;
  static uint32_t HashByte(uint32_t hash, char byte) {
    return (hash ^ static_cast<uint8_t>(byte)) * 0x01000193u;  // FNV-1a
  }
  // The hash from which HashByte made `hash` with `byte` (the factor is the inverse modulo 2^32).
  static uint32_t UnhashByte(uint32_t hash, char byte) {
    return (hash * 0x359C449Bu) ^ static_cast<uint8_t>(byte);
  }
  static uint32_t Hash(uint32_t hash, std::string_view text) {
    for (const char c : text) hash = HashByte(hash, c);
    return hash;
  }
  int32_t FindHashed(uint32_t hash, std::string_view prefix, std::string_view text) const {
    for (uint32_t at = Spread(hash) & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.id < 0) return -1;
      if (slot.hash == hash && Equals(slot.id, prefix, text)) return slot.id;
    }
  }

  bool Has(size_t id) const { return id < id_limit() && !(begins_[id] & kGap); }
  // Of an id that Has.
  std::string_view Text(size_t id) const {
    const uint32_t begin = begins_[id];
    return std::string_view(texts_).substr(begin, (begins_[id + 1] & ~kGap) - begin);
  }

  // Entries.
  size_t size() const { return size_; }
  // Largest id + 1.
  size_t id_limit() const { return begins_.size() - 1; }

 private:
  static constexpr uint32_t kGap = 0x80000000u;
  struct Slot {
    uint32_t hash = 0;
    int32_t id = -1;
  };
  static uint32_t Spread(uint32_t hash) { return hash ^ hash >> 15; }
  bool Equals(int32_t id, std::string_view prefix, std::string_view text) const {
    const std::string_view entry = Text(static_cast<size_t>(id));
    return entry.size() == prefix.size() + text.size() && entry.starts_with(prefix) &&
           entry.ends_with(text);
  }
  // Enters all texts into the table. Of two ids with one text, `wins(a, b)` says whether a stays.
  template <typename Wins>
  Status Index(const Wins& wins, std::string_view name);

  std::string texts_;
  // Where each id's text begins in texts_, and the end of the last; kGap is set for gaps.
  std::vector<uint32_t> begins_ = {0};
  std::vector<Slot> slots_ = {{}, {}};  // open addressing, at most half full, a power of two
  uint32_t mask_ = 1;
  size_t size_ = 0;
};

}  // namespace pocketbert
