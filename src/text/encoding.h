#pragma once
// Encodings: what texts become before they enter the encoder, laid end to end.
//
//   "hi"  →  id           101    7632   102       [CLS] hi [SEP]
//            range        [0,0)  [0,2)  [0,0)
//            word_id      -1     0      -1
//            type         0      0      0
//            attention    1      1      1
//            special      1      0      1
//            sequence     -1     0      -1
//
// One list of tokens for all texts: lists of their own would take longer to allocate than short
// texts take to encode.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pocketbert {

// [begin, end) in UTF-16 code units of the source text, so that text.slice(begin, end) in
// JavaScript is the span. Of the second text of a pair: units of that text.
struct Range {
  uint32_t begin = 0;
  uint32_t end = 0;

  bool operator==(const Range&) const = default;
};

// What the place of a token says of it, in one number that a run of tokens shares.
class TokenMarks {
 public:
  static constexpr int32_t kLargestType = (1 << 28) - 1;

  TokenMarks() = default;
  // Of a text's token.
  TokenMarks(int32_t type, int sequence) : TokenMarks(type, true, false, sequence) {}
  static TokenMarks Special(int32_t type) { return {type, true, true, -1}; }
  static TokenMarks Padding(int32_t type) { return {type, false, true, -1}; }

  // 0, or 1 for a pair's second text; templates may say otherwise.
  int32_t type() const { return static_cast<int32_t>(bits_ >> 4); }
  // False for padding.
  bool attention() const { return bits_ & 1; }
  // Template tokens and padding.
  bool special() const { return bits_ & 2; }
  // 0 first text, 1 second text, -1 for special ones.
  int sequence() const { return static_cast<int>(bits_ >> 2 & 3) - 1; }
  uint32_t bits() const { return bits_; }

 private:
  TokenMarks(int32_t type, bool attention, bool special, int sequence)
      : bits_(static_cast<uint32_t>(type) << 4 | static_cast<uint32_t>(sequence + 1) << 2 |
              static_cast<uint32_t>(special) << 1 | static_cast<uint32_t>(attention)) {}

  uint32_t bits_ = 0;
};

struct Token {
  int32_t id;
  Range range;      // [0,0) for tokens that no text stands behind
  int32_t word_id;  // piece of the pre-tokenized text; -1 for special ones
  TokenMarks marks = {};
};

// Encoding e has the tokens [starts[e], starts[e + 1]). Each item gives one encoding, and where it
// was cut its further windows after it, in order.
//
//   items "hi" and "a b c" (cut to 4 tokens):
//   items   [0 1 1]     starts [0 3 7 10]     truncated [0 1 1]
//   ids     [101 7632 102 | 101 1037 1038 102 | 101 1039 102]
struct Encodings {
  std::vector<uint32_t> items;  // index of the item
  std::vector<uint32_t> starts = {0};
  std::vector<uint8_t> truncated;  // 1 where something of the item was cut away
  std::vector<Token> tokens;

  size_t size() const { return items.size(); }
  // The tokens since the last encoding are one of `item`.
  void Finish(uint32_t item, bool cut) {
    items.push_back(item);
    starts.push_back(static_cast<uint32_t>(tokens.size()));
    truncated.push_back(cut);
  }
};

}  // namespace pocketbert
