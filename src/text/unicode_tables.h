#pragma once
// What the tokenizer needs to know of a code point. The tables are pinned to the behaviour of
// Hugging Face's tokenizers 0.23.3 (see tests/reference/unicode/generate_tables.py), which is that
// of no single version of Unicode.

#include <cstddef>
#include <cstdint>

namespace pocketbert {

// Bits of CharClass(c).
enum CharClassBit : uint8_t {
  kWhiteSpace = 1,    // property White_Space: what Strip and WhitespaceSplit take
  kControl = 2,       // what BertNormalizer's clean_text drops, U+FFFD and U+0000 included
  kNonspacing = 4,    // marks that BertNormalizer's strip_accents drops
  kPunctuation = 8,   // what BertPreTokenizer and Punctuation split off
  kWordChar = 16,     // \w of the regex crate: pre-tokenizer Whitespace, single_word
  kNumeric = 32,      // what Digits splits off
  kMark = 64,         // marks that StripAccents drops
  kMapped = 128,      // has a decomposition, a lower case or a combining class above 0
};

extern uint8_t bmp_classes[0x10000];
uint8_t HighCharClass(char32_t c);

// The class bits of a code point (below 0x110000).
inline uint8_t CharClass(char32_t c) {
  return c < 0x10000 ? bmp_classes[c] : HighCharClass(c);
}

// The ideographs that BertNormalizer sets blanks around. U+2B820…U+2B91F is left out, as in the
// reference.
bool IsIdeograph(char32_t c);

// Canonical combining class; 0 for all that are no kMapped.
uint8_t CombiningClass(char32_t c);

// Simple lower case of one code point; U+0130 becomes "i" and U+0307, of which this gives "i".
char32_t LowerCase(char32_t c);
inline constexpr char32_t kDottedCapitalI = 0x130;
inline constexpr char32_t kDotAbove = 0x307;

// The longest full decomposition in code points (U+FDFA).
inline constexpr size_t kLongestDecomposition = 18;

// Writes the full decomposition of `c` to `out` (room for kLongestDecomposition) and returns its
// length; 1 and `c` itself if it has none.
size_t Decompose(char32_t c, bool compatibility, char32_t* out);

// The code point that `first` and `second` compose to, or 0.
char32_t Compose(char32_t first, char32_t second);

}  // namespace pocketbert
