#include "text/component_json.h"

#include <algorithm>

namespace pocketbert {

Status CheckKnownKeys(Json component, std::initializer_list<std::string_view> known) {
  for (auto [key, value] : component.Members()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return UnsupportedError(Message(value.Path()) + " (" + value.Describe() +
                              ") is an option that is not supported");
    }
  }
  return Done{};
}

ErrorBox UnsupportedComponent(Json value, std::string_view supported) {
  return UnsupportedError(Message(value.Path()) + " is " + value.Describe() +
                          ", which is not supported (supported: " + supported + ")");
}

Result<std::string_view> ReadStringPattern(Json component, std::string_view key) {
  PB_ASSIGN_OR_RETURN(Json pattern, component.Get(key));
  if (pattern.is_object() && pattern.size() == 1 && pattern.Find("Regex")) {
    return UnsupportedError(Message(pattern.Path()) + " is the regular expression " +
                            pattern.Find("Regex")->Describe() +
                            "; only patterns of the form {\"String\": …} are supported");
  }
  // Older files give the literal itself.
  if (!pattern.is_string()) {
    PB_RETURN_IF_ERROR(pattern.AsObject());
    PB_RETURN_IF_ERROR(CheckKnownKeys(pattern, {"String"}));
    PB_ASSIGN_OR_RETURN(pattern, pattern.Get("String"));
  }
  PB_ASSIGN_OR_RETURN(std::string_view literal, pattern.AsString());
  if (literal.empty()) {
    return UnsupportedError(Message(pattern.Path()) + " is empty; it would match anywhere");
  }
  return literal;
}

}  // namespace pocketbert
