#pragma once
// Encoding: what a text becomes before it enters the encoder.
//
//   "hi"  →  ids          [101, 7632, 102]      [CLS] hi [SEP]
//            offsets      [0,0) [0,2) [0,0)
//            type_ids     0 0 0
//            attention    1 1 1
//            special mask 1 0 1
//            word_ids     -1 0 -1
//            sequence_ids -1 0 -1

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

struct Encoding {
  // All of one length; one entry a token.
  std::vector<int32_t> ids;
  std::vector<Range> offsets;           // [0,0) for tokens that no text stands behind
  std::vector<int32_t> type_ids;        // 0, or 1 for a pair's second text
  std::vector<uint8_t> attention_mask;  // 0 for padding, else 1
  std::vector<uint8_t> special_tokens_mask;  // 1 for template tokens and padding, else 0
  std::vector<int32_t> word_ids;        // piece of the pre-tokenized text; -1 where the mask is 1
  std::vector<int8_t> sequence_ids;     // 0 first text, 1 second text, -1 where the mask is 1

  // The text did not fit into the asked length; something was cut away.
  bool truncated = false;
  // The further windows of a cut text, in order; each of the same form, without windows of its own.
  std::vector<Encoding> overflow;

  size_t size() const { return ids.size(); }
};

}  // namespace pocketbert
