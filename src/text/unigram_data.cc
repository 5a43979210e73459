// Loading of Unigram.

#include <algorithm>
#include <utility>

#include "base/json_fields.h"
#include "text/byte_tokens.h"
#include "text/unigram.h"

namespace pocketbert {
namespace {

constexpr double kUnknownPenalty = 10;
// See vocabulary_order.cc.
constexpr size_t kEntriesAtOnce = 512;

}  // namespace

Status ReadUnigramData(Json json, ModelData& data) {
  PB_ASSIGN_OR_RETURN(const Json vocab, json.GetArray("vocab"));
  std::vector<VocabularyEntry> entries;
  entries.reserve(vocab.size());
  data.scores.reserve(vocab.size());
  for (Json item : vocab.Items()) {
    PB_RETURN_IF_ERROR(item.AsArray());
    std::string_view text;
    for (Json part : item.Items()) {
      if (part.is_string()) {
        PB_ASSIGN_OR_RETURN(text, part.AsString());
      } else {
        PB_ASSIGN_OR_RETURN(const double score, part.AsDouble());
        data.scores.push_back(score);
      }
    }
    entries.push_back({text, static_cast<uint32_t>(entries.size())});
    if (item.size() != 2 || data.scores.size() != entries.size()) {
      return item.ErrorExpected("a text and its score");
    }
  }
  PB_ASSIGN_OR_RETURN(data.vocabulary, Vocabulary::FromEntries(entries, vocab.Path()));
  return Done{};
}

Status Unigram::Load(Json json, ModelData&& data) {
  JsonFields fields(json);
  falls_back_to_bytes_ = fields.Bool("byte_fallback", false);
  const int64_t unk_id = fields.Int("unk_id", -1, 0, INT32_MAX);
  fields.Any("type");
  fields.Any("vocab");
  PB_RETURN_IF_ERROR(fields.Finish());
  vocabulary_ = std::move(data.vocabulary);
  scores_ = std::move(data.scores);
  const size_t limit = vocabulary_.id_limit();
  if (scores_.size() != limit) {
    return FormatError(Message(json.Path()) + " has not one score for each id");
  }
  if (unk_id >= 0) {
    if (!vocabulary_.Has(static_cast<size_t>(unk_id))) {
      return FormatError(Message(json.Path()) + ".unk_id is " + unk_id +
                         ", expected the id of an entry");
    }
    unk_id_ = static_cast<int32_t>(unk_id);
    unk_token_ = vocabulary_.Text(static_cast<size_t>(unk_id));
  }
  longest_.assign(size_t{1} << kLengthBits, 0);
  const std::span<const uint8_t> texts = vocabulary_.packed_texts();
  const uint8_t* const texts_end = texts.data() + texts.size();
  for (const uint8_t* at = texts.data(); at != texts_end;) {
    const size_t most = NoteLengths(at, texts_end);
    if (most > kLongestEntry) {
      return UnsupportedError(Message(json.Path()) + ".vocab has an entry of " + most +
                              " bytes, which is not supported");
    }
  }
  if (limit > 0) unknown_score_ = *std::min_element(scores_.begin(), scores_.end());
  unknown_score_ -= kUnknownPenalty;
  byte_ids_ = FindByteTokens(vocabulary_);
  whole_words_.Reset(limit);
  return Done{};
}

// Takes some texts off the front, notes how long they are and returns the most bytes of one.
[[gnu::noinline]] size_t Unigram::NoteLengths(const uint8_t*& at, const uint8_t* end) {
  size_t most = 0;
  for (size_t i = 0; i < kEntriesAtOnce && at != end; ++i) {
    const std::string_view text = Vocabulary::ReadText(at);
    if (text.size() <= kHeadBytes) continue;
    most = std::max(most, text.size());
    uint16_t& longest = longest_[LengthSlot(text.data())];
    longest = std::max(longest, static_cast<uint16_t>(std::min(text.size(), kLongestEntry)));
  }
  return most;
}

}  // namespace pocketbert
