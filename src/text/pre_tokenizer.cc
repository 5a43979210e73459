#include "text/pre_tokenizer.h"

#include <utility>

#include "text/component_json.h"
#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

using Step = PreTokenizer::Step;
using Kind = Step::Kind;

struct BehaviorName {
  std::string_view name;
  SplitBehavior behavior;
};
constexpr BehaviorName kBehaviors[] = {
    {"Removed", SplitBehavior::kRemoved},
    {"Isolated", SplitBehavior::kIsolated},
    {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
    {"MergedWithNext", SplitBehavior::kMergedWithNext},
    {"Contiguous", SplitBehavior::kContiguous},
};

Result<SplitBehavior> ReadBehavior(Json json) {
  PB_ASSIGN_OR_RETURN(std::string_view name, json.AsString());
  for (const BehaviorName& known : kBehaviors) {
    if (known.name == name) return known.behavior;
  }
  return UnsupportedComponent(
      json, "Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous");
}

template <Kind kind>
Result<Step> ReadPlain(Json json) {
  PB_RETURN_IF_ERROR(CheckKnownKeys(json, {"type"}));
  return Step{kind};
}

Result<Step> ReadWhitespaceSplit(Json json) {
  PB_RETURN_IF_ERROR(CheckKnownKeys(json, {"type"}));
  Step step{Kind::kClass};
  step.class_bits = kWhiteSpace;
  return step;
}

Result<Step> ReadPunctuation(Json json) {
  PB_RETURN_IF_ERROR(CheckKnownKeys(json, {"type", "behavior"}));
  Step step{Kind::kClass};
  step.class_bits = kPunctuation;
  step.behavior = SplitBehavior::kIsolated;
  if (const Json behavior = json.FindOrNull("behavior"); !behavior.is_null()) {
    PB_ASSIGN_OR_RETURN(step.behavior, ReadBehavior(behavior));
  }
  return step;
}

Result<Step> ReadDigits(Json json) {
  PB_RETURN_IF_ERROR(CheckKnownKeys(json, {"type", "individual_digits"}));
  Step step{Kind::kClass};
  step.class_bits = kNumeric;
  PB_ASSIGN_OR_RETURN(bool individual, json.BoolOr("individual_digits", false));
  step.behavior = individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous;
  return step;
}

Result<Step> ReadSplit(Json json) {
  PB_RETURN_IF_ERROR(CheckKnownKeys(json, {"type", "pattern", "behavior", "invert"}));
  Step step{Kind::kLiteral};
  PB_ASSIGN_OR_RETURN(step.literal, ReadStringPattern(json, "pattern"));
  PB_ASSIGN_OR_RETURN(Json behavior, json.Get("behavior"));
  PB_ASSIGN_OR_RETURN(step.behavior, ReadBehavior(behavior));
  PB_ASSIGN_OR_RETURN(step.invert, json.BoolOr("invert", false));
  return step;
}

Result<Step> ReadDelimiter(Json json) {
  PB_RETURN_IF_ERROR(CheckKnownKeys(json, {"type", "delimiter"}));
  Step step{Kind::kLiteral};
  PB_ASSIGN_OR_RETURN(step.literal, json.GetString("delimiter"));
  const char* at = step.literal.data();
  if (step.literal.empty() || (ReadUtf8(at), at != step.literal.data() + step.literal.size())) {
    return json.FindOrNull("delimiter").ErrorExpected("one character");
  }
  return step;
}

struct Type {
  std::string_view name;
  Result<Step> (*read)(Json);
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
  PB_ASSIGN_OR_RETURN(std::string_view name, json.GetString("type"));
  if (name == "Sequence") {
    PB_RETURN_IF_ERROR(CheckKnownKeys(json, {"type", "pretokenizers"}));
    PB_ASSIGN_OR_RETURN(Json list, json.GetArray("pretokenizers"));
    for (Json item : list.Items()) PB_RETURN_IF_ERROR(Add(item));
    return Done{};
  }
  for (const Type& type : kTypes) {
    if (type.name != name) continue;
    PB_ASSIGN_OR_RETURN(Step step, type.read(json));
    if (steps_.empty()) works_on_parts_ = type.splits_white_space;
    steps_.push_back(std::move(step));
    return Done{};
  }
  return UnsupportedComponent(json.FindOrNull("type"), kSupported);
}

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
