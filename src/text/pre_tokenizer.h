#pragma once
// PreTokenizer: the list of steps of tokenizer.json's "pre_tokenizer" (a Sequence is laid flat,
// null is the empty list): each parts the pieces that the one before it left.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/aligned_text.h"
#include "text/component_json.h"
#include "text/split.h"

namespace pocketbert {

// A text in pieces. Steps that change the text leave it alone and write another.
struct PreTokenized {
  const AlignedText* text = nullptr;
  std::vector<Piece> pieces;  // of *text

  // Scratch.
  std::vector<Piece> other_pieces;
  std::vector<Piece> matches;
  AlignedText changed[2];

  // One piece of a text.
  void Start(const AlignedText& whole, Piece piece) {
    text = &whole;
    pieces.assign(1, piece);
  }
};

class PreTokenizer {
 public:
  // Supported types: BertPreTokenizer, Whitespace, WhitespaceSplit, Punctuation, Split,
  // CharDelimiterSplit, Digits, Metaspace, ByteLevel (as the last step), Sequence. Others, and
  // options unknown here, are refused by name.
  static Result<PreTokenizer> FromJson(Json json);

  // Parts the pieces further, in place. Error (kTooLong): a pattern that takes too many steps.
  Status Apply(PreTokenized& words) const;

  // The one step is BERT's.
  bool is_bert() const;

  // The pieces are to be read as if they were in the form of byte_level.h.
  bool is_byte_level() const;

  // Where a text can be parted and gives the same pieces by parts. Behind white space: where that
  // never stands in a piece. Before a blank that something else follows: GPT-2's pattern puts the
  // two together, whatever stands before.
  enum class Parts : uint8_t { kNone, kBehindWhiteSpace, kBeforeBlank };
  Parts parts() const { return parts_; }

  struct Step;

 private:
  Status Add(Json json);

  std::vector<Step> steps_;
  Parts parts_ = Parts::kNone;
};

struct PreTokenizer::Step {
  enum class Kind : uint8_t { kBert, kWords, kClass, kPattern, kMetaspace, kByteLevel };
  // Which pieces get a blank in front, if they have none.
  enum class Prefix : uint8_t { kAlways, kFirst, kNever };
  Kind kind = Kind::kBert;
  uint8_t class_bits = 0;  // kClass
  SplitBehavior behavior = SplitBehavior::kRemoved;  // kClass, kPattern
  bool invert = false;                               // kPattern
  TextPattern pattern = {};                          // kPattern
  Prefix prefix = Prefix::kNever;                    // kMetaspace, kByteLevel
  bool splits = true;                                // kMetaspace, kByteLevel
  std::string blank = {};                            // kMetaspace: what stands for one
};

}  // namespace pocketbert
