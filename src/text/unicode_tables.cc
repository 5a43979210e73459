#include "text/unicode_tables.h"

#include <algorithm>
#include <iterator>

#include "text/utf8.h"

namespace pocketbert {
namespace {

using namespace unicode_data;

// Hangul syllables are computed: Unicode Standard, section 3.12.
constexpr char32_t kSyllableBase = 0xAC00;
constexpr char32_t kLeadBase = 0x1100;
constexpr char32_t kVowelBase = 0x1161;
constexpr char32_t kTailBase = 0x11A7;
constexpr char32_t kLeads = 19;
constexpr char32_t kVowels = 21;
constexpr char32_t kTails = 28;
constexpr char32_t kSyllables = kLeads * kVowels * kTails;

bool IsSyllable(char32_t c) { return c - kSyllableBase < kSyllables; }

size_t DecomposeSyllable(char32_t c, char32_t* out) {
  const char32_t index = c - kSyllableBase;
  out[0] = kLeadBase + index / (kVowels * kTails);
  out[1] = kVowelBase + index % (kVowels * kTails) / kTails;
  const char32_t tail = index % kTails;
  out[2] = kTailBase + tail;
  return tail == 0 ? 2 : 3;
}

// Index of the entry of `c`, or -1.
int FindEntry(const MappingRange* begin, const MappingRange* end, char32_t c) {
  const MappingRange* after = std::upper_bound(
      begin, end, c, [](char32_t value, const MappingRange& range) { return value < range.first; });
  if (after == begin) return -1;
  const MappingRange& range = after[-1];
  return c - range.first < range.count ? static_cast<int>(range.base + (c - range.first)) : -1;
}

size_t ReadPool(const uint8_t* text, size_t count, char32_t* out) {
  const char* at = reinterpret_cast<const char*>(text);
  for (size_t i = 0; i < count; ++i) out[i] = ReadUtf8(at);
  return count;
}

template <typename T>
char32_t FindComposition(const T* triples, size_t count, char32_t first, char32_t second) {
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const T* triple = triples + middle * 3;
    if (triple[0] == first && triple[1] == second) return triple[2];
    if (triple[0] < first || (triple[0] == first && triple[1] < second)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return 0;
}

}  // namespace

uint8_t HighCharClass(char32_t c) {
  const uint32_t key = static_cast<uint32_t>(c) << 8 | 0xFF;
  const uint32_t* after = std::upper_bound(std::begin(kHighClasses), std::end(kHighClasses), key);
  return static_cast<uint8_t>(after[-1]);
}

bool IsIdeograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x20000 && ((c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
                           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
                           (c >= 0x2F800 && c <= 0x2FA1F)));
}

uint8_t CombiningClass(char32_t c) {
  const uint32_t key = static_cast<uint32_t>(c) << 11 | 0x7FF;
  const uint32_t* after =
      std::upper_bound(std::begin(kCombiningClasses), std::end(kCombiningClasses), key);
  if (after == std::begin(kCombiningClasses)) return 0;
  const uint32_t entry = after[-1];
  return c - (entry >> 11) <= (entry >> 8 & 7) ? static_cast<uint8_t>(entry) : 0;
}

char32_t LowerCase(char32_t c) {
  if (c == kDottedCapitalI) return 'i';
  const LowerRun* after =
      std::upper_bound(std::begin(kLowerRuns), std::end(kLowerRuns), c,
                       [](char32_t value, const LowerRun& run) { return value < run.first; });
  if (after == std::begin(kLowerRuns)) return c;
  const LowerRun& run = after[-1];
  const uint32_t step = static_cast<uint32_t>(c) - run.first;
  if (step % run.stride == 0 && step / run.stride < run.count) {
    return static_cast<char32_t>(static_cast<int32_t>(c) + run.delta);
  }
  return c;
}

size_t Decompose(char32_t c, bool compatibility, char32_t* out) {
  if (IsSyllable(c)) return DecomposeSyllable(c, out);
  if (compatibility) {
    const int index =
        FindEntry(std::begin(kCompatibilityRanges), std::end(kCompatibilityRanges), c);
    if (index >= 0) {
      const uint16_t entry = kCompatibilityEntries[index];
      const uint8_t* text = kCompatibilityPool + (entry >> 2);
      const size_t count = entry & 3;
      return count > 0 ? ReadPool(text, count, out) : ReadPool(text + 1, text[0], out);
    }
  }
  const int index = FindEntry(std::begin(kCanonicalRanges), std::end(kCanonicalRanges), c);
  if (index >= 0) {
    const uint16_t entry = kCanonicalEntries[index];
    return ReadPool(kCanonicalPool + (entry >> 3), entry & 7, out);
  }
  out[0] = c;
  return 1;
}

char32_t Compose(char32_t first, char32_t second) {
  if (first - kLeadBase < kLeads && second - kVowelBase < kVowels) {
    return kSyllableBase + ((first - kLeadBase) * kVowels + (second - kVowelBase)) * kTails;
  }
  if (IsSyllable(first) && (first - kSyllableBase) % kTails == 0 &&
      second - kTailBase - 1 < kTails - 1) {
    return first + (second - kTailBase);
  }
  if (first < 0x10000 && second < 0x10000) {
    return FindComposition(kCompositions, std::size(kCompositions) / 3, first, second);
  }
  return FindComposition(kHighCompositions, std::size(kHighCompositions) / 3, first, second);
}

}  // namespace pocketbert
