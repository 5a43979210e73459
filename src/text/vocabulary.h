#pragma once
// Vocabulary: texts with ids, found by text or by id. Ids may have gaps.
//
// Its compact form (Serialize): 8 bytes "PBVOCAB1"; number of ids, number of text bytes (both u32,
// little-endian); for each id from 0 its text's length in bytes + 1, or 0 for a gap, as a
// variable-length number (7 bits a byte, low first, high bit: more follow); the texts, back to
// back.
//
// Large vocabularies have a form that loads faster (SerializeOrdered): 8 bytes "PBVOCAB3"; one more
// than the largest id, number of entries, number of bytes of the last part (u32 each); for each
// entry how far its id is from the id after the entry's before, modulo the first number, as a
// variable-length number; in the same order the texts, each behind its length in bytes (for every
// whole 127 a byte 127, then the rest). The texts are used where they stand. Their order is that of
// the index's regions, so that memory is not touched all over when they are entered.

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
  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;

  // Of equal texts the last entry counts; its earlier id becomes a gap. Errors (kFormat): an id too
  // large, or two texts with one id. `name` stands for the file in messages.
  static Result<Vocabulary> FromEntries(std::span<const VocabularyEntry> entries,
                                        std::string_view name);
  // Lines of a vocab.txt: parted by line feeds (a carriage return before one is dropped), numbered
  // from 0; empty lines count.
  static Result<Vocabulary> FromLines(std::string_view text, std::string_view name);

  // Either form. The bytes must stay where they are as long as the vocabulary is used.
  static Result<Vocabulary> FromBytes(std::span<const uint8_t> bytes);
  std::vector<uint8_t> Serialize() const;
  std::vector<uint8_t> SerializeOrdered() const;

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

  bool Has(size_t id) const { return id < id_limit() && places_[id] != kGap; }
  // Of an id that Has.
  std::string_view Text(size_t id) const {
    const uint8_t* at = texts_.data() + places_[id];
    return ReadText(at);
  }

  // All texts as they stand in memory, to be taken off by ReadText; of two equal ones that
  // FromEntries got, both.
  std::span<const uint8_t> packed_texts() const { return texts_; }
  // Takes a text off the front; the bytes must be packed_texts() or the end of them.
  static std::string_view ReadText(const uint8_t*& at) {
    size_t size = *at++;
    if (size == kLongText) size += ReadLongSize(at);
    const std::string_view text(reinterpret_cast<const char*>(at), size);
    at += size;
    return text;
  }

  // Entries.
  size_t size() const { return size_; }
  // Largest id + 1.
  size_t id_limit() const { return places_.size(); }

 private:
  static constexpr uint32_t kGap = UINT32_MAX;
  static constexpr uint8_t kLongText = 127;
  static size_t ReadLongSize(const uint8_t*& at);
  // Lists of SerializeOrdered, read as far as `next`.
  struct OrderedReader;

  static Result<Vocabulary> FromOrderedBytes(std::span<const uint8_t> bytes);
  // Enters the next entries, at most `count`.
  Status EnterOrdered(OrderedReader& reader, size_t count);
  // Appends a text behind its length.
  static void AppendPacked(std::string_view text, std::vector<uint8_t>& bytes);
  // Gives the next id its text.
  void AppendOwned(std::string_view text);
  // TextIndex::Enter of an id's text.
  int32_t Enter(const TextIndex::Probe& probe, size_t id) {
    return index_.Enter(probe, static_cast<int32_t>(id), [&](int32_t other) {
      return Text(static_cast<size_t>(other)) == Text(id);
    });
  }
  // Enters all texts into the index. Of two ids with one text, `wins(a, b)` says whether a stays.
  template <typename Wins>
  Status Index(const Wins& wins, std::string_view name);

  // Each text behind its length, as SerializeOrdered writes them: in owned_ or, of FromBytes,
  // perhaps elsewhere.
  std::span<const uint8_t> texts_;
  std::vector<uint8_t> owned_;
  std::vector<uint32_t> places_;  // by id: where its length stands in texts_, or kGap
  TextIndex index_;
  size_t size_ = 0;
};

}  // namespace pocketbert
