#include "text/unicode_tables.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "text/unicode_data.h"

namespace pocketbert {

// Unpacked once, when the program starts, and constant from then on.
uint8_t bmp_classes[0x10000];

namespace {

// Code points from `first` on that have one value, up to the next run's first.
struct Run {
  uint32_t first;
  uint16_t count;
  uint8_t value;
};

// first, first + stride, … (count of them) have the lower case code point + delta.
struct LowerRun {
  uint32_t first;
  uint16_t count;
  uint16_t stride;
  int32_t delta;
};

// One step of a canonical decomposition: c → first second, or c → first (second is 0). What `first`
// decomposes to is another step.
struct CanonicalStep {
  uint32_t code;
  uint32_t first;
  uint32_t second;
};

// c → the characters from `begin` on, up to the next entry's.
struct CompatibilityEntry {
  uint32_t code;
  uint32_t begin;
};

// Places in canonical_steps + 1, by the hash of the pair; 0 is free. At most half full.
constexpr size_t kCompositionSlots = 2048;
static_assert(2 * kCompositions <= kCompositionSlots);

Run high_runs[kHighRuns];
Run combining_runs[kCombiningRuns];
LowerRun lower_runs[kLowerRuns];
CanonicalStep canonical_steps[kCanonicalSteps];
uint16_t composition_slots[kCompositionSlots];
CompatibilityEntry compatibility_entries[kCompatibilityEntries + 1];
uint32_t compatibility_chars[kCompatibilityChars];

size_t CompositionSlot(char32_t first, char32_t second) {
  return ((first * 0x9E3779B1u) ^ (second * 0x85EBCA6Bu)) >> 21;
}

// Reads what class Stream of generate_tables.py writes.
class Unpacker {
 public:
  Unpacker() {
    Classes();
    Combining();
    Lower();
    Canonical();
    Compatibility();
    PB_CHECK(at_ == kUnicodeData + kUnicodeDataBytes);
  }

 private:
  struct Choice {
    uint32_t kind;
    uint32_t number;
  };

  uint32_t Number() {
    uint32_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = *at_++;
      value |= static_cast<uint32_t>(byte & 0x7F) << shift;
      if (!(byte & 0x80)) return value;
    }
  }

  int32_t Signed() {
    const uint32_t value = Number();
    return static_cast<int32_t>(value >> 1) ^ -static_cast<int32_t>(value & 1);
  }

  Choice Choose(uint32_t kinds) {
    const uint32_t byte = *at_++;
    const uint32_t most = 256 / kinds - 1;
    Choice choice = {byte % kinds, byte / kinds};
    if (choice.number == most) choice.number += Number();
    return choice;
  }

  void Classes() {
    const uint32_t kinds = Number();
    const uint8_t* const palette = at_;
    at_ += kinds;
    Run* high = high_runs;
    for (uint32_t begin = 0; begin < 0x110000;) {
      const Choice run = Choose(kinds);
      const uint32_t end = begin + run.number + 1;
      for (uint32_t c = begin; c < end && c < 0x10000; ++c) bmp_classes[c] = palette[run.kind];
      if (end > 0x10000) *high++ = {std::max(begin, 0x10000u), 0, palette[run.kind]};
      begin = end;
    }
    PB_CHECK(high == std::end(high_runs));
  }

  void Combining() {
    uint32_t after = 0;
    PB_CHECK(Number() == kCombiningRuns);
    for (Run& run : combining_runs) {
      const Choice gap = Choose(2);
      run.first = after + gap.number;
      run.value = *at_++;
      run.count = static_cast<uint16_t>(gap.kind == 0 ? 1 : Number() + 2);
      after = run.first + run.count;
    }
  }

  void Lower() {
    uint32_t after = 0;
    PB_CHECK(Number() == kLowerRuns);
    for (LowerRun& run : lower_runs) {
      const Choice gap = Choose(2);
      run.first = after + gap.number;
      run.stride = static_cast<uint16_t>(gap.kind + 1);
      run.count = static_cast<uint16_t>(Number() + 1);
      run.delta = Signed();
      after = run.first + static_cast<uint32_t>(run.count - 1) * run.stride + 1;
    }
  }

  void Canonical() {
    const uint32_t count = Number();
    uint32_t seconds[256];
    uint32_t second = 0;
    for (uint32_t i = 0; i < count; ++i) seconds[i] = second += Number();
    PB_CHECK(Number() == kCanonicalSteps);
    uint32_t code = 0;
    uint32_t firsts[2] = {0, 0};  // the last of a pair, and the last single one
    for (size_t i = 0; i < kCanonicalSteps; ++i) {
      const Choice gap = Choose(3);
      const bool single = gap.kind == 2;
      code += gap.number;
      uint32_t& first = firsts[single];
      first += static_cast<uint32_t>(Signed());
      canonical_steps[i] = {code, first, single ? 0 : seconds[*at_++]};
      if (gap.kind == 0) {
        size_t slot = CompositionSlot(first, canonical_steps[i].second);
        while (composition_slots[slot] != 0) slot = (slot + 1) % kCompositionSlots;
        composition_slots[slot] = static_cast<uint16_t>(i + 1);
      }
      ++code;
    }
  }

  void Compatibility() {
    PB_CHECK(Number() == kCompatibilityEntries);
    uint32_t code = 0;
    uint32_t last = 0;
    uint32_t chars = 0;
    for (size_t i = 0; i < kCompatibilityEntries; ++i) {
      const Choice gap = Choose(6);
      code += gap.number;
      compatibility_entries[i] = {code++, chars};
      const uint32_t count = gap.kind == 5 ? Number() + 5 : std::max(gap.kind, 1u);
      ++last;
      for (uint32_t k = 0; k < count; ++k) {
        if (gap.kind > 0) last += static_cast<uint32_t>(Signed());
        compatibility_chars[chars++] = last;
      }
      last = compatibility_chars[compatibility_entries[i].begin];
    }
    compatibility_entries[kCompatibilityEntries] = {UINT32_MAX, chars};
    PB_CHECK(chars == kCompatibilityChars);
  }

  const uint8_t* at_ = kUnicodeData;
};

const Unpacker unpacker;

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

// The last element of a sorted list whose member is not above `value`, or null.
template <typename T, uint32_t T::*member>
const T* LastUpTo(const T* begin, size_t count, uint32_t value) {
  size_t low = 0;
  while (count > 0) {
    const size_t half = count / 2;
    if (begin[low + half].*member <= value) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return low == 0 ? nullptr : begin + low - 1;
}

size_t DecomposeCanonically(char32_t c, char32_t* out) {
  // The second parts come off from the end; none of them decomposes.
  char32_t seconds[kLongestDecomposition];
  size_t count = 0;
  while (c >= 0xC0) {
    const CanonicalStep* step =
        LastUpTo<CanonicalStep, &CanonicalStep::code>(canonical_steps, kCanonicalSteps, c);
    if (!step || step->code != c) break;
    if (step->second != 0) seconds[count++] = step->second;
    c = step->first;
  }
  size_t written = 0;
  out[written++] = c;
  while (count > 0) out[written++] = seconds[--count];
  return written;
}

}  // namespace

uint8_t HighCharClass(char32_t c) {
  return LastUpTo<Run, &Run::first>(high_runs, kHighRuns, c)->value;
}

bool IsIdeograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x20000 && ((c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
                           (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
                           (c >= 0x2F800 && c <= 0x2FA1F)));
}

uint8_t CombiningClass(char32_t c) {
  const Run* run = LastUpTo<Run, &Run::first>(combining_runs, kCombiningRuns, c);
  return run && c - run->first < run->count ? run->value : 0;
}

char32_t LowerCase(char32_t c) {
  if (c == kDottedCapitalI) return 'i';
  const LowerRun* run = LastUpTo<LowerRun, &LowerRun::first>(lower_runs, kLowerRuns, c);
  if (!run) return c;
  const uint32_t step = static_cast<uint32_t>(c) - run->first;
  if (step % run->stride != 0 || step / run->stride >= run->count) return c;
  return static_cast<char32_t>(static_cast<int32_t>(c) + run->delta);
}

size_t Decompose(char32_t c, bool compatibility, char32_t* out) {
  if (IsSyllable(c)) return DecomposeSyllable(c, out);
  if (compatibility) {
    const CompatibilityEntry* entry = LastUpTo<CompatibilityEntry, &CompatibilityEntry::code>(
        compatibility_entries, kCompatibilityEntries, c);
    if (entry && entry->code == c) {
      const size_t count = entry[1].begin - entry->begin;
      std::copy_n(compatibility_chars + entry->begin, count, out);
      return count;
    }
  }
  return DecomposeCanonically(c, out);
}

char32_t Compose(char32_t first, char32_t second) {
  if (first - kLeadBase < kLeads && second - kVowelBase < kVowels) {
    return kSyllableBase + ((first - kLeadBase) * kVowels + (second - kVowelBase)) * kTails;
  }
  if (IsSyllable(first) && (first - kSyllableBase) % kTails == 0 &&
      second - kTailBase - 1 < kTails - 1) {
    return first + (second - kTailBase);
  }
  for (size_t slot = CompositionSlot(first, second); composition_slots[slot] != 0;
       slot = (slot + 1) % kCompositionSlots) {
    const CanonicalStep& step = canonical_steps[composition_slots[slot] - 1];
    if (step.first == first && step.second == second) return step.code;
  }
  return 0;
}

}  // namespace pocketbert
