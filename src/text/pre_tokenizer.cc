#include "text/pre_tokenizer.h"

#include <utility>

#include "text/component_json.h"
#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

using Step = PreTokenizer::Step;
using Kind = Step::Kind;

// In the order of SplitBehavior.
constexpr char kBehaviors[] =
    "Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous";

SplitBehavior ReadBehavior(JsonFields& fields, SplitBehavior fallback) {
  return static_cast<SplitBehavior>(
      fields.Choice("behavior", static_cast<size_t>(fallback), kBehaviors));
}

template <Kind kind>
Step ReadPlain(JsonFields&) {
  return Step{kind};
}

Step ReadWhitespaceSplit(JsonFields&) {
  Step step{Kind::kClass};
  step.class_bits = kWhiteSpace;
  return step;
}

Step ReadPunctuation(JsonFields& fields) {
  Step step{Kind::kClass};
  step.class_bits = kPunctuation;
  step.behavior = ReadBehavior(fields, SplitBehavior::kIsolated);
  return step;
}

Step ReadDigits(JsonFields& fields) {
  Step step{Kind::kClass};
  step.class_bits = kNumeric;
  step.behavior = fields.Bool("individual_digits", false) ? SplitBehavior::kIsolated
                                                          : SplitBehavior::kContiguous;
  return step;
}

Step ReadSplit(JsonFields& fields) {
  Step step{Kind::kLiteral};
  step.literal = ReadStringPattern(fields, "pattern");
  fields.RequiredString("behavior");
  step.behavior = ReadBehavior(fields, SplitBehavior::kRemoved);
  step.invert = fields.Bool("invert", false);
  return step;
}

Step ReadDelimiter(JsonFields& fields) {
  Step step{Kind::kLiteral};
  step.literal = fields.RequiredString("delimiter");
  const char* at = step.literal.data();
  if (fields.ok() &&
      (step.literal.empty() || (ReadUtf8(at), at != step.literal.data() + step.literal.size()))) {
    fields.Fail(fields.Any("delimiter").ErrorExpected("one character"));
  }
  return step;
}

struct Type {
  std::string_view name;
  Step (*read)(JsonFields&);
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
};
constexpr std::string_view kSupported =
    "BertPreTokenizer, Whitespace, WhitespaceSplit, Punctuation, Split, CharDelimiterSplit, "
    "Digits, Sequence";

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
    if (steps_.empty()) works_on_parts_ = type.splits_white_space;
    steps_.push_back(type.read(fields));
    return fields.Finish();
  }
  PB_RETURN_IF_ERROR(fields.FinishOpen());
  return UnsupportedComponent(json.FindOrNull("type"), kSupported);
}

bool PreTokenizer::is_bert() const { return steps_.size() == 1 && steps_[0].kind == Kind::kBert; }

void PreTokenizer::Apply(std::string_view text, std::vector<Piece>& pieces,
                         std::vector<Piece>& other) const {
  for (const Step& step : steps_) {
    other.clear();
    Splitter splitter(step.behavior, step.invert, other);
    for (const Piece& piece : pieces) {
      switch (step.kind) {
        case Kind::kBert: SplitBert(text, piece, other); break;
        case Kind::kWords: SplitWords(text, piece, other); break;
        case Kind::kClass: SplitAtClass(text, piece, step.class_bits, splitter); break;
        case Kind::kLiteral: SplitAtLiteral(text, piece, step.literal, splitter); break;
      }
    }
    std::swap(pieces, other);
  }
}

}  // namespace pocketbert
