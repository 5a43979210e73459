#include "text/component_json.h"

namespace pocketbert {

ErrorBox UnsupportedComponent(Json value, std::string_view supported) {
  return UnsupportedError(Message(value.Path()) + " is " + value.Describe() +
                          ", which is not supported (supported: " + supported + ")");
}

std::string_view ReadStringPattern(JsonFields& fields, const char* key) {
  const Json pattern = fields.Any(key);
  // Older files give the literal itself.
  if (!pattern.is_object()) {
    const std::string_view literal = fields.RequiredString(key);
    if (fields.ok() && literal.empty()) {
      fields.Fail(UnsupportedError(Message(pattern.Path()) + " is empty; it would match anywhere"));
    }
    return literal;
  }
  if (const Json regex = pattern.FindOrNull("Regex"); !regex.is_null()) {
    fields.Fail(UnsupportedError(Message(pattern.Path()) + " is the regular expression " +
                                 regex.Describe() +
                                 "; only patterns of the form {\"String\": …} are supported"));
    return {};
  }
  JsonFields inner(pattern);
  const std::string_view literal = ReadStringPattern(inner, "String");
  if (Status status = inner.Finish(); !status.ok()) fields.Fail(std::move(status).TakeError());
  return literal;
}

}  // namespace pocketbert
