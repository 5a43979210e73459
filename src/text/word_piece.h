#pragma once
// WordPiece: a word becomes the longest entry of the vocabulary that begins it, then the longest
// (with the continuation prefix, "##") that begins the rest, and so on; a word that cannot be used
// up is one unknown token.
//
//   "unaffable" → un ##aff ##able        "unaffablé" → [UNK]
//
// Time for a word is at most its length times that of the longest entry.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/text_index.h"
#include "text/vocabulary.h"
#include "text/word_model.h"

namespace pocketbert {

class WordPiece final : public WordModel {
 public:
  // `json` is tokenizer.json's "model", of this type; its vocabulary is given apart. Errors: what
  // is not of the right kind, unknown options (kUnsupported).
  static Result<WordPiece> FromJson(Json json, Vocabulary vocabulary);

  bool Tokenize(std::string_view word, WordScratch&, std::vector<WordToken>& out) const override {
    return Tokenize(word, out);
  }
  bool Tokenize(std::string_view word, std::vector<WordToken>& out) const;
  const WordPiece* word_piece() const override { return this; }

  // The token of a word of at most eight bytes that is an entry as it is; else -1.
  int32_t FindShortWord(const TextKey& word) const {
    return word.size() <= max_input_chars_ ? vocabulary_.Find(word, {}) : -1;
  }

 private:
  // What may stand at one place of a word: its beginning, or behind a piece of it.
  struct Position {
    // For each first byte the length of the longest entry, in bytes, without the prefix.
    std::array<uint32_t, 256> longest;
    // Entries with the prefix, by the text behind it; not used for the empty prefix.
    TextIndex behind_prefix;
    size_t prefix_size;
  };
  struct Match {
    int32_t id;
    size_t bytes;
  };
  static Result<Position> MakePosition(const Vocabulary& vocabulary, std::string_view prefix);
  Match LongestMatch(const Position& position, std::string_view text) const;
  bool IsTooLong(std::string_view word) const;

  size_t max_input_chars_ = 100;
  Position first_ = {};
  Position further_ = {};
};

}  // namespace pocketbert
