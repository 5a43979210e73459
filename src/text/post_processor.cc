#include "text/post_processor.h"

#include <algorithm>
#include <string>
#include <utility>

#include "text/component_json.h"

namespace pocketbert {
namespace {

TemplatePiece Sequence(int8_t sequence, int32_t type_id) { return {sequence, {}, type_id}; }
TemplatePiece Special(int32_t id, int32_t type_id) { return {-1, {id}, type_id}; }

Result<int32_t> ReadId(Json json) {
  PB_ASSIGN_OR_RETURN(int64_t id, json.AsInt(0, INT32_MAX));
  return static_cast<int32_t>(id);
}

// The ids of the special token that `piece` names.
Result<std::vector<int32_t>> ReadSpecialIds(Json special_tokens, Json name) {
  PB_ASSIGN_OR_RETURN(std::string_view id, name.AsString());
  const std::optional<Json> token = special_tokens.Find(id);
  if (!token) return name.ErrorExpected("a token that the template's special_tokens define");
  PB_ASSIGN_OR_RETURN(Json list, token->GetArray("ids"));
  std::vector<int32_t> ids;
  for (Json item : list.Items()) {
    PB_ASSIGN_OR_RETURN(int32_t special_id, ReadId(item));
    ids.push_back(special_id);
  }
  return ids;
}

Result<TemplatePiece> ReadPiece(Json json, Json special_tokens) {
  PB_RETURN_IF_ERROR(json.AsObject());
  PB_RETURN_IF_ERROR(CheckKnownKeys(json, {"Sequence", "SpecialToken"}));
  TemplatePiece piece;
  Json body;
  if (const std::optional<Json> sequence = json.Find("Sequence")) {
    body = *sequence;
    PB_ASSIGN_OR_RETURN(std::string_view id, body.GetString("id"));
    if (id != "A" && id != "B") return body.FindOrNull("id").ErrorExpected("\"A\" or \"B\"");
    piece.sequence = id == "A" ? 0 : 1;
  } else {
    PB_ASSIGN_OR_RETURN(body, json.GetObject("SpecialToken"));
    PB_ASSIGN_OR_RETURN(Json name, body.Get("id"));
    PB_ASSIGN_OR_RETURN(piece.ids, ReadSpecialIds(special_tokens, name));
  }
  PB_ASSIGN_OR_RETURN(int64_t type_id, body.IntOr("type_id", 0, 0, INT32_MAX));
  piece.type_id = static_cast<int32_t>(type_id);
  return piece;
}

Result<std::vector<TemplatePiece>> ReadTemplate(Json json, std::string_view key) {
  PB_ASSIGN_OR_RETURN(Json list, json.GetArray(key));
  std::vector<TemplatePiece> pieces;
  for (Json item : list.Items()) {
    PB_ASSIGN_OR_RETURN(TemplatePiece piece, ReadPiece(item, json.FindOrNull("special_tokens")));
    if (piece.sequence == 1 && key == "single") {
      return item.ErrorExpected("no second text in the template of a single one");
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

// ["[SEP]", 102]
Result<int32_t> ReadNamedId(Json json, std::string_view key) {
  PB_ASSIGN_OR_RETURN(Json pair, json.GetArray(key));
  if (pair.size() != 2) return pair.ErrorExpected("a token and its id");
  Json id;
  for (Json item : pair.Items()) id = item;
  return ReadId(id);
}

template <typename T>
void Fill(std::vector<T>& values, size_t count, T value) {
  values.insert(values.end(), count, value);
}

template <typename T>
void Copy(std::vector<T>& values, const std::vector<T>& from, Window window) {
  values.insert(values.end(), from.begin() + static_cast<ptrdiff_t>(window.begin),
                from.begin() + static_cast<ptrdiff_t>(window.end));
}

void Reserve(Encoding& encoding, size_t count) {
  encoding.ids.reserve(count);
  encoding.offsets.reserve(count);
  encoding.type_ids.reserve(count);
  encoding.special_tokens_mask.reserve(count);
  encoding.word_ids.reserve(count);
  encoding.sequence_ids.reserve(count);
}

}  // namespace

Result<PostProcessor> PostProcessor::FromJson(Json json) {
  PostProcessor processor;
  if (json.is_null()) {
    processor.single_ = {Sequence(0, 0)};
    processor.pair_ = {Sequence(0, 0), Sequence(1, 1)};
    return processor;
  }
  PB_RETURN_IF_ERROR(json.AsObject());
  const bool bert_members = json.Find("sep") && json.Find("cls") && !json.Find("trim_offsets");
  PB_ASSIGN_OR_RETURN(std::string_view type,
                      json.StringOr("type", bert_members ? "BertProcessing" : ""));
  if (type == "BertProcessing") {
    PB_RETURN_IF_ERROR(CheckKnownKeys(json, {"type", "sep", "cls"}));
    PB_ASSIGN_OR_RETURN(int32_t sep, ReadNamedId(json, "sep"));
    PB_ASSIGN_OR_RETURN(int32_t cls, ReadNamedId(json, "cls"));
    processor.single_ = {Special(cls, 0), Sequence(0, 0), Special(sep, 0)};
    processor.pair_ = processor.single_;
    processor.pair_.push_back(Sequence(1, 1));
    processor.pair_.push_back(Special(sep, 1));
    return processor;
  }
  if (type != "TemplateProcessing") {
    PB_ASSIGN_OR_RETURN(Json found, json.Get("type"));
    return UnsupportedComponent(found, "TemplateProcessing, BertProcessing");
  }
  PB_RETURN_IF_ERROR(CheckKnownKeys(json, {"type", "single", "pair", "special_tokens"}));
  PB_ASSIGN_OR_RETURN(processor.single_, ReadTemplate(json, "single"));
  PB_ASSIGN_OR_RETURN(processor.pair_, ReadTemplate(json, "pair"));
  return processor;
}

size_t PostProcessor::special_token_count(bool pair) const {
  size_t count = 0;
  for (const TemplatePiece& piece : pieces(pair)) count += piece.ids.size();
  return count;
}

bool PostProcessor::begins_with_second() const {
  for (const TemplatePiece& piece : pair_) {
    if (piece.sequence >= 0) return piece.sequence == 1;
  }
  return false;
}

int32_t PostProcessor::largest_id() const {
  int32_t largest = -1;
  for (const bool pair : {false, true}) {
    for (const TemplatePiece& piece : pieces(pair)) {
      for (const int32_t id : piece.ids) largest = std::max(largest, id);
    }
  }
  return largest;
}

Encoding PostProcessor::Assemble(const TemplateInput& input, bool pair,
                                 bool add_special_tokens) const {
  Encoding encoding;
  Reserve(encoding, special_token_count(pair) + input.windows[0].size() + input.windows[1].size());
  for (const TemplatePiece& piece : pieces(pair)) {
    if (piece.sequence < 0) {
      if (!add_special_tokens) continue;
      const size_t count = piece.ids.size();
      Copy(encoding.ids, piece.ids, {0, count});
      Fill(encoding.offsets, count, Range{});
      Fill(encoding.type_ids, count, piece.type_id);
      Fill(encoding.special_tokens_mask, count, uint8_t{1});
      Fill(encoding.word_ids, count, int32_t{-1});
      Fill(encoding.sequence_ids, count, int8_t{-1});
    } else {
      const TokenList& tokens = *input.tokens[piece.sequence];
      const Window window = input.windows[piece.sequence];
      Copy(encoding.ids, tokens.ids, window);
      Copy(encoding.offsets, tokens.offsets, window);
      Fill(encoding.type_ids, window.size(), piece.type_id);
      Fill(encoding.special_tokens_mask, window.size(), uint8_t{0});
      Copy(encoding.word_ids, tokens.word_ids, window);
      Fill(encoding.sequence_ids, window.size(), piece.sequence);
    }
  }
  encoding.attention_mask.assign(encoding.ids.size(), 1);
  return encoding;
}

}  // namespace pocketbert
