#include "text/component_json.h"

#include <utility>

namespace pocketbert {

ErrorBox UnsupportedComponent(Json value, std::string_view supported) {
  return UnsupportedError(Message(value.Path()) + " is " + value.Describe() +
                          ", which is not supported (supported: " + supported + ")");
}

Status TextPattern::FindAll(std::string_view text, std::vector<Piece>& places) const {
  if (!regex.empty()) return regex[0].FindAll(text, places);
  for (size_t at = text.find(literal); at != std::string_view::npos; at = text.find(literal, at)) {
    places.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(at + literal.size())});
    at += literal.size();
  }
  return Done{};
}

TextPattern ReadPattern(JsonFields& fields, const char* key) {
  TextPattern pattern;
  const Json json = fields.Any(key);
  if (json.is_object()) {
    JsonFields inner(json);
    if (const Json regex = inner.Any("Regex"); !regex.is_null()) {
      const std::string_view text = inner.RequiredString("Regex");
      Result<Regex> compiled = Regex::Compile(text);
      if (compiled.ok()) {
        pattern.regex.push_back(std::move(compiled).value());
      } else {
        inner.Fail(std::move(compiled).TakeError());
      }
    } else {
      pattern = ReadPattern(inner, "String");
    }
    if (Status status = inner.Finish(); !status.ok()) fields.Fail(std::move(status).TakeError());
    return pattern;
  }
  pattern.literal = fields.RequiredString(key);
  if (fields.ok() && pattern.literal.empty()) {
    fields.Fail(UnsupportedError(Message(json.Path()) + " is empty; it would match anywhere"));
  }
  return pattern;
}

}  // namespace pocketbert
