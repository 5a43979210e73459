#include "text/post_processor.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/json_fields.h"

namespace pocketbert {
namespace {

enum Type : size_t { kTemplate, kBert, kRoberta, kByteLevel, kSequence, kNone };
constexpr char kTypes[] =
    "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence";

TemplatePiece Sequence(int8_t sequence, int32_t type_id) { return {sequence, -1, type_id}; }
TemplatePiece Special(int32_t id, int32_t type_id) { return {-1, id, type_id}; }

int32_t TypeId(JsonFields& fields) {
  return static_cast<int32_t>(fields.Int("type_id", 0, 0, TokenMarks::kLargestType));
}

// A special token of a template may stand for several ids.
Status AppendSpecial(Json json, Json special_tokens, std::vector<TemplatePiece>& out) {
  JsonFields fields(json);
  const std::string_view name = fields.RequiredString("id");
  const int32_t type_id = TypeId(fields);
  PB_RETURN_IF_ERROR(fields.Finish());
  const Json token = special_tokens.FindOrNull(name);
  if (token.is_null()) {
    return fields.Any("id").ErrorExpected("a token that the template's special_tokens define");
  }
  PB_ASSIGN_OR_RETURN(const Json ids, token.GetArray("ids"));
  for (Json item : ids.Items()) {
    PB_ASSIGN_OR_RETURN(const int64_t id, item.AsInt(0, INT32_MAX));
    out.push_back(Special(static_cast<int32_t>(id), type_id));
  }
  return Done{};
}

Status AppendSequence(Json json, const char* sequences, std::vector<TemplatePiece>& out) {
  JsonFields fields(json);
  fields.RequiredString("id");
  const auto sequence = static_cast<int8_t>(fields.Choice("id", 0, sequences));
  out.push_back(Sequence(sequence, TypeId(fields)));
  return fields.Finish();
}

Status ReadTemplate(Json list, Json special_tokens, const char* sequences,
                    std::vector<TemplatePiece>& out) {
  for (Json item : list.Items()) {
    JsonFields fields(item);
    const Json sequence = fields.Object("Sequence");
    const Json special =
        sequence.is_null() ? fields.RequiredObject("SpecialToken") : fields.Any("SpecialToken");
    PB_RETURN_IF_ERROR(fields.Finish());
    PB_RETURN_IF_ERROR(sequence.is_null() ? AppendSpecial(special, special_tokens, out)
                                          : AppendSequence(sequence, sequences, out));
  }
  return Done{};
}

// ["[SEP]", 102]
int32_t ReadNamedId(JsonFields& fields, const char* key) {
  const Json pair = fields.RequiredArray(key);
  Json id;
  for (Json item : pair.Items()) id = item;
  Result<int64_t> number = id.AsInt(0, INT32_MAX);
  if (pair.size() == 2 && number.ok()) return static_cast<int32_t>(number.value());
  fields.Fail(pair.ErrorExpected("a token and its id"));
  return 0;
}

}  // namespace

Result<PostProcessor> PostProcessor::FromJson(Json json) {
  PostProcessor processor;
  if (!json.is_null()) PB_RETURN_IF_ERROR(processor.Add(json));
  if (processor.single_.empty() && processor.pair_.empty()) {
    processor.single_ = {Sequence(0, 0)};
    processor.pair_ = {Sequence(0, 0), Sequence(1, 1)};
  }
  return processor;
}

// Recurses at most as deep as ParseJson lets brackets nest.
Status PostProcessor::Add(Json json) {
  JsonFields fields(json);
  size_t guess = kNone;
  if (json.Find("sep") && json.Find("cls")) guess = json.Find("trim_offsets") ? kRoberta : kBert;
  if (guess == kNone) fields.RequiredString("type");
  const size_t type = fields.Choice("type", guess, kTypes);
  PB_RETURN_IF_ERROR(fields.FinishOpen());
  switch (type) {
    case kSequence: {
      const Json list = fields.RequiredArray("processors");
      PB_RETURN_IF_ERROR(fields.Finish());
      for (Json item : list.Items()) PB_RETURN_IF_ERROR(Add(item));
      return Done{};
    }
    case kByteLevel: return AddByteLevel(json);
    default: break;
  }
  if (!single_.empty() || !pair_.empty()) {
    return UnsupportedError(Message(json.Path()) +
                            " is a second template, which is not supported in a Sequence");
  }
  return type == kTemplate ? AddTemplate(json) : AddBert(json, type == kRoberta);
}

Status PostProcessor::AddByteLevel(Json json) {
  JsonFields fields(json);
  fields.Any("type");
  trimming_.keeps_first = fields.Bool("add_prefix_space", true);
  trimming_.trims = fields.Bool("trim_offsets", true);
  fields.Bool("use_regex", true);
  return fields.Finish();
}

// RoBERTa's pairs have two separators in the middle and one type.
Status PostProcessor::AddBert(Json json, bool roberta) {
  JsonFields fields(json);
  fields.Any("type");
  const int32_t sep = ReadNamedId(fields, "sep");
  const int32_t cls = ReadNamedId(fields, "cls");
  if (roberta) {
    trimming_.trims = fields.Bool("trim_offsets", true);
    trimming_.keeps_first = fields.Bool("add_prefix_space", true);
  }
  const int32_t second = roberta ? 0 : 1;
  single_ = {Special(cls, 0), Sequence(0, 0), Special(sep, 0)};
  pair_ = single_;
  if (roberta) pair_.push_back(Special(sep, 0));
  pair_.push_back(Sequence(1, second));
  pair_.push_back(Special(sep, second));
  return fields.Finish();
}

Status PostProcessor::AddTemplate(Json json) {
  JsonFields fields(json);
  fields.Any("type");
  const Json single = fields.RequiredArray("single");
  const Json pair = fields.RequiredArray("pair");
  const Json special_tokens = fields.Object("special_tokens");
  PB_RETURN_IF_ERROR(fields.Finish());
  PB_RETURN_IF_ERROR(ReadTemplate(single, special_tokens, "A", single_));
  return ReadTemplate(pair, special_tokens, "A, B", pair_);
}

size_t PostProcessor::special_token_count(bool pair) const {
  size_t count = 0;
  for (const TemplatePiece& piece : pieces(pair)) count += piece.sequence < 0;
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
    for (const TemplatePiece& piece : pieces(pair)) largest = std::max(largest, piece.id);
  }
  return largest;
}

void PostProcessor::Assemble(const TemplateInput& input, bool pair, bool add_special_tokens,
                             std::vector<Token>& out) const {
  for (const TemplatePiece& piece : pieces(pair)) {
    if (piece.sequence < 0) {
      if (add_special_tokens) out.push_back(piece.special());
      continue;
    }
    const Token* const tokens = input.tokens[piece.sequence]->data();
    const Window window = input.windows[piece.sequence];
    const size_t before = out.size();
    out.insert(out.end(), tokens + window.begin, tokens + window.end);
    for (size_t i = before; i < out.size(); ++i) out[i].marks = piece.marks();
  }
}

}  // namespace pocketbert
