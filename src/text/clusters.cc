#include "text/clusters.h"

#include "text/utf8.h"

namespace pocketbert {
namespace {

constexpr char32_t kZeroWidthJoiner = 0x200D;

// Hangul syllables: Unicode Standard, section 3.12.
enum class Jamo : uint8_t { kNone, kLead, kVowel, kTail, kSyllable, kSyllableWithTail };

Jamo JamoOf(char32_t c) {
  if (c < 0x1100 || c > 0xD7FB) return Jamo::kNone;
  if (c <= 0x115F || (c >= 0xA960 && c <= 0xA97C)) return Jamo::kLead;
  if (c <= 0x11A7 || (c >= 0xD7B0 && c <= 0xD7C6)) return Jamo::kVowel;
  if (c <= 0x11FF || c >= 0xD7CB) return Jamo::kTail;
  if (c < 0xAC00 || c > 0xD7A3) return Jamo::kNone;
  return (c - 0xAC00) % 28 == 0 ? Jamo::kSyllable : Jamo::kSyllableWithTail;
}

bool JamosJoin(Jamo before, Jamo after) {
  switch (before) {
    case Jamo::kLead: return after != Jamo::kNone && after != Jamo::kTail;
    case Jamo::kVowel:
    case Jamo::kSyllable: return after == Jamo::kVowel || after == Jamo::kTail;
    case Jamo::kTail:
    case Jamo::kSyllableWithTail: return after == Jamo::kTail;
    case Jamo::kNone: return false;
  }
  return false;
}

// What of a cluster so far decides about the next code point.
struct Before {
  char32_t last;
  ClusterPart part;           // of `last`
  bool pictograph = false;    // one, then only marks
  bool consonant = false;     // one, then only marks
  bool linker = false;        // among those marks
};

bool Joins(const Before& before, char32_t c, ClusterPart part) {
  if (before.last == '\r' && c == '\n') return true;
  if (before.part == ClusterPart::kControl || part == ClusterPart::kControl) return false;
  if (part == ClusterPart::kJoins || part == ClusterPart::kLinker) return true;
  if (before.part == ClusterPart::kPrepend) return true;
  if (part == ClusterPart::kPictograph) {
    return before.pictograph && before.last == kZeroWidthJoiner;
  }
  if (part == ClusterPart::kConsonant) return before.consonant && before.linker;
  return JamosJoin(JamoOf(before.last), JamoOf(c));
}

}  // namespace

size_t ClusterWalker::EndOf(size_t begin) const {
  const char* at = text_.data() + begin;
  const char* const end = text_.data() + text_.size();
  char32_t c = ReadUtf8(at);
  Before before = {c, static_cast<ClusterPart>(parts_[c])};
  before.pictograph = before.part == ClusterPart::kPictograph;
  before.consonant = before.part == ClusterPart::kConsonant;
  while (at < end) {
    const char* const next = at;
    c = ReadUtf8(at);
    const auto part = static_cast<ClusterPart>(parts_[c]);
    if (!Joins(before, c, part)) return static_cast<size_t>(next - text_.data());
    const bool mark = part == ClusterPart::kJoins || part == ClusterPart::kLinker;
    before.pictograph = part == ClusterPart::kPictograph || (mark && before.pictograph);
    before.consonant = part == ClusterPart::kConsonant || (mark && before.consonant);
    before.linker = mark && (before.linker || part == ClusterPart::kLinker);
    before.last = c;
    before.part = part;
  }
  return text_.size();
}

}  // namespace pocketbert
