#pragma once
// General categories of code points and their part in a grapheme cluster, as the patterns and the
// Precompiled normalizer of Hugging Face's tokenizers 0.23.3 see them (Unicode 16 and 17: newer
// than the tables of unicode_tables.h). Only tokenizers that need them unpack them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pocketbert {

enum class Category : uint8_t {
  kOther,  // C: controls, formats, unassigned
  kUpper,
  kLower,
  kTitle,
  kModifier,     // Lm
  kOtherLetter,  // Lo
  kMark,
  kDigit,        // Nd
  kOtherNumber,  // Nl, No
  kPunctuation,
  kSymbol,
  kSeparator,
};

// Sets of categories, one bit each.
inline constexpr uint32_t CategoryBit(Category category) {
  return 1u << static_cast<uint32_t>(category);
}
inline constexpr uint32_t kLetterBits = 0x3E;
inline constexpr uint32_t kNumberBits = CategoryBit(Category::kDigit) |
                                        CategoryBit(Category::kOtherNumber);

// What a code point does at the border of grapheme clusters (UAX #29); Hangul is computed apart.
enum class ClusterPart : uint8_t {
  kOther,
  kJoins,       // Extend, ZWJ, SpacingMark
  kControl,     // stands alone
  kPrepend,     // takes the next along
  kPictograph,  // joins one before, behind marks and a ZWJ
  kConsonant,   // joins one before, behind a linker among marks
  kLinker,      // kJoins, too
};

// One value for each code point: a table up to U+FFFF, runs from there on.
class CharTable {
 public:
  uint8_t operator[](char32_t c) const { return c < kLow ? low_[c] : High(c); }

 private:
  friend struct CharTables;
  static constexpr char32_t kLow = 0x10000;
  struct Run {
    char32_t first;
    uint8_t value;
  };
  void Fill(char32_t begin, char32_t end, uint8_t value);
  uint8_t High(char32_t c) const;

  uint8_t low_[kLow];
  std::vector<Run> high_;
};

// Both tables, unpacked when first asked for.
struct CharTables {
  CharTable categories;
  CharTable cluster_parts;

  static const CharTables& Get();

 private:
  CharTables();
};

inline Category CategoryOf(const CharTable& categories, char32_t c) {
  return static_cast<Category>(categories[c]);
}

}  // namespace pocketbert
