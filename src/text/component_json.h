#pragma once
// Reading the components of a tokenizer.json, beyond what JsonFields does.

#include <string_view>

#include "base/json_fields.h"

namespace pocketbert {

// The error that this value is not among those computed here, e.g.
// `tokenizer.json: normalizer.type is "Precompiled", which is not supported (supported: …)`.
ErrorBox UnsupportedComponent(Json value, std::string_view supported);

// The literal of a member {"String": "literal"}; {"Regex": …} is refused by name, and so is an
// empty literal.
std::string_view ReadStringPattern(JsonFields& fields, const char* key);

}  // namespace pocketbert
