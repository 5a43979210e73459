#pragma once
// WordCache: the tokens of words met before. In natural text most words come again soon, and a
// small table that stays in a processor's cache answers faster than the model. Each word has one
// place; a newer one takes it over.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/text_index.h"
#include "text/word_model.h"

namespace pocketbert {

class WordCache {
 public:
  // Longer words are not kept.
  static constexpr size_t kLongestWord = 64;

  // Where a word belongs.
  struct Place {
    uint64_t key;
    size_t slot;
  };
  Place PlaceOf(std::string_view word) const {
    const uint64_t key = TextKey(word).key();
    return {key, static_cast<size_t>((key ^ key >> 29) * 0xD6E8FEB86659FD93u >> kShift)};
  }

  // Sets `tokens` and returns true if the word is there; its size is at most kLongestWord.
  bool Find(const Place& place, std::string_view word, std::span<const WordToken>& tokens) const {
    const Slot& slot = slots_[place.slot];
    if (slot.key != place.key || slot.size != word.size()) return false;
    if (word.size() > 8 && word != std::string_view(texts_).substr(slot.text, slot.size)) {
      return false;
    }
    tokens = {tokens_.data() + slot.first, slot.count};
    return true;
  }

  void Put(const Place& place, std::string_view word, std::span<const WordToken> tokens);

 private:
  static constexpr int kShift = 64 - 13;
  struct Slot {
    uint64_t key = 0;
    uint32_t text = 0;
    uint32_t first = 0;
    uint32_t count = 0;
    uint32_t size = 0;  // 0: free
  };
  void Clear();

  std::vector<Slot> slots_ = std::vector<Slot>(size_t{1} << (64 - kShift));
  std::string texts_;  // of words longer than 8 bytes
  std::vector<WordToken> tokens_;
};

}  // namespace pocketbert
