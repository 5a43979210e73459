#pragma once
// Options of Tokenizer::Encode; names and meanings as in Hugging Face's tokenizers.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace pocketbert {

enum class Side : uint8_t { kLeft, kRight };

enum class TruncationStrategy : uint8_t {
  kLongestFirst,  // of a pair: what is too much comes off the longer text
  kOnlyFirst,     // only the first text is cut
  kOnlySecond,    // only the second text of a pair is cut
};

struct Truncation {
  // Tokens of the result, template tokens included.
  size_t max_length = 512;
  TruncationStrategy strategy = TruncationStrategy::kLongestFirst;
  // Tokens by which an overflow window overlaps the one before it.
  size_t stride = 0;
  // The side on which tokens are cut off.
  Side direction = Side::kRight;
};

struct Padding {
  // Tokens to pad to; absent: to the longest of the batch. Longer encodings stay as they are.
  std::optional<size_t> length = {};
  Side direction = Side::kRight;
  // The length is rounded up to a multiple of this; 0: no rounding.
  size_t pad_to_multiple_of = 0;
  // Absent: the tokenizer's own padding token, or 0 where it has none.
  std::optional<int32_t> pad_id = {};
  int32_t pad_type_id = 0;
};

struct EncodeOptions {
  // Set the template's tokens ([CLS] … [SEP]) around the text.
  bool add_special_tokens = true;
  // true: special tokens typed in the text are text like any other; false: they are matched.
  bool encode_special_tokens = false;
  std::optional<Truncation> truncation = {};
  std::optional<Padding> padding = {};
  // Give the further windows of a cut text. Without them a long text of which little is kept need
  // not be read to its end.
  bool return_overflow = true;
};

}  // namespace pocketbert
