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

namespace pocketbert {

// A token and the bytes [begin, end) of its word that it stands for.
struct WordToken {
  int32_t id;
  uint32_t begin;
  uint32_t end;
};

class WordPiece {
 public:
  // `json` is tokenizer.json's "model"; its vocabulary is given apart. Errors: another type of
  // model, also where an old file does not name it (kUnsupported), or what is not of the right
  // kind.
  static Result<WordPiece> FromJson(Json json, Vocabulary vocabulary);
  // That `json` describes a WordPiece model with no unknown options; the same errors.
  static Status CheckType(Json json);

  // Appends the tokens of a word (not empty, valid UTF-8). False if it is unknown and there is no
  // unknown token.
  bool Tokenize(std::string_view word, std::vector<WordToken>& out) const;

  // The token of a word of at most eight bytes that is an entry as it is; else -1.
  int32_t FindShortWord(const TextKey& word) const {
    return word.size() <= max_input_chars_ ? vocabulary_.Find(word, {}) : -1;
  }

  const Vocabulary& vocabulary() const { return vocabulary_; }
  // -1 if the vocabulary lacks it.
  int32_t unk_id() const { return unk_id_; }
  const std::string& unk_token() const { return unk_token_; }

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

  Vocabulary vocabulary_;
  std::string unk_token_;
  int32_t unk_id_ = -1;
  size_t max_input_chars_ = 100;
  Position first_ = {};
  Position further_ = {};
};

}  // namespace pocketbert
