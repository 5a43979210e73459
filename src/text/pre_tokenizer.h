#pragma once
// PreTokenizer: the list of steps of tokenizer.json's "pre_tokenizer" (a Sequence is laid flat,
// null is the empty list): each parts the pieces that the one before it left.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/split.h"

namespace pocketbert {

class PreTokenizer {
 public:
  // Supported types: BertPreTokenizer, Whitespace, WhitespaceSplit, Punctuation, Split (at a
  // literal), CharDelimiterSplit, Digits, Sequence. Others, and options unknown here, are refused
  // by name.
  static Result<PreTokenizer> FromJson(Json json);

  // Parts the pieces of `text` in place; `other` is scratch.
  void Apply(std::string_view text, std::vector<Piece>& pieces, std::vector<Piece>& other) const;

  // The one step is BERT's.
  bool is_bert() const;

  // White space never stands in a piece, and a text parted there gives the same pieces by parts.
  bool works_on_parts() const { return works_on_parts_; }

  struct Step;

 private:
  Status Add(Json json);

  std::vector<Step> steps_;
  bool works_on_parts_ = false;
};

struct PreTokenizer::Step {
  enum class Kind : uint8_t { kBert, kWords, kClass, kLiteral };
  Kind kind;
  uint8_t class_bits = 0;  // kClass
  SplitBehavior behavior = SplitBehavior::kRemoved;  // kClass, kLiteral
  bool invert = false;                               // kLiteral
  std::string literal = {};                          // kLiteral
};

}  // namespace pocketbert
