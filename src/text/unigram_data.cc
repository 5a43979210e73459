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
  for (size_t id = 0; id < limit; id += kEntriesAtOnce) {
    PB_RETURN_IF_ERROR(CheckEntries(json, id, std::min(limit, id + kEntriesAtOnce)));
  }
  unknown_score_ -= kUnknownPenalty;
  byte_ids_ = FindByteTokens(vocabulary_);
  whole_words_.Reset(limit);
  return Done{};
}

// Gathers what is to be known of entries: their lengths and the least score.
[[gnu::noinline]] Status Unigram::CheckEntries(Json json, size_t begin, size_t end) {
  for (size_t id = begin; id < end; ++id) {
    if (id == 0 || scores_[id] < unknown_score_) unknown_score_ = scores_[id];
    const std::string_view text = vocabulary_.Has(id) ? vocabulary_.Text(id) : std::string_view();
    if (text.size() <= kHeadBytes) continue;
    if (text.size() > kLongestEntry) {
      return UnsupportedError(Message(json.Path()) + ".vocab has an entry of " + text.size() +
                              " bytes, which is not supported");
    }
    uint16_t& longest = longest_[LengthSlot(text.data())];
    longest = std::max(longest, static_cast<uint16_t>(text.size()));
  }
  return Done{};
}

}  // namespace pocketbert
