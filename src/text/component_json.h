#pragma once
// Reading the components of a tokenizer.json: a table of types, and strict keys.

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/json.h"

namespace pocketbert {

// An error of code kUnsupported if `component` has a key that is not among `known`.
Status CheckKnownKeys(Json component, std::initializer_list<std::string_view> known);

// The error that this component, with that value, is not among those computed here, e.g.
// `tokenizer.json: normalizer.type is "Precompiled", which is not supported (supported: …)`.
ErrorBox UnsupportedComponent(Json value, std::string_view supported);

// The literal of {"String": "literal"}; {"Regex": …} is refused by name, and so is an empty
// literal.
Result<std::string_view> ReadStringPattern(Json component, std::string_view key);

}  // namespace pocketbert
