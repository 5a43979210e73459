#include "base/json.h"

#include <algorithm>
#include <utility>

#include "base/decimal.h"
#include "base/json_storage.h"
#include "base/sort.h"

namespace pocketbert {
namespace {

using Kind = JsonKind;

constexpr size_t kLongestShown = 40;  // bytes of a string shown in messages

std::string IntText(int64_t value) { return std::to_string(value); }

std::string UintText(uint64_t value) { return std::to_string(value); }

std::string QuotedForMessage(std::string_view text) {
  if (text.size() <= kLongestShown) return "\"" + std::string(text) + "\"";
  size_t cut = kLongestShown;
  while (cut > 0 && (static_cast<uint8_t>(text[cut]) & 0xC0) == 0x80) --cut;
  return "\"" + std::string(text.substr(0, cut)) + "…\"";
}

}  // namespace

Json::ItemRange Json::Items() const {
  if (!is_array()) return {Json(), Json()};
  return {Json(storage_, node_ + 1), Json(storage_, Next())};
}

Json::MemberRange Json::Members() const {
  if (!is_object()) return {Json(), Json()};
  return {Json(storage_, node_ + 1), Json(storage_, Next())};
}

JsonKind Json::kind() const { return storage_ ? storage_->nodes[node_].kind : Kind::kNull; }

uint32_t Json::Next() const { return storage_->nodes[node_].next; }

std::string_view Json::StringValue() const { return storage_->Text(storage_->nodes[node_]); }

size_t Json::size() const {
  return is_array() || is_object() ? storage_->nodes[node_].container.count : 0;
}

std::string Json::Path() const {
  if (!storage_) return "null";
  std::string path;
  Json at(storage_, 0);
  while (at.node_ != node_) {
    Json next;
    if (at.is_object()) {
      for (auto [key, value] : at.Members()) {
        if (node_ < value.Next()) {
          path.append(path.empty() ? "" : ".").append(key);
          next = value;
          break;
        }
      }
    } else {
      size_t index = 0;
      for (Json item : at.Items()) {
        if (node_ < item.Next()) {
          path.append("[").append(UintText(index)).append("]");
          next = item;
          break;
        }
        ++index;
      }
    }
    PB_CHECK(next.storage_);
    at = next;
  }
  if (path.empty()) return storage_->name;
  return storage_->name.empty() ? path : storage_->name + ": " + path;
}

std::string Json::Describe() const {
  switch (kind()) {
    case Kind::kNull: return "null";
    case Kind::kBool: return storage_->nodes[node_].boolean ? "true" : "false";
    case Kind::kInt: return IntText(storage_->nodes[node_].integer);
    case Kind::kUint: return UintText(storage_->nodes[node_].unsigned_integer);
    case Kind::kDouble: return std::string(StringValue().substr(0, kLongestShown));
    case Kind::kString: return QuotedForMessage(StringValue());
    case Kind::kArray: return "an array of " + UintText(size());
    case Kind::kObject: return "an object";
  }
  PB_CHECK(false && "unknown kind of JSON value");
}

ErrorBox Json::ErrorExpected(std::string_view expected) const {
  return FormatError(Message(Path()) + " is " + Describe() + ", expected " + expected);
}

Result<bool> Json::AsBool() const {
  if (kind() != Kind::kBool) return ErrorExpected("true or false");
  return storage_->nodes[node_].boolean;
}

Result<int64_t> Json::AsInt(int64_t min, int64_t max) const {
  bool whole = false;
  int64_t value = 0;
  if (kind() == Kind::kInt) {
    whole = true;
    value = storage_->nodes[node_].integer;
  } else if (kind() == Kind::kDouble) {
    const double number = ParseDecimal(StringValue());
    // Doubles below 2^53 in size hold whole numbers exactly.
    if (number > -9007199254740992.0 && number < 9007199254740992.0) {
      value = static_cast<int64_t>(number);
      whole = static_cast<double>(value) == number;
    }
  }
  if (whole && value >= min && value <= max) return value;
  if (min == INT64_MIN && max == INT64_MAX) return ErrorExpected("an integer");
  if (max == INT64_MAX) return ErrorExpected("an integer, at least " + IntText(min));
  return ErrorExpected("an integer in " + IntText(min) + " … " + IntText(max));
}

Result<double> Json::AsDouble() const {
  switch (kind()) {
    case Kind::kInt: return static_cast<double>(storage_->nodes[node_].integer);
    case Kind::kUint: return static_cast<double>(storage_->nodes[node_].unsigned_integer);
    case Kind::kDouble: return ParseDecimal(StringValue());
    default: return ErrorExpected("a number");
  }
}

Result<std::string_view> Json::AsString() const {
  if (!is_string()) return ErrorExpected("a string");
  return StringValue();
}

Result<Json> Json::AsArray() const {
  if (!is_array()) return ErrorExpected("an array");
  return *this;
}

Result<Json> Json::AsObject() const {
  if (!is_object()) return ErrorExpected("an object");
  return *this;
}

std::optional<Json> Json::Find(std::string_view key) const {
  if (!is_object()) return std::nullopt;
  const uint32_t index = storage_->nodes[node_].container.index;
  if (index == 0) {
    std::optional<Json> found;
    for (auto [name, value] : Members()) {
      if (name == key) found = value;
    }
    return found;
  }
  const auto begin = storage_->sorted_keys.begin() + (index - 1);
  const auto end = begin + storage_->nodes[node_].container.count;
  const auto before = [this](std::string_view wanted, uint32_t node) {
    return wanted < storage_->Text(storage_->nodes[node]);
  };
  const auto after = std::upper_bound(begin, end, key, before);
  if (after == begin || storage_->Text(storage_->nodes[after[-1]]) != key) return std::nullopt;
  return Json(storage_, after[-1] + 1);
}

Json Json::FindOrNull(std::string_view key) const {
  const std::optional<Json> found = Find(key);
  return found ? *found : Json();
}

std::optional<std::string_view> Json::DuplicateKey() const {
  if (!is_object()) return std::nullopt;
  std::vector<std::string_view> keys;
  keys.reserve(size());
  for (auto [key, value] : Members()) keys.push_back(key);
  SortStably(keys, [](std::string_view a, std::string_view b) { return a < b; });
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice == keys.end()) return std::nullopt;
  return *twice;
}

Result<Json> Json::Get(std::string_view key) const {
  if (!is_object()) return ErrorExpected("an object with \"" + std::string(key) + "\"");
  const std::optional<Json> found = Find(key);
  if (!found) return FormatError(Message(Path()) + " has no \"" + key + "\"");
  return *found;
}

Result<bool> Json::GetBool(std::string_view key) const {
  PB_ASSIGN_OR_RETURN(Json value, Get(key));
  return value.AsBool();
}

Result<int64_t> Json::GetInt(std::string_view key, int64_t min, int64_t max) const {
  PB_ASSIGN_OR_RETURN(Json value, Get(key));
  return value.AsInt(min, max);
}

Result<double> Json::GetDouble(std::string_view key) const {
  PB_ASSIGN_OR_RETURN(Json value, Get(key));
  return value.AsDouble();
}

Result<std::string_view> Json::GetString(std::string_view key) const {
  PB_ASSIGN_OR_RETURN(Json value, Get(key));
  return value.AsString();
}

Result<Json> Json::GetArray(std::string_view key) const {
  PB_ASSIGN_OR_RETURN(Json value, Get(key));
  return value.AsArray();
}

Result<Json> Json::GetObject(std::string_view key) const {
  PB_ASSIGN_OR_RETURN(Json value, Get(key));
  return value.AsObject();
}

Result<bool> Json::BoolOr(std::string_view key, bool fallback) const {
  const Json value = FindOrNull(key);
  return value.is_null() ? Result<bool>(fallback) : value.AsBool();
}

Result<int64_t> Json::IntOr(std::string_view key, int64_t fallback, int64_t min,
                            int64_t max) const {
  const Json value = FindOrNull(key);
  return value.is_null() ? Result<int64_t>(fallback) : value.AsInt(min, max);
}

Result<double> Json::DoubleOr(std::string_view key, double fallback) const {
  const Json value = FindOrNull(key);
  return value.is_null() ? Result<double>(fallback) : value.AsDouble();
}

Result<std::string_view> Json::StringOr(std::string_view key, std::string_view fallback) const {
  const Json value = FindOrNull(key);
  return value.is_null() ? Result<std::string_view>(fallback) : value.AsString();
}

// ---- The same with C strings as keys

std::optional<Json> Json::Find(const char* key) const {
  return Find(std::string_view(key));
}

Json Json::FindOrNull(const char* key) const {
  return FindOrNull(std::string_view(key));
}

Result<Json> Json::Get(const char* key) const {
  return Get(std::string_view(key));
}

Result<bool> Json::GetBool(const char* key) const {
  return GetBool(std::string_view(key));
}

Result<int64_t> Json::GetInt(const char* key, int64_t min, int64_t max) const {
  return GetInt(std::string_view(key), min, max);
}

Result<double> Json::GetDouble(const char* key) const {
  return GetDouble(std::string_view(key));
}

Result<std::string_view> Json::GetString(const char* key) const {
  return GetString(std::string_view(key));
}

Result<Json> Json::GetArray(const char* key) const {
  return GetArray(std::string_view(key));
}

Result<Json> Json::GetObject(const char* key) const {
  return GetObject(std::string_view(key));
}

Result<bool> Json::BoolOr(const char* key, bool fallback) const {
  return BoolOr(std::string_view(key), fallback);
}

Result<int64_t> Json::IntOr(const char* key, int64_t fallback, int64_t min, int64_t max) const {
  return IntOr(std::string_view(key), fallback, min, max);
}

Result<double> Json::DoubleOr(const char* key, double fallback) const {
  return DoubleOr(std::string_view(key), fallback);
}

Result<std::string_view> Json::StringOr(const char* key, const char* fallback) const {
  return StringOr(std::string_view(key), std::string_view(fallback));
}

ErrorBox Json::ErrorExpected(const char* expected) const {
  return ErrorExpected(std::string_view(expected));
}

}  // namespace pocketbert
