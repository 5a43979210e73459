#pragma once
// Reading the components of a tokenizer.json, beyond what JsonFields does.

#include <string>
#include <string_view>
#include <vector>

#include "base/json_fields.h"
#include "text/regex.h"
#include "text/split.h"

namespace pocketbert {

// The error that this value is not among those computed here, e.g.
// `tokenizer.json: normalizer.type is "Precompiled", which is not supported (supported: …)`.
ErrorBox UnsupportedComponent(Json value, std::string_view supported);

// What Split and Replace look for: a literal, or a regular expression.
struct TextPattern {
  std::string literal = {};
  std::vector<Regex> regex = {};  // one, or none

  // Appends all places in `text`, from left to right, as byte ranges. Errors: see Regex.
  Status FindAll(std::string_view text, std::vector<Piece>& places) const;
};

// A member {"String": "literal"}, {"Regex": "pattern"} or, as in older files, the literal itself;
// what is not supported is refused by name, and so is an empty literal.
TextPattern ReadPattern(JsonFields& fields, const char* key);

}  // namespace pocketbert
