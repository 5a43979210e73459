#include "text/text_tokens.h"

#include <algorithm>
#include <optional>

#include "text/plain_words.h"
#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

// A part of this many bytes keeps all its stages in a processor's cache.
constexpr size_t kPartBytes = 8192;
// The part that all stages take, where the shorter way met something that is not for it.
constexpr size_t kLeastPartBytes = 64;

// Longer words would take too much memory in BPE (40 times their size) and Unigram.
constexpr size_t kLongestWord = size_t{1} << 23;
// In texts of fewer words a cache is not worth its memory.
constexpr size_t kWordsBeforeCache = 200;

// Drops what comes before the last `count`, once that is worth the copying. Returns how many.
size_t KeepLast(size_t count, std::vector<Token>& tokens) {
  if (tokens.size() / 2 <= count) return 0;
  const size_t dropped = tokens.size() - count;
  tokens.erase(tokens.begin(), tokens.begin() + static_cast<ptrdiff_t>(dropped));
  return dropped;
}

}  // namespace

Status TextTokens::Append(std::string_view text, bool skip_special, Needed needed,
                          TokenMarks marks, std::vector<Token>& out) {
  if (text.size() >= kLongestText) {
    return TooLongError(Message("a text of ") + text.size() + " bytes, expected less than " +
                        kLongestText);
  }
  if (!IsValidUtf8(text)) {
    valid_ = MakeValidUtf8(text);
    text = valid_;
    if (text.size() >= kLongestText) {
      return TooLongError("a text of 1 GB and more");
    }
  }
  skip_special_ = skip_special;
  marks_ = marks;
  needed_ = needed;
  unit_ = 0;
  word_id_ = 0;
  before_ = out.size();
  dropped_ = 0;
  source_matches_.clear();
  const TokenFinder& finder = state_.added_tokens.in_source();
  if (!finder.empty()) finder.FindAll(text, skip_special, source_matches_);
  size_t at = 0;
  for (const TokenMatch& match : source_matches_) {
    if (at < match.begin) {
      PB_RETURN_IF_ERROR(AppendBetween(text.substr(at, match.begin - at), out));
      if (out.size() >= needed_.first) return Done{};
    } else {
      unit_ -= CountUtf16(text.substr(match.begin, at - match.begin));
    }
    const std::string_view found = text.substr(match.begin, match.end - match.begin);
    const uint32_t units = CountUtf16(found);
    const EndBlanks blanks = trims_ ? CountEndBlanks(found) : EndBlanks();
    const Range range = Trim({unit_, unit_ + units}, blanks, out.size());
    out.push_back({match.token->id, range, word_id_++, marks_});
    dropped_ += KeepLast(needed_.last, out);
    unit_ += units;
    at = match.end;
  }
  return AppendBetween(text.substr(at), out);
}

size_t TextTokens::PartEnd(std::string_view piece, size_t least) const {
  if (piece.size() <= least) return piece.size();
  switch (state_.parts) {
    case PreTokenizer::Parts::kNone: return piece.size();
    case PreTokenizer::Parts::kBehindWhiteSpace: return EndBehindWhiteSpace(piece, least);
    case PreTokenizer::Parts::kBeforeBlank: break;
  }
  // The last byte is left out: a blank there has nothing behind it that a part could begin with.
  const std::string_view blanks = piece.substr(0, piece.size() - 1);
  for (size_t at = least; (at = blanks.find(' ', at)) != std::string_view::npos; ++at) {
    const char* next = piece.data() + at + 1;
    constexpr uint8_t kNotYet = kWhiteSpace | kControl | kNonspacing | kMark;
    if (!(CharClass(ReadUtf8(next)) & kNotYet)) return at;
  }
  return piece.size();
}

size_t TextTokens::EndBehindWhiteSpace(std::string_view piece, size_t least) const {
  const auto may_begin = [&](size_t at) {
    const char* begin = piece.data() + at;
    return state_.normalizer.MayBeginPart(ReadUtf8(begin));
  };
  if (!may_begin(0)) return piece.size();
  for (size_t at = least; (at = piece.find_first_of(" \t\n\r", at)) < piece.size();) {
    if (++at < piece.size() && may_begin(at)) return at;
  }
  return piece.size();
}

Status TextTokens::AppendBetween(std::string_view piece, std::vector<Token>& out) {
  const std::optional<PlainWords>& plain_words = state_.plain_words;
  size_t least = plain_words ? kLeastPartBytes : kPartBytes;
  while (!piece.empty() && out.size() < needed_.first) {
    size_t done = 0;
    if (plain_words) {
      const PlainWords::Place place = {unit_, marks_, word_id_, word_tokens_};
      done = plain_words->Append(*state_.model->word_piece(), piece, kPartBytes, place, out);
    }
    if (done > 0) {
      unit_ += static_cast<uint32_t>(done);
      least = kLeastPartBytes;
    } else {
      done = PartEnd(piece, least);
      text_.Clear();
      unit_ = text_.AppendSource(piece.substr(0, done), unit_);
      PB_RETURN_IF_ERROR(AppendPart(out));
      // A text in another script is given up on less and less often.
      least = std::min(2 * least, kPartBytes);
    }
    dropped_ += KeepLast(needed_.last, out);
    piece.remove_prefix(done);
  }
  return Done{};
}

Status TextTokens::AppendPart(std::vector<Token>& out) {
  PB_RETURN_IF_ERROR(state_.normalizer.Apply(text_, other_text_));
  const std::string_view text = text_.text();
  normalized_matches_.clear();
  const TokenFinder& finder = state_.added_tokens.in_normalized();
  if (!finder.empty()) finder.FindAll(text, skip_special_, normalized_matches_);
  size_t at = 0;
  for (const TokenMatch& match : normalized_matches_) {
    if (at < match.begin) {
      PB_RETURN_IF_ERROR(AppendNormalized(
          {static_cast<uint32_t>(at), static_cast<uint32_t>(match.begin)}, out));
    }
    if (match.begin == match.end) continue;
    const std::string_view found = text.substr(match.begin, match.end - match.begin);
    const EndBlanks blanks = trims_ ? CountEndBlanks(found) : EndBlanks();
    const Range range = Trim(text_.RangeOf(match.begin, match.end), blanks, out.size());
    out.push_back({match.token->id, range, word_id_++, marks_});
    at = match.end;
  }
  return AppendNormalized({static_cast<uint32_t>(at), static_cast<uint32_t>(text.size())}, out);
}

Status TextTokens::AppendNormalized(Piece piece, std::vector<Token>& out) {
  if (piece.begin == piece.end) return Done{};
  words_.Start(text_, piece);
  PB_RETURN_IF_ERROR(state_.pre_tokenizer.Apply(words_));
  for (const Piece& word : words_.pieces) {
    if (out.size() >= needed_.first) break;
    PB_RETURN_IF_ERROR(AppendWord(*words_.text, word, out));
    ++word_id_;
  }
  return Done{};
}

Status TextTokens::AppendWord(const AlignedText& text, Piece word, std::vector<Token>& out) {
  const std::string_view word_text = text.text().substr(word.begin, word.end - word.begin);
  std::span<const WordToken> tokens;
  PB_RETURN_IF_ERROR(TokenizeWord(word_text, tokens));
  for (const WordToken& token : tokens) {
    const size_t begin = word.begin + token.begin;
    const size_t end = word.begin + token.end;
    Range range = text.RangeOf(begin, end);
    if (trims_) {
      EndBlanks blanks = BlanksOfWordToken(word_text, token);
      blanks.leading_units = SourceUnits(text.sources()[begin]);
      blanks.trailing_units = SourceUnits(text.sources()[end - 1]);
      range = Trim(range, blanks, out.size());
    }
    out.push_back({token.id, range, word_id_, marks_});
  }
  return Done{};
}

Status TextTokens::TokenizeWord(std::string_view word, std::span<const WordToken>& tokens) {
  const bool cached = caches_ && word.size() <= WordCache::kLongestWord;
  if (cached && !cache_ && ++words_before_cache_ > kWordsBeforeCache) cache_.emplace();
  if (!cached || !cache_) {
    PB_RETURN_IF_ERROR(AskModel(word));
    tokens = word_tokens_;
    return Done{};
  }
  const WordCache::Place place = cache_->PlaceOf(word);
  if (cache_->Find(place, word, tokens)) return Done{};
  PB_RETURN_IF_ERROR(AskModel(word));
  cache_->Put(place, word, word_tokens_);
  tokens = word_tokens_;
  return Done{};
}

Status TextTokens::AskModel(std::string_view word) {
  if (caches_ && word.size() > kLongestWord) {
    return TooLongError(Message("a word of ") + word.size() + " bytes, expected at most " +
                        kLongestWord);
  }
  word_tokens_.clear();
  if (state_.model->Tokenize(word, word_scratch_, word_tokens_)) return Done{};
  return FormatError(Message("the text needs the unknown token \"") + state_.model->unk_token() +
                     "\", which is not in the vocabulary");
}

EndBlanks TextTokens::BlanksOfWordToken(std::string_view word, const WordToken& token) const {
  const WordModel& model = *state_.model;
  const bool unknown = token.id == model.unk_id();
  if (unknown && !model.unknown_keeps_text()) return {};
  // A byte-level token reads as its bytes.
  const bool reads_as_word = unknown || state_.pre_tokenizer.is_byte_level();
  const std::string_view text = reads_as_word
                                    ? word.substr(token.begin, token.end - token.begin)
                                    : model.vocabulary().Text(static_cast<size_t>(token.id));
  if (!state_.pre_tokenizer.is_byte_level()) return CountEndBlanks(text);
  EndBlanks blanks;
  blanks.leading =
      static_cast<uint32_t>(std::min(text.find_first_not_of(' '), text.size()));
  blanks.nothing_else = blanks.leading == text.size();
  blanks.trailing =
      static_cast<uint32_t>(text.size() - (text.find_last_not_of(' ') + 1));
  return blanks;
}

Range TextTokens::Trim(Range range, EndBlanks blanks, size_t token_count) const {
  const BlankTrimming& trimming = state_.post_processor.trimming();
  if (!trims_ || !blanks) return range;
  const bool first = token_count == before_ || range.begin == 0;
  return TrimBlanks(range, blanks, first && trimming.keeps_first);
}

}  // namespace pocketbert
