// Loading of Bpe.

#include <algorithm>
#include <utility>

#include "base/json_fields.h"
#include "text/bpe.h"
#include "text/byte_level.h"
#include "text/byte_tokens.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

// "a b" or ["a", "b"]
Status SplitMerge(Json item, std::string_view& left, std::string_view& right) {
  if (item.is_string()) {
    PB_ASSIGN_OR_RETURN(const std::string_view text, item.AsString());
    const size_t blank = text.find(' ');
    if (blank == std::string_view::npos || text.find(' ', blank + 1) != std::string_view::npos) {
      return item.ErrorExpected("two texts parted by one blank");
    }
    left = text.substr(0, blank);
    right = text.substr(blank + 1);
    return Done{};
  }
  if (item.size() != 2) return item.ErrorExpected("two texts");
  std::string_view* part = &left;
  PB_RETURN_IF_ERROR(item.AsArray());
  for (Json text : item.Items()) {
    PB_ASSIGN_OR_RETURN(*part, text.AsString());
    part = &right;
  }
  return Done{};
}

// Appends the merge of two texts; false if one, or both together, is not in the vocabulary. The
// first `skipped` bytes of the right one do not count.
bool AddMerge(std::string_view left, std::string_view right, size_t skipped, ModelData& data) {
  std::string result(left);
  result.append(right.substr(std::min(skipped, right.size())));
  const BpeMerge merge = {data.vocabulary.Find(left), data.vocabulary.Find(right),
                          data.vocabulary.Find(result)};
  data.merges.push_back(merge);
  return merge.left >= 0 && merge.right >= 0 && merge.result >= 0;
}

}  // namespace

Status ReadBpeData(Json json, ModelData& data) {
  PB_ASSIGN_OR_RETURN(const Json merges, json.GetArray("merges"));
  PB_ASSIGN_OR_RETURN(const std::string_view prefix,
                      json.StringOr("continuing_subword_prefix", ""));
  data.merges.reserve(merges.size());
  for (Json item : merges.Items()) {
    std::string_view left, right;
    PB_RETURN_IF_ERROR(SplitMerge(item, left, right));
    if (right.size() < prefix.size()) {
      return item.ErrorExpected("a right text that is longer than continuing_subword_prefix");
    }
    if (!AddMerge(left, right, prefix.size(), data)) {
      return item.ErrorExpected("two texts that are in the vocabulary, and so together");
    }
  }
  return Done{};
}

Status ReadMergeLines(std::string_view text, ModelData& data) {
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t feed = text.find('\n');
    std::string_view line = text.substr(0, feed);
    text.remove_prefix(feed == std::string_view::npos ? text.size() : feed + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const size_t blank = std::min(line.find(' '), line.size());
    const std::string_view left = line.substr(0, blank);
    const std::string_view right = line.substr(std::min(blank + 1, line.size()));
    if (!AddMerge(left, right, 0, data)) {
      return FormatError(Message("merges.txt: line ") + number + " is \"" + line.substr(0, 80) +
                         "\", expected two texts that are in vocab.json, and so together");
    }
  }
  return Done{};
}

Status Bpe::ReadOptions(Json json) {
  JsonFields fields(json);
  if (fields.Double("dropout", 0) != 0) {
    fields.Fail(UnsupportedError(Message(json.Path()) + ".dropout is " +
                                 fields.Any("dropout").Describe() + ", supported is none"));
  }
  needs_unknown_ = !fields.Any("unk_token").is_null();
  unk_token_ = fields.String("unk_token", "");
  prefix_ = fields.String("continuing_subword_prefix", "");
  marks_continuations_ = !prefix_.empty();
  suffix_ = fields.String("end_of_word_suffix", "");
  fuses_unknown_ = fields.Bool("fuse_unk", false);
  falls_back_to_bytes_ = fields.Bool("byte_fallback", false);
  ignores_merges_ = fields.Bool("ignore_merges", false);
  for (const char* key : {"type", "vocab", "merges"}) fields.Any(key);
  return fields.Finish();
}

// Entries that stand for bytes, by those, and what single bytes begin as.
Status Bpe::IndexBytes() {
  bytes_index_.Reset(vocabulary_.size());
  start_ids_.fill(-1);
  for (size_t id = 0; id < vocabulary_.id_limit(); ++id) {
    if (!vocabulary_.Has(id)) continue;
    const std::optional<std::string> bytes = BytesOfChars(vocabulary_.Text(id));
    if (!bytes || bytes->empty()) continue;
    if (bytes->size() == 1) {
      start_ids_[static_cast<uint8_t>((*bytes)[0])] = static_cast<int32_t>(id);
    }
    if (!bytes_index_.Insert(TextKey(*bytes), static_cast<int32_t>(id))) {
      return FormatError("texts of the vocabulary crafted to collide in a hash table are refused");
    }
  }
  return Done{};
}

Status Bpe::Load(Json json, ModelData&& data, bool byte_level) {
  PB_RETURN_IF_ERROR(ReadOptions(json));
  byte_level_ = byte_level;
  vocabulary_ = std::move(data.vocabulary);
  if (needs_unknown_) unk_id_ = vocabulary_.Find(unk_token_);
  if (!table_.Fill(data.merges)) {
    return FormatError("merges crafted to collide in a hash table are refused");
  }
  byte_ids_ = FindByteTokens(vocabulary_);
  whole_words_.Reset(vocabulary_.id_limit());
  return byte_level ? IndexBytes() : Status(Done{});
}

}  // namespace pocketbert
