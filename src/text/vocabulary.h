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
#include "text/text_index.h"

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
  int32_t Find(std::string_view text) const { return Find(TextKey(text), text); }
  // The same, for who has the key already.
  int32_t Find(const TextKey& key, std::string_view text) const {
    return index_.Find(key, [&](int32_t id) { return Text(static_cast<size_t>(id)) == text; });
  }
  bool MayHave(const TextIndex::Probe& probe) const { return index_.MayHave(probe); }
  int32_t Find(const TextIndex::Probe& probe, std::string_view text) const {
    return index_.Find(probe, [&](int32_t id) { return Text(static_cast<size_t>(id)) == text; });
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
  struct Entry {
    TextIndex::Probe probe;
    uint32_t id;
  };
  std::vector<Entry> EntriesByRegion() const;
  // Enters all texts into the index. Of two ids with one text, `wins(a, b)` says whether a stays.
  template <typename Wins>
  Status Index(const Wins& wins, std::string_view name);

  std::string texts_;
  // Where each id's text begins in texts_, and the end of the last; kGap is set for gaps.
  std::vector<uint32_t> begins_ = {0};
  TextIndex index_;
  size_t size_ = 0;
};

}  // namespace pocketbert
