// Compiled for speed, not for size: see CMakeLists.txt.
#include "text/plain_words.h"

#include "text/unicode_tables.h"

namespace pocketbert {
namespace {

// Longer words go stage by stage.
constexpr size_t kLongestWord = 64;

}  // namespace

PlainWords::PlainWords(const BertNormalizer& normalizer) : rules_{} {
  for (size_t c = 0; c < 128; ++c) {
    const AsciiRule rule = normalizer.ascii(c);
    const uint8_t bits = CharClass(static_cast<uint8_t>(rule.to));
    if (!rule.kept) continue;
    if (bits & kWhiteSpace) {
      // Only behind these a text may be parted.
      const bool parts = c == ' ' || c == '\t' || c == '\n' || c == '\r';
      if (parts) rules_[c].kind = kBlank;
    } else {
      rules_[c] = {bits & kPunctuation ? kPunctuationMark : kLetter, static_cast<uint8_t>(rule.to)};
    }
  }
}

// A word that is long, or no entry as it is.
bool PlainWords::AppendPieces(const WordPiece& model, std::string_view source, const Place& place,
                              std::vector<Token>& out) const {
  if (source.size() > kLongestWord) return false;
  char word[kLongestWord];
  for (size_t i = 0; i < source.size(); ++i) {
    word[i] = static_cast<char>(rules_[static_cast<uint8_t>(source[i])].to);
  }
  place.pieces.clear();
  if (!model.Tokenize({word, source.size()}, place.pieces)) return false;
  for (const WordToken& piece : place.pieces) {
    const Range range = {place.unit + piece.begin, place.unit + piece.end};
    out.push_back({piece.id, range, place.word_id, place.marks});
  }
  return true;
}

size_t PlainWords::Append(const WordPiece& model, std::string_view text, size_t enough,
                          const Place& place, std::vector<Token>& out) const {
  const auto* const base = reinterpret_cast<const uint8_t*>(text.data());
  const uint8_t* const end = base + text.size();
  const uint8_t* at = base;
  // What is there of whole runs between blanks.
  size_t done = 0;
  size_t tokens_done = out.size();
  int32_t word_id = place.word_id;
  for (;;) {
    if (at == end) {
      place.word_id = word_id;
      return text.size();
    }
    const uint8_t* const begin = at;
    Rule rule = rules_[*at++];
    if (rule.kind == kBlank) {
      done = static_cast<size_t>(at - base);
      tokens_done = out.size();
      place.word_id = word_id;
      if (done > enough) return done;
      continue;
    }
    uint64_t head = rule.to;  // the first eight bytes of the word
    if (rule.kind == kLetter) {
      for (int shift = 8; at < end && (rule = rules_[*at]).kind == kLetter; shift += 8, ++at) {
        if (shift < 64) head |= uint64_t{rule.to} << shift;
      }
    }
    if (rule.kind == kStop) break;
    const auto size = static_cast<size_t>(at - begin);
    const uint32_t unit = place.unit + static_cast<uint32_t>(begin - base);
    const int32_t id = size <= 8 ? model.FindShortWord(TextKey::OfShort(head, size)) : -1;
    if (id >= 0) {
      out.push_back({id, {unit, unit + static_cast<uint32_t>(size)}, word_id, place.marks});
    } else if (!AppendPieces(model, {reinterpret_cast<const char*>(begin), size},
                             {unit, place.marks, word_id, place.pieces}, out)) {
      break;
    }
    ++word_id;
  }
  out.erase(out.begin() + static_cast<ptrdiff_t>(tokens_done), out.end());
  return done;
}

}  // namespace pocketbert
