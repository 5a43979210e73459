#include "text/split.h"

#include <array>

#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

constexpr std::array<uint8_t, 128> MakeAsciiBertClasses() {
  std::array<uint8_t, 128> classes = {};
  for (int c = 0; c < 128; ++c) {
    const bool blank = c == ' ' || (c >= 9 && c <= 13);
    const bool punctuation = (c >= 33 && c <= 47) || (c >= 58 && c <= 64) ||
                             (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
    classes[c] = blank ? kWhiteSpace : punctuation ? kPunctuation : 0;
  }
  return classes;
}
// White space and punctuation, for the path that most bytes take.
constexpr std::array<uint8_t, 128> kAsciiBertClasses = MakeAsciiBertClasses();

}  // namespace

void Splitter::AddFilled(Piece segment, bool is_delimiter) {
  switch (behavior_) {
    case SplitBehavior::kRemoved:
      if (!is_delimiter) out_.push_back(segment);
      return;
    case SplitBehavior::kIsolated:
      out_.push_back(segment);
      return;
    case SplitBehavior::kContiguous:
    case SplitBehavior::kMergedWithPrevious: {
      const bool joins = behavior_ == SplitBehavior::kContiguous
                             ? is_delimiter == after_delimiter_
                             : is_delimiter && !after_delimiter_;
      if (joins && out_.size() > first_) {
        out_.back().end = segment.end;
      } else {
        out_.push_back(segment);
      }
      after_delimiter_ = is_delimiter;
      return;
    }
    case SplitBehavior::kMergedWithNext:
      if (held_ && is_delimiter) out_.push_back(delimiter_);
      if (is_delimiter) {
        delimiter_ = segment;
      } else {
        out_.push_back({held_ ? delimiter_.begin : segment.begin, segment.end});
      }
      held_ = is_delimiter;
      return;
  }
}

void SplitAtClass(std::string_view text, Piece piece, uint8_t class_bits, Splitter& splitter) {
  splitter.Start();
  const char* at = text.data() + piece.begin;
  const char* const end = text.data() + piece.end;
  uint32_t since = piece.begin;  // where the segment that is no delimiter began
  while (at < end) {
    const auto begin = static_cast<uint32_t>(at - text.data());
    if (!(CharClass(ReadUtf8(at)) & class_bits)) continue;
    const auto after = static_cast<uint32_t>(at - text.data());
    splitter.Add({since, begin}, false);
    splitter.Add({begin, after}, true);
    since = after;
  }
  splitter.Add({since, piece.end}, false);
  splitter.Finish();
}

void SplitAtLiteral(std::string_view text, Piece piece, std::string_view literal,
                    Splitter& splitter) {
  splitter.Start();
  const std::string_view whole = text.substr(0, piece.end);
  uint32_t since = piece.begin;
  for (;;) {
    const size_t found = whole.find(literal, since);
    if (found == std::string_view::npos) break;
    const auto begin = static_cast<uint32_t>(found);
    const auto after = static_cast<uint32_t>(found + literal.size());
    splitter.Add({since, begin}, false);
    splitter.Add({begin, after}, true);
    since = after;
  }
  splitter.Add({since, piece.end}, false);
  splitter.Finish();
}

void SplitWords(std::string_view text, Piece piece, std::vector<Piece>& out) {
  enum Kind { kBlank, kWord, kOther };
  const char* at = text.data() + piece.begin;
  const char* const end = text.data() + piece.end;
  Kind run = kBlank;
  uint32_t since = piece.begin;
  while (at < end) {
    const auto begin = static_cast<uint32_t>(at - text.data());
    const uint8_t bits = CharClass(ReadUtf8(at));
    const Kind kind = bits & kWordChar ? kWord : bits & kWhiteSpace ? kBlank : kOther;
    if (kind == run) continue;
    if (run != kBlank) out.push_back({since, begin});
    run = kind;
    since = begin;
  }
  if (run != kBlank) out.push_back({since, piece.end});
}

void SplitBert(std::string_view text, Piece piece, std::vector<Piece>& out) {
  const char* const base = text.data();
  const char* at = base + piece.begin;
  const char* const end = base + piece.end;
  const char* word = at;  // where the word that at stands in began
  while (at < end) {
    const char* const begin = at;
    uint8_t bits;
    if (const auto byte = static_cast<uint8_t>(*at); byte < 0x80) {
      ++at;
      bits = kAsciiBertClasses[byte];
    } else {
      bits = CharClass(ReadUtf8(at)) & (kWhiteSpace | kPunctuation);
    }
    if (bits == 0) continue;
    if (word < begin) {
      out.push_back({static_cast<uint32_t>(word - base), static_cast<uint32_t>(begin - base)});
    }
    if (bits & kPunctuation) {
      out.push_back({static_cast<uint32_t>(begin - base), static_cast<uint32_t>(at - base)});
    }
    word = at;
  }
  if (word < end) out.push_back({static_cast<uint32_t>(word - base), piece.end});
}

}  // namespace pocketbert
