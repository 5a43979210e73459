#include "base/json_fields.h"

#include <utility>

namespace pocketbert {

JsonFields::JsonFields(Json json) : json_(json) {
  if (!json.is_object()) Fail(json.ErrorExpected("an object"));
}

void JsonFields::Fail(ErrorBox&& error) {
  if (!error_.empty()) return;
  std::destroy_at(&error_);
  std::construct_at(&error_, std::move(error));
}

Json JsonFields::Read(const char* key) {
  PB_CHECK(asked_count_ < kMostKeys);
  asked_[asked_count_++] = key;
  return ok() ? json_.FindOrNull(key) : Json();
}

Json JsonFields::Require(const char* key) {
  const Json found = Read(key);
  if (found.is_null()) Fail(FormatError(Message(json_.Path()) + " has no \"" + key + "\""));
  return found;
}

template <typename T>
T JsonFields::Take(Result<T>&& result, T fallback) {
  if (result.ok()) return std::move(result).value();
  Fail(std::move(result).TakeError());
  return fallback;
}

bool JsonFields::Bool(const char* key, bool fallback) {
  const Json found = Read(key);
  return found.is_null() ? fallback : Take(found.AsBool(), fallback);
}

int64_t JsonFields::Int(const char* key, int64_t fallback, int64_t min, int64_t max) {
  const Json found = Read(key);
  return found.is_null() ? fallback : Take(found.AsInt(min, max), fallback);
}

double JsonFields::Double(const char* key, double fallback) {
  const Json found = Read(key);
  return found.is_null() ? fallback : Take(found.AsDouble(), fallback);
}

std::string_view JsonFields::String(const char* key, std::string_view fallback) {
  const Json found = Read(key);
  return found.is_null() ? fallback : Take(found.AsString(), fallback);
}

Json JsonFields::Any(const char* key) { return Read(key); }

Json JsonFields::Array(const char* key) {
  const Json found = Read(key);
  return found.is_null() ? found : Take(found.AsArray(), Json());
}

Json JsonFields::Object(const char* key) {
  const Json found = Read(key);
  return found.is_null() ? found : Take(found.AsObject(), Json());
}

std::string_view JsonFields::RequiredString(const char* key) {
  const Json found = Require(key);
  return found.is_null() ? std::string_view() : Take(found.AsString(), std::string_view());
}

int64_t JsonFields::RequiredInt(const char* key, int64_t min, int64_t max) {
  const Json found = Require(key);
  return found.is_null() ? min : Take(found.AsInt(min, max), min);
}

Json JsonFields::RequiredArray(const char* key) {
  const Json found = Require(key);
  return found.is_null() ? found : Take(found.AsArray(), Json());
}

Json JsonFields::RequiredObject(const char* key) {
  const Json found = Require(key);
  return found.is_null() ? found : Take(found.AsObject(), Json());
}

size_t JsonFields::Choice(const char* key, size_t fallback, const char* names) {
  const Json found = Read(key);
  if (found.is_null()) return fallback;
  const std::string_view text = Take(found.AsString(), std::string_view());
  std::string_view list = names;
  for (size_t place = 0; !list.empty(); ++place) {
    const std::string_view name = list.substr(0, list.find(", "));
    if (name == text) return place;
    list.remove_prefix(name.size() < list.size() ? name.size() + 2 : list.size());
  }
  if (ok()) {
    Fail(UnsupportedError(Message(found.Path()) + " is " + found.Describe() +
                          ", which is not supported (supported: " + names + ")"));
  }
  return fallback;
}

Status JsonFields::FinishOpen() {
  if (!ok()) return std::move(error_);
  return Done{};
}

Status JsonFields::Finish() {
  for (auto [key, value] : json_.Members()) {
    bool asked = !ok();
    for (size_t i = 0; i < asked_count_ && !asked; ++i) asked = key == asked_[i];
    if (!asked) {
      Fail(UnsupportedError(Message(value.Path()) + " (" + value.Describe() +
                            ") is an option that is not supported"));
    }
  }
  return FinishOpen();
}

}  // namespace pocketbert
