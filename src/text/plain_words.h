#pragma once
// PlainWords: the way that most words of most texts take. Where the stages are those of BERT, an
// ASCII text is only lower-cased and parted at blanks and punctuation, its bytes are its UTF-16
// units, and most words are entries of the vocabulary: all that is done here in one pass, and with
// the same outcome as stage by stage.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/bert_normalizer.h"
#include "text/encoding.h"
#include "text/word_piece.h"

namespace pocketbert {

class PlainWords {
 public:
  explicit PlainWords(const BertNormalizer& normalizer);

  // Where a part of a text stands in it, what that says, and scratch.
  struct Place {
    uint32_t unit;
    TokenMarks marks;
    int32_t& word_id;  // of the next word; counts on
    std::vector<WordToken>& pieces;
  };

  // Appends the tokens of `text`, up to the first run of bytes between blanks with one that is not
  // for here: no ASCII, a control character, a word of great length. Returns the bytes before it;
  // or stops at the first blank behind `enough` bytes.
  size_t Append(const WordPiece& model, std::string_view text, size_t enough, const Place& place,
                std::vector<Token>& out) const;

 private:
  enum Kind : uint8_t { kStop, kBlank, kPunctuationMark, kLetter };
  struct Rule {
    Kind kind = kStop;
    uint8_t to = 0;
  };

  bool AppendPieces(const WordPiece& model, std::string_view source, const Place& place,
                    std::vector<Token>& out) const;

  std::array<Rule, 256> rules_;
};

}  // namespace pocketbert
