#include "text/pre_tokenizer.h"

#include <algorithm>
#include <utility>

#include "text/byte_level.h"
#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

using Step = PreTokenizer::Step;
using Kind = Step::Kind;
using Prefix = Step::Prefix;

// In the order of SplitBehavior.
constexpr char kBehaviors[] =
    "Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous";

SplitBehavior ReadBehavior(JsonFields& fields, SplitBehavior fallback) {
  return static_cast<SplitBehavior>(
      fields.Choice("behavior", static_cast<size_t>(fallback), kBehaviors));
}

template <Kind kind>
void ReadPlain(JsonFields&, Step& step) {
  step.kind = kind;
}

void ReadWhitespaceSplit(JsonFields&, Step& step) {
  step.kind = Kind::kClass;
  step.class_bits = kWhiteSpace;
}

void ReadPunctuation(JsonFields& fields, Step& step) {
  step.kind = Kind::kClass;
  step.class_bits = kPunctuation;
  step.behavior = ReadBehavior(fields, SplitBehavior::kIsolated);
}

void ReadDigits(JsonFields& fields, Step& step) {
  step.kind = Kind::kClass;
  step.class_bits = kNumeric;
  step.behavior = fields.Bool("individual_digits", false) ? SplitBehavior::kIsolated
                                                          : SplitBehavior::kContiguous;
}

void ReadSplit(JsonFields& fields, Step& step) {
  step.kind = Kind::kPattern;
  step.pattern = ReadPattern(fields, "pattern");
  fields.RequiredString("behavior");
  step.behavior = ReadBehavior(fields, SplitBehavior::kRemoved);
  step.invert = fields.Bool("invert", false);
}

bool IsOneChar(std::string_view text) {
  const char* at = text.data();
  return !text.empty() && (ReadUtf8(at), at == text.data() + text.size());
}

void ReadDelimiter(JsonFields& fields, Step& step) {
  step.kind = Kind::kPattern;
  step.pattern.literal = fields.RequiredString("delimiter");
  if (fields.ok() && !IsOneChar(step.pattern.literal)) {
    fields.Fail(fields.Any("delimiter").ErrorExpected("one character"));
  }
}

// Older files have add_prefix_space instead of prepend_scheme, and "str_rep", which says the same
// as "replacement".
void ReadMetaspace(JsonFields& fields, Step& step) {
  step.kind = Kind::kMetaspace;
  step.blank = fields.String("replacement", "\u2581");
  if (fields.ok() && !IsOneChar(step.blank)) {
    fields.Fail(fields.Any("replacement").ErrorExpected("one character"));
  }
  fields.Any("str_rep");
  const bool prefixes = fields.Bool("add_prefix_space", true);
  const Prefix fallback = prefixes ? Prefix::kAlways : Prefix::kNever;
  step.prefix = static_cast<Prefix>(
      fields.Choice("prepend_scheme", static_cast<size_t>(fallback), "always, first, never"));
  step.splits = fields.Bool("split", true);
}

// "trim_offsets" is for the post-processor of the same name.
void ReadByteLevel(JsonFields& fields, Step& step) {
  step.kind = Kind::kByteLevel;
  step.prefix = fields.Bool("add_prefix_space", true) ? Prefix::kAlways : Prefix::kNever;
  fields.Bool("trim_offsets", true);
  step.splits = fields.Bool("use_regex", true);
}

struct Type {
  std::string_view name;
  void (*read)(JsonFields&, Step&);
  // Takes white space out, so that what follows in the list works on words.
  bool splits_white_space;
};

constexpr Type kTypes[] = {
    {"BertPreTokenizer", ReadPlain<Kind::kBert>, true},
    {"Whitespace", ReadPlain<Kind::kWords>, true},
    {"WhitespaceSplit", ReadWhitespaceSplit, true},
    {"Punctuation", ReadPunctuation, false},
    {"Split", ReadSplit, false},
    {"CharDelimiterSplit", ReadDelimiter, false},
    {"Digits", ReadDigits, false},
    {"Metaspace", ReadMetaspace, false},
    {"ByteLevel", ReadByteLevel, false},
};
constexpr std::string_view kSupported =
    "BertPreTokenizer, Whitespace, WhitespaceSplit, Punctuation, Split, CharDelimiterSplit, "
    "Digits, Metaspace, ByteLevel, Sequence";

// The text that the next step may write.
AlignedText& OtherText(PreTokenized& words) {
  AlignedText& other = words.changed[words.text == &words.changed[0]];
  other.Clear();
  return other;
}

// Blanks become visible ones, and where there is none in front, one is set there. It has the place
// of the first character.
void ShowBlanks(const Step& step, PreTokenized& words) {
  const AlignedText& in = *words.text;
  AlignedText& out = OtherText(words);
  words.other_pieces.clear();
  for (const Piece& piece : words.pieces) {
    const std::string_view text = in.text().substr(piece.begin, piece.end - piece.begin);
    const SourceChar* const sources = in.sources() + piece.begin;
    const auto begin = static_cast<uint32_t>(out.size());
    const bool wanted = step.prefix == Prefix::kAlways ||
                        (step.prefix == Prefix::kFirst && SourceBegin(sources[0]) == 0);
    if (wanted && text[0] != ' ' && !text.starts_with(step.blank)) {
      out.AppendText(step.blank, sources[0]);
    }
    for (size_t at = 0; at < text.size();) {
      const size_t blank = std::min(text.find(' ', at), text.size());
      out.Reserve(blank - at);
      out.WriteFrom(in, piece.begin + at, piece.begin + blank);
      if (blank < text.size()) out.AppendText(step.blank, sources[blank]);
      at = blank + 1;
    }
    words.other_pieces.push_back({begin, static_cast<uint32_t>(out.size())});
  }
  words.text = &out;
  std::swap(words.pieces, words.other_pieces);
}

// A blank is set before each piece that has none.
void SetBlanks(PreTokenized& words) {
  const AlignedText& in = *words.text;
  AlignedText& out = OtherText(words);
  for (Piece& piece : words.pieces) {
    const auto begin = static_cast<uint32_t>(out.size());
    out.Reserve(size_t{1} + piece.end - piece.begin);
    if (in.bytes()[piece.begin] != ' ') out.WriteAscii(' ', in.sources()[piece.begin]);
    out.WriteFrom(in, piece.begin, piece.end);
    piece = {begin, static_cast<uint32_t>(out.size())};
  }
  words.text = &out;
}

Status SplitAtPattern(const Step& step, const Piece& piece, PreTokenized& words,
                      Splitter& splitter) {
  words.matches.clear();
  const std::string_view text = words.text->text().substr(piece.begin, piece.end - piece.begin);
  PB_RETURN_IF_ERROR(step.pattern.FindAll(text, words.matches));
  splitter.Start();
  uint32_t since = piece.begin;
  for (const Piece& match : words.matches) {
    splitter.Add({since, piece.begin + match.begin}, false);
    splitter.Add({piece.begin + match.begin, piece.begin + match.end}, true);
    since = piece.begin + match.end;
  }
  splitter.Add({since, piece.end}, false);
  splitter.Finish();
  return Done{};
}

Status SplitPieces(const Step& step, PreTokenized& words) {
  std::vector<Piece>& out = words.other_pieces;
  out.clear();
  const std::string_view text = words.text->text();
  Splitter splitter(step.behavior, step.invert, out);
  Splitter blank_splitter(SplitBehavior::kMergedWithNext, false, out);
  for (const Piece& piece : words.pieces) {
    switch (step.kind) {
      case Kind::kBert: SplitBert(text, piece, out); break;
      case Kind::kWords: SplitWords(text, piece, out); break;
      case Kind::kClass: SplitAtClass(text, piece, step.class_bits, splitter); break;
      case Kind::kPattern:
        PB_RETURN_IF_ERROR(SplitAtPattern(step, piece, words, splitter));
        break;
      case Kind::kMetaspace: SplitAtLiteral(text, piece, step.blank, blank_splitter); break;
      case Kind::kByteLevel: SplitGpt2(text, piece, out); break;
    }
  }
  std::swap(words.pieces, words.other_pieces);
  return Done{};
}

}  // namespace

Result<PreTokenizer> PreTokenizer::FromJson(Json json) {
  PreTokenizer pre_tokenizer;
  if (!json.is_null()) PB_RETURN_IF_ERROR(pre_tokenizer.Add(json));
  return pre_tokenizer;
}

// Recurses at most as deep as ParseJson lets brackets nest.
Status PreTokenizer::Add(Json json) {
  JsonFields fields(json);
  const std::string_view name = fields.RequiredString("type");
  if (name == "Sequence") {
    const Json list = fields.RequiredArray("pretokenizers");
    PB_RETURN_IF_ERROR(fields.Finish());
    for (Json item : list.Items()) PB_RETURN_IF_ERROR(Add(item));
    return Done{};
  }
  for (const Type& type : kTypes) {
    if (type.name != name) continue;
    if (is_byte_level()) {
      return UnsupportedError(Message(json.Path()) +
                              " comes after ByteLevel, which is supported as the last step only");
    }
    const bool is_first = steps_.empty();
    type.read(fields, steps_.emplace_back());
    if (is_first && type.splits_white_space) {
      parts_ = Parts::kBehindWhiteSpace;
    } else if (is_first && is_byte_level() && steps_[0].splits) {
      parts_ = Parts::kBeforeBlank;
    }
    return fields.Finish();
  }
  PB_RETURN_IF_ERROR(fields.FinishOpen());
  return UnsupportedComponent(json.FindOrNull("type"), kSupported);
}

bool PreTokenizer::is_bert() const { return steps_.size() == 1 && steps_[0].kind == Kind::kBert; }

bool PreTokenizer::is_byte_level() const {
  return !steps_.empty() && steps_.back().kind == Kind::kByteLevel;
}

Status PreTokenizer::Apply(PreTokenized& words) const {
  for (const Step& step : steps_) {
    if (step.kind == Kind::kMetaspace) ShowBlanks(step, words);
    if (step.kind == Kind::kByteLevel && step.prefix == Prefix::kAlways) SetBlanks(words);
    if (step.splits) PB_RETURN_IF_ERROR(SplitPieces(step, words));
  }
  return Done{};
}

}  // namespace pocketbert
