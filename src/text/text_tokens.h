#pragma once
// TextTokens: one text through added tokens, normalizer, pre-tokenizer and model.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/aligned_text.h"
#include "text/blank_trimming.h"
#include "text/encoding.h"
#include "text/tokenizer_state.h"
#include "text/word_cache.h"

namespace pocketbert {

// Scratch for any number of texts, one after the other.
class TextTokens {
 public:
  explicit TextTokens(const TokenizerState& state)
      : state_(state),
        caches_(!state.model->word_piece()),
        trims_(state.post_processor.trimming().trims) {}

  // What is needed of a text's tokens.
  struct Needed {
    size_t first = SIZE_MAX;  // where so many are there, the rest of the text may be left out
    size_t last = SIZE_MAX;   // what comes before the last so many may be dropped
  };

  // Appends the tokens of `text`, with these marks, to `out`, which is empty where not all are
  // needed. `skip_special`: special tokens in the text are text like any other.
  // Errors: kTooLong (1 GB or more, a word of more than 8 MB for BPE or Unigram, too many steps for
  // a pattern), kFormat (unknown token needed and absent).
  Status Append(std::string_view text, bool skip_special, Needed needed, TokenMarks marks,
                std::vector<Token>& out);

  // Tokens of that text that were dropped.
  size_t dropped() const { return dropped_; }

 private:
  // The pieces of the source between added tokens.
  Status AppendBetween(std::string_view piece, std::vector<Token>& out);
  // Bytes of `piece` to work on at once: some more than `least`, if it may be parted.
  size_t PartEnd(std::string_view piece, size_t least) const;
  size_t EndBehindWhiteSpace(std::string_view piece, size_t least) const;
  // What is in text_, a part of the source.
  Status AppendPart(std::vector<Token>& out);
  Status AppendNormalized(Piece piece, std::vector<Token>& out);
  Status AppendWord(const AlignedText& text, Piece word, std::vector<Token>& out);
  // The tokens of a word, from the cache or the model; they stay valid up to the next call.
  Status TokenizeWord(std::string_view word, std::span<const WordToken>& tokens);
  Status AskModel(std::string_view word);
  // A token's range without blanks at its ends.
  Range Trim(Range range, EndBlanks blanks, size_t token_count) const;
  EndBlanks BlanksOfWordToken(std::string_view word, const WordToken& token) const;

  const TokenizerState& state_;
  const bool caches_;  // WordPiece is faster than any cache
  const bool trims_;
  bool skip_special_ = false;
  TokenMarks marks_;
  Needed needed_;
  uint32_t unit_ = 0;     // UTF-16 units of the source behind which we are
  int32_t word_id_ = 0;   // of the next piece
  std::string valid_;     // the source, if it had to be made valid
  AlignedText text_;
  AlignedText other_text_;
  PreTokenized words_;
  std::vector<TokenMatch> source_matches_;
  std::vector<TokenMatch> normalized_matches_;
  std::vector<WordToken> word_tokens_;
  WordScratch word_scratch_;
  std::optional<WordCache> cache_;  // from some words on
  size_t words_before_cache_ = 0;
  size_t before_ = 0;  // tokens in `out` before this text's
  size_t dropped_ = 0;
};

}  // namespace pocketbert
