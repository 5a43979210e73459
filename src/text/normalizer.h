#pragma once
// Normalizer: the list of steps of tokenizer.json's "normalizer" (a Sequence is laid flat, null is
// the empty list).

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/aligned_text.h"
#include "text/bert_normalizer.h"
#include "text/normal_forms.h"

namespace pocketbert {

class Normalizer {
 public:
  // Supported types: BertNormalizer, Lowercase, NFC, NFD, NFKC, NFKD, StripAccents, Strip, Replace
  // (of a literal), Prepend, Sequence. Others, and options unknown here, are refused by name.
  static Result<Normalizer> FromJson(Json json);

  // Normalizes `text` in place; `other` is scratch.
  void Apply(AlignedText& text, AlignedText& other) const;

  // A text parted behind a blank, tab or line end and normalized by parts gives the same parts.
  bool works_on_parts() const { return works_on_parts_; }

  // The one step, if it is BERT's; else null.
  const BertNormalizer* bert() const;

  // For a single text, without places.
  std::string Normalize(std::string_view text) const;

  struct Step;

 private:
  Status Add(Json json);

  std::vector<Step> steps_;
  bool works_on_parts_ = true;
};

struct Normalizer::Step {
  enum class Kind : uint8_t {
    kBert,
    kForm,
    kLowercase,
    kStripAccents,
    kStrip,
    kReplace,
    kPrepend,
  };
  Kind kind;
  NormalForm form = NormalForm::kNfd;  // kForm
  bool left = false;                   // kStrip
  bool right = false;                  // kStrip
  std::string pattern = {};            // kReplace
  std::string content = {};            // kReplace, kPrepend
  std::vector<BertNormalizer> bert = {};  // kBert: one
};

}  // namespace pocketbert
