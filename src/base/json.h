#pragma once
// JSON text to a read-only tree, and values back to compact JSON text.
//
// A `JsonDocument` owns the parsed text; a `Json` is a view of one value in it, cheap to copy and
// valid as long as the document lives (moving the document keeps its views valid).
//
//   PB_ASSIGN_OR_RETURN(JsonDocument document, ParseJson(bytes, "config.json"));
//   Json config = document.root();
//   PB_ASSIGN_OR_RETURN(int64_t layers, config.GetInt("num_hidden_layers", 1, 1000));
//   // on failure: config.json: num_hidden_layers is "six", expected an integer in 1 … 1000
//
// Members keep their order. Of equal keys in one object the last wins, as in Python;
// `DuplicateKey` tells where that matters. Nesting deeper than 128 is refused.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pocketbert {

enum class JsonKind : uint8_t { kNull, kBool, kInt, kUint, kDouble, kString, kArray, kObject };

struct JsonStorage;  // json.cc

// One value of a document. The members of an array or object are walked with a range-for:
//
//   for (Json item : array.Items()) …
//   for (auto [key, value] : object.Members()) …
class Json {
 public:
  // A null that belongs to no document.
  Json() = default;

  JsonKind kind() const;
  bool is_null() const { return kind() == JsonKind::kNull; }
  bool is_string() const { return kind() == JsonKind::kString; }
  bool is_array() const { return kind() == JsonKind::kArray; }
  bool is_object() const { return kind() == JsonKind::kObject; }
  bool is_number() const {
    return kind() == JsonKind::kInt || kind() == JsonKind::kUint || kind() == JsonKind::kDouble;
  }

  // Items of an array, members of an object, 0 for all others.
  size_t size() const;

  // This value as the named type, else an error of code kFormat that names file, key path, the
  // value found and what was expected. Strings are UTF-8. AsInt also takes whole numbers written
  // as 512.0.
  Result<bool> AsBool() const;
  Result<int64_t> AsInt(int64_t min = INT64_MIN, int64_t max = INT64_MAX) const;
  Result<double> AsDouble() const;
  Result<std::string_view> AsString() const;
  Result<Json> AsArray() const;
  Result<Json> AsObject() const;

  // The member `key`, if this is an object that has it. Logarithmic in the number of members.
  std::optional<Json> Find(std::string_view key) const;
  // The member `key` if it is there and not null, else a null.
  Json FindOrNull(std::string_view key) const;

  // The member `key`, which must be there.
  Result<Json> Get(std::string_view key) const;
  Result<bool> GetBool(std::string_view key) const;
  Result<int64_t> GetInt(std::string_view key, int64_t min = INT64_MIN,
                         int64_t max = INT64_MAX) const;
  Result<double> GetDouble(std::string_view key) const;
  Result<std::string_view> GetString(std::string_view key) const;
  Result<Json> GetArray(std::string_view key) const;
  Result<Json> GetObject(std::string_view key) const;

  // The member `key`, or `fallback` if it is absent or null.
  Result<bool> BoolOr(std::string_view key, bool fallback) const;
  Result<int64_t> IntOr(std::string_view key, int64_t fallback, int64_t min = INT64_MIN,
                        int64_t max = INT64_MAX) const;
  Result<double> DoubleOr(std::string_view key, double fallback) const;
  Result<std::string_view> StringOr(std::string_view key, std::string_view fallback) const;

  // The same with keys that are C strings, such as literals: a call is a third of the code, and
  // there are hundreds.
  std::optional<Json> Find(const char* key) const;
  Json FindOrNull(const char* key) const;
  Result<Json> Get(const char* key) const;
  Result<bool> GetBool(const char* key) const;
  Result<int64_t> GetInt(const char* key, int64_t min = INT64_MIN, int64_t max = INT64_MAX) const;
  Result<double> GetDouble(const char* key) const;
  Result<std::string_view> GetString(const char* key) const;
  Result<Json> GetArray(const char* key) const;
  Result<Json> GetObject(const char* key) const;
  Result<bool> BoolOr(const char* key, bool fallback) const;
  Result<int64_t> IntOr(const char* key, int64_t fallback, int64_t min = INT64_MIN,
                        int64_t max = INT64_MAX) const;
  Result<double> DoubleOr(const char* key, double fallback) const;
  Result<std::string_view> StringOr(const char* key, const char* fallback) const;

  // A key that stands twice in this object, if there is one.
  std::optional<std::string_view> DuplicateKey() const;

  // Where this value stands, e.g. `tokenizer.json: model.vocab` or `config.json: layers[2]`; the
  // document itself is just `config.json`. For error messages: takes time in the document's width.
  std::string Path() const;
  // The value in a few words for error messages: `null`, `12`, `"text"` (cut), `an array of 3`.
  std::string Describe() const;
  // The error "PATH is FOUND, expected EXPECTED".
  ErrorBox ErrorExpected(std::string_view expected) const;
  ErrorBox ErrorExpected(const char* expected) const;

  class ItemRange;
  class MemberRange;
  // Empty if this is no array.
  ItemRange Items() const;
  // Empty if this is no object.
  MemberRange Members() const;

 private:
  friend class JsonDocument;
  friend class JsonWriter;
  Json(const JsonStorage* storage, uint32_t node) : storage_(storage), node_(node) {}
  uint32_t Next() const;
  std::string_view StringValue() const;

  const JsonStorage* storage_ = nullptr;
  uint32_t node_ = 0;
};

class Json::ItemRange {
 public:
  class Iterator {
   public:
    Iterator(Json at) : at_(at) {}
    Json operator*() const { return at_; }
    Iterator& operator++() {
      at_.node_ = at_.Next();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_.node_ != other.at_.node_; }

   private:
    Json at_;
  };
  ItemRange(Json begin, Json end) : begin_(begin), end_(end) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  Json begin_, end_;
};

struct JsonMember {
  std::string_view key;
  Json value;
};

class Json::MemberRange {
 public:
  class Iterator {
   public:
    Iterator(Json key) : key_(key) {}
    JsonMember operator*() const {
      return {key_.StringValue(), Json(key_.storage_, key_.node_ + 1)};
    }
    Iterator& operator++() {
      key_.node_ = Json(key_.storage_, key_.node_ + 1).Next();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return key_.node_ != other.key_.node_; }

   private:
    Json key_;
  };
  MemberRange(Json begin, Json end) : begin_(begin), end_(end) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  Json begin_, end_;
};

// Owns one parsed text.
class JsonDocument {
 public:
  // The document `null`, without a name.
  JsonDocument();
  ~JsonDocument();
  JsonDocument(JsonDocument&& other) noexcept;
  JsonDocument& operator=(JsonDocument&& other) noexcept;

  Json root() const { return Json(storage_.get(), 0); }

 private:
  friend Result<JsonDocument> ParseJson(std::string_view text, std::string_view name);
  std::unique_ptr<JsonStorage> storage_;
};

// Parses one JSON text (UTF-8, a byte order mark is skipped). `name` is the file's name in
// messages. Errors, all of code kFormat: not JSON (with byte position and what was found), invalid
// UTF-8, lone surrogate escapes, nesting deeper than 128, text of 4 GB and more.
Result<JsonDocument> ParseJson(std::string_view text, std::string_view name);

// Appends values to compact JSON text; commas and quotes are set by the writer.
//
//   JsonWriter writer;
//   writer.BeginObject().Key("format").String("pocketbert").Key("dims").BeginArray().Int(3).Int(4)
//       .EndArray().EndObject();
//   writer.text()   // {"format":"pocketbert","dims":[3,4]}
class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Begin('{'); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray() { return Begin('['); }
  JsonWriter& EndArray() { return End(']'); }
  JsonWriter& Key(std::string_view key);
  JsonWriter& Key(const char* key);
  // `value` must be UTF-8.
  JsonWriter& String(std::string_view value);
  JsonWriter& String(const char* value);
  JsonWriter& Int(int64_t value);
  // The shorter of 9 and 17 significant digits that reads back equal; not a number and infinity
  // become null.
  JsonWriter& Double(double value);
  JsonWriter& Bool(bool value);
  JsonWriter& Null();
  // A whole value of a document; numbers keep the digits they had.
  JsonWriter& Value(Json value);

  const std::string& text() const { return text_; }
  std::string TakeText() { return std::move(text_); }

 private:
  JsonWriter& Begin(char bracket);
  JsonWriter& End(char bracket);
  void Separate();
  void Quote(std::string_view value);

  std::string text_;
  bool needs_comma_ = false;
};

// `value` as compact JSON text.
std::string WriteJson(Json value);

}  // namespace pocketbert
