#pragma once
// CharSet: what a character class of a pattern takes, e.g. [^\s\p{L}0-9].

#include <cstdint>
#include <vector>

#include "text/char_category.h"

namespace pocketbert {

class CharSet {
 public:
  void AddRange(char32_t low, char32_t high) { Add({Kind::kRange, false, low, high}); }
  // One character and, where case is ignored, what folds to the same.
  void AddChar(char32_t c, bool ignore_case);
  void AddCategories(uint32_t bits, bool negated) {
    Add({Kind::kCategories, negated, bits, 0});
  }
  void AddWhiteSpace(bool negated) { Add({Kind::kWhiteSpace, negated, 0, 0}); }
  // \w as Oniguruma has it: letters, marks, numbers (not all), connectors.
  void AddWordChars(bool negated) { Add({Kind::kWordChar, negated, 0, 0}); }
  void AddAll(const CharSet& other) {
    for (const Item& item : other.items_) Add(item);
  }
  void Negate() { negated_ = !negated_; }
  bool negated() const { return negated_; }
  bool empty() const { return items_.empty(); }

  // To be called when all is added, before Has.
  void Finish();

  bool Has(char32_t c) const {
    return c < 128 ? ascii_[c / 64] >> (c % 64) & 1 : Compute(c);
  }
  // Bit c: the ASCII character c is in the set.
  const uint64_t* ascii() const { return ascii_; }

 private:
  enum class Kind : uint8_t { kRange, kCategories, kWhiteSpace, kWordChar };
  struct Item {
    Kind kind;
    bool negated;
    uint32_t low;  // kCategories: the bits
    uint32_t high;
  };
  void Add(const Item& item) { items_.push_back(item); }
  bool Compute(char32_t c) const;

  std::vector<Item> items_;
  const CharTable* categories_ = nullptr;
  uint64_t ascii_[2] = {0, 0};
  bool negated_ = false;
};

// \w of the patterns.
bool IsPatternWordChar(char32_t c);

}  // namespace pocketbert
