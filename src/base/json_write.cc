#include <utility>

#include "base/decimal.h"
#include "base/json_storage.h"

namespace pocketbert {

JsonWriter& JsonWriter::Begin(char bracket) {
  Separate();
  text_.push_back(bracket);
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::End(char bracket) {
  text_.push_back(bracket);
  needs_comma_ = true;
  return *this;
}

void JsonWriter::Separate() {
  if (needs_comma_) text_.push_back(',');
  needs_comma_ = true;
}

void JsonWriter::Quote(std::string_view value) {
  text_.push_back('"');
  for (const char c : value) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '"' || c == '\\') {
      text_.push_back('\\');
      text_.push_back(c);
    } else if (byte < 0x20) {
      constexpr char kHex[] = "0123456789abcdef";
      text_.append("\\u00").append({kHex[byte >> 4], kHex[byte & 15]});
    } else {
      text_.push_back(c);
    }
  }
  text_.push_back('"');
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  Quote(key);
  text_.push_back(':');
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view value) {
  Separate();
  Quote(value);
  return *this;
}

JsonWriter& JsonWriter::Key(const char* key) { return Key(std::string_view(key)); }

JsonWriter& JsonWriter::String(const char* value) { return String(std::string_view(value)); }

JsonWriter& JsonWriter::Int(int64_t value) {
  Separate();
  text_.append(std::to_string(value));
  return *this;
}

JsonWriter& JsonWriter::Double(double value) {
  if (value - value != 0) return Null();
  Separate();
  const std::string digits = FormatDecimal(value, 9);
  text_.append(ParseDecimal(digits) == value ? digits : FormatDecimal(value, 17));
  return *this;
}

JsonWriter& JsonWriter::Bool(bool value) {
  Separate();
  text_.append(value ? "true" : "false");
  return *this;
}

JsonWriter& JsonWriter::Null() {
  Separate();
  text_.append("null");
  return *this;
}

// Recurses at most as deep as ParseJson lets brackets nest.
JsonWriter& JsonWriter::Value(Json value) {
  switch (value.kind()) {
    case JsonKind::kString: return String(value.StringValue());
    case JsonKind::kArray:
      BeginArray();
      for (Json item : value.Items()) Value(item);
      return EndArray();
    case JsonKind::kObject:
      BeginObject();
      for (auto [key, member] : value.Members()) Key(key).Value(member);
      return EndObject();
    case JsonKind::kDouble:
      Separate();
      text_.append(value.StringValue());
      return *this;
    default:
      Separate();
      text_.append(value.Describe());
      return *this;
  }
}

std::string WriteJson(Json value) {
  JsonWriter writer;
  writer.Value(value);
  return writer.TakeText();
}

}  // namespace pocketbert
