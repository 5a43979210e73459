#include "text/char_set.h"

#include "text/unicode_tables.h"

namespace pocketbert {

// Against the regex crate's \w: six superscripts and fractions more, the two joiners less.
bool IsPatternWordChar(char32_t c) {
  if (c == 0xB2 || c == 0xB3 || c == 0xB9 || (c >= 0xBC && c <= 0xBE)) return true;
  return (CharClass(c) & kWordChar) && c != 0x200C && c != 0x200D;
}

void CharSet::AddChar(char32_t c, bool ignore_case) {
  AddRange(c, c);
  if (!ignore_case) return;
  const char32_t lower = c | 0x20;
  if (lower < 'a' || lower > 'z') return;
  AddRange(c ^ 0x20, c ^ 0x20);
  if (lower == 's') AddRange(0x17F, 0x17F);    // long s
  if (lower == 'k') AddRange(0x212A, 0x212A);  // Kelvin sign
}

void CharSet::Finish() {
  categories_ = &CharTables::Get().categories;
  for (char32_t c = 0; c < 128; ++c) {
    if (Compute(c)) ascii_[c / 64] |= uint64_t{1} << (c % 64);
  }
}

bool CharSet::Compute(char32_t c) const {
  for (const Item& item : items_) {
    bool has = false;
    switch (item.kind) {
      case Kind::kRange: has = c - item.low <= item.high - item.low; break;
      case Kind::kCategories: has = item.low >> (*categories_)[c] & 1; break;
      case Kind::kWhiteSpace: has = CharClass(c) & kWhiteSpace; break;
      case Kind::kWordChar: has = IsPatternWordChar(c); break;
    }
    if (has != item.negated) return !negated_;
  }
  return negated_;
}

}  // namespace pocketbert
