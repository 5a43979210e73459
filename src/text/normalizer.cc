#include "text/normalizer.h"

#include <utility>

#include "text/component_json.h"
#include "text/unicode_tables.h"

namespace pocketbert {
namespace {

using Step = Normalizer::Step;
using Kind = Step::Kind;

Step ReadBert(JsonFields& fields) {
  BertNormalizerOptions options;
  options.clean_text = fields.Bool("clean_text", true);
  options.handle_chinese_chars = fields.Bool("handle_chinese_chars", true);
  options.lowercase = fields.Bool("lowercase", true);
  if (!fields.Any("strip_accents").is_null()) {
    options.strip_accents = fields.Bool("strip_accents", true);
  }
  Step step{Kind::kBert};
  step.bert.emplace_back(options);
  return step;
}

template <Kind kind>
Step ReadPlain(JsonFields&) {
  return Step{kind};
}

template <NormalForm form>
Step ReadForm(JsonFields&) {
  Step step{Kind::kForm};
  step.form = form;
  return step;
}

Step ReadStrip(JsonFields& fields) {
  Step step{Kind::kStrip};
  step.left = fields.Bool("strip_left", true);
  step.right = fields.Bool("strip_right", true);
  return step;
}

Step ReadReplace(JsonFields& fields) {
  Step step{Kind::kReplace};
  step.pattern = ReadStringPattern(fields, "pattern");
  step.content = fields.RequiredString("content");
  return step;
}

Step ReadPrepend(JsonFields& fields) {
  Step step{Kind::kPrepend};
  step.content = fields.RequiredString("prepend");
  return step;
}

struct Type {
  std::string_view name;
  Step (*read)(JsonFields&);
  bool works_on_parts;
};

constexpr Type kTypes[] = {
    {"BertNormalizer", ReadBert, true},
    {"Lowercase", ReadPlain<Kind::kLowercase>, true},
    {"NFC", ReadForm<NormalForm::kNfc>, true},
    {"NFD", ReadForm<NormalForm::kNfd>, true},
    {"NFKC", ReadForm<NormalForm::kNfkc>, true},
    {"NFKD", ReadForm<NormalForm::kNfkd>, true},
    {"StripAccents", ReadPlain<Kind::kStripAccents>, true},
    {"Strip", ReadStrip, false},
    {"Replace", ReadReplace, false},
    {"Prepend", ReadPrepend, false},
};
constexpr std::string_view kSupported =
    "BertNormalizer, Lowercase, NFC, NFD, NFKC, NFKD, StripAccents, Strip, Replace, Prepend, "
    "Sequence";

void Lowercase(const AlignedText& in, AlignedText& out) {
  out.Reserve(in.size());
  const char* const begin = in.bytes();
  const char* const end = begin + in.size();
  for (const char* at = begin; at < end;) {
    const SourceChar source = in.sources()[at - begin];
    const char32_t c = ReadUtf8(at);
    if (!(CharClass(c) & kMapped)) {
      out.Append(c, source);
    } else {
      out.Append(LowerCase(c), source);
      if (c == kDottedCapitalI) out.Append(kDotAbove, source);
    }
  }
}

void StripAccents(const AlignedText& in, AlignedText& out) {
  out.Reserve(in.size());
  const char* const begin = in.bytes();
  const char* const end = begin + in.size();
  for (const char* at = begin; at < end;) {
    const SourceChar source = in.sources()[at - begin];
    const char32_t c = ReadUtf8(at);
    if (!(CharClass(c) & kMark)) out.Append(c, source);
  }
}

void Strip(bool left, bool right, const AlignedText& in, AlignedText& out) {
  const char* begin = in.bytes();
  const char* end = begin + in.size();
  const char* at = begin;
  while (left && at < end && (CharClass(ReadUtf8(at)) & kWhiteSpace)) begin = at;
  at = end;
  while (right && at > begin && (CharClass(ReadUtf8Backward(at)) & kWhiteSpace)) end = at;
  out.Reserve(static_cast<size_t>(end - begin));
  out.WriteFrom(in, static_cast<size_t>(begin - in.bytes()), static_cast<size_t>(end - in.bytes()));
}

// What is put in has the place of the last character taken out.
void Replace(const Step& step, const AlignedText& in, AlignedText& out) {
  const std::string_view text = in.text();
  size_t at = 0;
  while (at < text.size()) {
    const size_t found = text.find(step.pattern, at);
    const size_t until = found == std::string_view::npos ? text.size() : found;
    out.Reserve(until - at);
    out.WriteFrom(in, at, until);
    if (found == std::string_view::npos) break;
    at = found + step.pattern.size();
    out.AppendText(step.content, in.sources()[at - 1]);
  }
}

// What is put in front has the place of the first character.
void Prepend(const Step& step, const AlignedText& in, AlignedText& out) {
  if (in.empty()) return;
  const SourceChar first = in.sources()[0];
  out.AppendText(step.content, first);
  out.Reserve(in.size());
  out.WriteFrom(in, 0, in.size());
}

void ApplyStep(const Step& step, const AlignedText& in, AlignedText& out) {
  switch (step.kind) {
    case Kind::kBert: return step.bert[0].Append(in, out);
    case Kind::kForm: return AppendNormalForm(step.form, in, out);
    case Kind::kLowercase: return Lowercase(in, out);
    case Kind::kStripAccents: return StripAccents(in, out);
    case Kind::kStrip: return Strip(step.left, step.right, in, out);
    case Kind::kReplace: return Replace(step, in, out);
    case Kind::kPrepend: return Prepend(step, in, out);
  }
}

}  // namespace

Result<Normalizer> Normalizer::FromJson(Json json) {
  Normalizer normalizer;
  if (!json.is_null()) PB_RETURN_IF_ERROR(normalizer.Add(json));
  return normalizer;
}

// Recurses at most as deep as ParseJson lets brackets nest.
Status Normalizer::Add(Json json) {
  JsonFields fields(json);
  const std::string_view name = fields.RequiredString("type");
  if (name == "Sequence") {
    const Json list = fields.RequiredArray("normalizers");
    PB_RETURN_IF_ERROR(fields.Finish());
    for (Json item : list.Items()) PB_RETURN_IF_ERROR(Add(item));
    return Done{};
  }
  for (const Type& type : kTypes) {
    if (type.name != name) continue;
    steps_.push_back(type.read(fields));
    works_on_parts_ = works_on_parts_ && type.works_on_parts;
    return fields.Finish();
  }
  PB_RETURN_IF_ERROR(fields.FinishOpen());
  return UnsupportedComponent(json.FindOrNull("type"), kSupported);
}

void Normalizer::Apply(AlignedText& text, AlignedText& other) const {
  for (const Step& step : steps_) {
    other.Clear();
    ApplyStep(step, text, other);
    std::swap(text, other);
  }
}

const BertNormalizer* Normalizer::bert() const {
  return steps_.size() == 1 && steps_[0].kind == Kind::kBert ? &steps_[0].bert[0] : nullptr;
}

std::string Normalizer::Normalize(std::string_view text) const {
  AlignedText aligned;
  AlignedText other;
  aligned.AppendSource(text, 0);
  Apply(aligned, other);
  return std::string(aligned.text());
}

}  // namespace pocketbert
