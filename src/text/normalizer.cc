#include "text/normalizer.h"

#include <array>
#include <utility>

#include "text/unicode_tables.h"

namespace pocketbert {
namespace {

using Step = Normalizer::Step;
using Kind = Step::Kind;

void ReadBert(JsonFields& fields, Step& step) {
  BertNormalizerOptions options;
  options.clean_text = fields.Bool("clean_text", true);
  options.handle_chinese_chars = fields.Bool("handle_chinese_chars", true);
  options.lowercase = fields.Bool("lowercase", true);
  if (!fields.Any("strip_accents").is_null()) {
    options.strip_accents = fields.Bool("strip_accents", true);
  }
  step.kind = Kind::kBert;
  step.bert.emplace_back(options);
}

template <Kind kind>
void ReadPlain(JsonFields&, Step& step) {
  step.kind = kind;
}

template <NormalForm form>
void ReadForm(JsonFields&, Step& step) {
  step.kind = Kind::kForm;
  step.form = form;
}

void ReadStrip(JsonFields& fields, Step& step) {
  step.kind = Kind::kStrip;
  step.left = fields.Bool("strip_left", true);
  step.right = fields.Bool("strip_right", true);
}

void ReadReplace(JsonFields& fields, Step& step) {
  step.kind = Kind::kReplace;
  step.pattern = ReadPattern(fields, "pattern");
  step.content = fields.RequiredString("content");
}

void ReadPrepend(JsonFields& fields, Step& step) {
  step.kind = Kind::kPrepend;
  step.content = fields.RequiredString("prepend");
}

struct Type {
  std::string_view name;
  void (*read)(JsonFields&, Step&);
  bool works_on_parts;
  bool keeps_blanks = false;
};

constexpr Type kTypes[] = {
    {"BertNormalizer", ReadBert, true},
    {"Lowercase", ReadPlain<Kind::kLowercase>, true, true},
    {"NFC", ReadForm<NormalForm::kNfc>, true, true},
    {"NFD", ReadForm<NormalForm::kNfd>, true, true},
    {"NFKC", ReadForm<NormalForm::kNfkc>, true},
    {"NFKD", ReadForm<NormalForm::kNfkd>, true},
    {"StripAccents", ReadPlain<Kind::kStripAccents>, true},
    {"Strip", ReadStrip, false},
    {"Replace", ReadReplace, false},
    {"Prepend", ReadPrepend, false},
    {"Nmt", ReadPlain<Kind::kNmt>, false},
};
constexpr std::string_view kSupported =
    "BertNormalizer, Lowercase, NFC, NFD, NFKC, NFKD, StripAccents, Strip, Replace, Prepend, Nmt, "
    "Precompiled, Sequence";

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
Status Replace(const Step& step, const AlignedText& in, AlignedText& out) {
  std::vector<Piece> places;
  PB_RETURN_IF_ERROR(step.pattern.FindAll(in.text(), places));
  size_t at = 0;
  for (const Piece& place : places) {
    out.Reserve(place.begin - at);
    out.WriteFrom(in, at, place.begin);
    at = place.end;
    out.AppendText(step.content, at > 0 ? in.sources()[at - 1] : MakeSourceChar(0, 0));
  }
  out.Reserve(in.size() - at);
  out.WriteFrom(in, at, in.size());
  return Done{};
}

// Controls that are left out, and what becomes a blank, as SentencePiece's rule "nmt" has it.
constexpr std::array<Piece, 6> kNmtControls = {
    {{0x01, 0x09}, {0x0B, 0x0C}, {0x0E, 0x20}, {0x7F, 0x80}, {0x8F, 0x90}, {0x9F, 0xA0}}};
constexpr std::array<Piece, 8> kNmtBlanks = {{{0x09, 0x0B},
                                              {0x0C, 0x0E},
                                              {0x1680, 0x1681},
                                              {0x200B, 0x2010},
                                              {0x2028, 0x202A},
                                              {0x2581, 0x2582},
                                              {0xFEFF, 0xFF00},
                                              {0xFFFD, 0xFFFE}}};

template <size_t count>
bool IsIn(const std::array<Piece, count>& ranges, char32_t c) {
  for (const Piece& range : ranges) {
    if (c >= range.begin && c < range.end) return true;
  }
  return false;
}

void Nmt(const AlignedText& in, AlignedText& out) {
  out.Reserve(in.size());
  const char* const begin = in.bytes();
  const char* const end = begin + in.size();
  for (const char* at = begin; at < end;) {
    const SourceChar source = in.sources()[at - begin];
    const char32_t c = ReadUtf8(at);
    if (!IsIn(kNmtControls, c)) out.Append(IsIn(kNmtBlanks, c) ? U' ' : c, source);
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

Status ApplyStep(const Step& step, const AlignedText& in, AlignedText& out) {
  switch (step.kind) {
    case Kind::kBert: step.bert[0].Append(in, out); break;
    case Kind::kForm: AppendNormalForm(step.form, in, out); break;
    case Kind::kLowercase: Lowercase(in, out); break;
    case Kind::kStripAccents: StripAccents(in, out); break;
    case Kind::kStrip: Strip(step.left, step.right, in, out); break;
    case Kind::kReplace: return Replace(step, in, out);
    case Kind::kPrepend: Prepend(step, in, out); break;
    case Kind::kNmt: Nmt(in, out); break;
    case Kind::kCharsmap: step.charsmap[0].Append(in, out); break;
  }
  return Done{};
}

}  // namespace

Result<Normalizer> Normalizer::FromJson(Json json, std::vector<std::string> charsmaps) {
  Normalizer normalizer;
  if (!json.is_null()) PB_RETURN_IF_ERROR(normalizer.Add(json, charsmaps));
  return normalizer;
}

// Recurses at most as deep as ParseJson lets brackets nest.
Status Normalizer::Add(Json json, std::vector<std::string>& charsmaps) {
  JsonFields fields(json);
  const std::string_view name = fields.RequiredString("type");
  if (name == "Sequence") {
    const Json list = fields.RequiredArray("normalizers");
    PB_RETURN_IF_ERROR(fields.Finish());
    for (Json item : list.Items()) PB_RETURN_IF_ERROR(Add(item, charsmaps));
    return Done{};
  }
  if (name == "Precompiled") return AddCharsmap(json, charsmaps);
  for (const Type& type : kTypes) {
    if (type.name != name) continue;
    type.read(fields, steps_.emplace_back());
    works_on_parts_ = works_on_parts_ && type.works_on_parts;
    keeps_blanks_ = keeps_blanks_ && type.keeps_blanks;
    return fields.Finish();
  }
  PB_RETURN_IF_ERROR(fields.FinishOpen());
  return UnsupportedComponent(json.FindOrNull("type"), kSupported);
}

Status Normalizer::AddCharsmap(Json json, std::vector<std::string>& charsmaps) {
  JsonFields fields(json);
  fields.RequiredString("type");
  const Json place = fields.Any("precompiled_charsmap");
  const int64_t index =
      fields.Int("precompiled_charsmap", -1, 0, static_cast<int64_t>(charsmaps.size()) - 1);
  PB_RETURN_IF_ERROR(fields.Finish());
  if (place.is_null()) return Done{};
  PB_ASSIGN_OR_RETURN(
      Charsmap charsmap,
      Charsmap::FromBytes(std::move(charsmaps[static_cast<size_t>(index)]), place.Path()));
  // Steps before it may change what a part begins with.
  works_on_parts_ = works_on_parts_ && steps_.empty();
  keeps_blanks_ = false;
  Step& step = steps_.emplace_back();
  step.kind = Kind::kCharsmap;
  step.charsmap.push_back(std::move(charsmap));
  return Done{};
}

Status Normalizer::Apply(AlignedText& text, AlignedText& other) const {
  for (const Step& step : steps_) {
    other.Clear();
    PB_RETURN_IF_ERROR(ApplyStep(step, text, other));
    std::swap(text, other);
  }
  return Done{};
}

bool Normalizer::MayBeginPart(char32_t c) const {
  return steps_.empty() || steps_[0].kind != Kind::kCharsmap ||
         steps_[0].charsmap[0].MayBeginPart(c);
}

std::vector<std::string_view> Normalizer::charsmaps() const {
  std::vector<std::string_view> list;
  for (const Step& step : steps_) {
    for (const Charsmap& charsmap : step.charsmap) list.push_back(charsmap.bytes());
  }
  return list;
}

const BertNormalizer* Normalizer::bert() const {
  return steps_.size() == 1 && steps_[0].kind == Kind::kBert ? &steps_[0].bert[0] : nullptr;
}

Result<std::string> Normalizer::Normalize(std::string_view text) const {
  AlignedText aligned;
  AlignedText other;
  aligned.AppendSource(text, 0);
  PB_RETURN_IF_ERROR(Apply(aligned, other));
  return std::string(aligned.text());
}

}  // namespace pocketbert
