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
#include "text/charsmap.h"
#include "text/component_json.h"
#include "text/normal_forms.h"

namespace pocketbert {

class Normalizer {
 public:
  // Supported types: BertNormalizer, Lowercase, NFC, NFD, NFKC, NFKD, StripAccents, Strip, Replace,
  // Prepend, Nmt, Precompiled (a null charsmap: no step), Sequence. Others, and options unknown
  // here, are refused by name. A charsmap is told by its place in `charsmaps`.
  static Result<Normalizer> FromJson(Json json, std::vector<std::string> charsmaps = {});

  // Normalizes `text` in place; `other` is scratch. Error (kTooLong): a pattern that takes too many
  // steps on it.
  Status Apply(AlignedText& text, AlignedText& other) const;

  // A text parted behind a blank, tab or line end and normalized by parts gives the same parts, if
  // each of them begins with a character that may.
  bool works_on_parts() const { return works_on_parts_; }
  bool MayBeginPart(char32_t c) const;

  // White space stays what and where it is, and nothing else becomes any.
  bool keeps_blanks() const { return keeps_blanks_; }

  // Bytes of the charsmaps, in order.
  std::vector<std::string_view> charsmaps() const;

  // The one step, if it is BERT's; else null.
  const BertNormalizer* bert() const;

  // For a single text, without places.
  Result<std::string> Normalize(std::string_view text) const;

  struct Step;

 private:
  Status Add(Json json, std::vector<std::string>& charsmaps);
  Status AddCharsmap(Json json, std::vector<std::string>& charsmaps);

  std::vector<Step> steps_;
  bool works_on_parts_ = true;
  bool keeps_blanks_ = true;
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
    kNmt,
    kCharsmap,
  };
  Kind kind = Kind::kBert;
  NormalForm form = NormalForm::kNfd;  // kForm
  bool left = false;                   // kStrip
  bool right = false;                  // kStrip
  TextPattern pattern = {};            // kReplace
  std::string content = {};            // kReplace, kPrepend
  std::vector<BertNormalizer> bert = {};  // kBert: one
  std::vector<Charsmap> charsmap = {};    // kCharsmap: one
};

}  // namespace pocketbert
