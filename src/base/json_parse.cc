// ParseJson: nlohmann/json's SAX parser (which does not recurse and needs no exceptions) feeds a
// builder of JsonStorage.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#define JSON_NO_IO 1
#include <nlohmann/json.hpp>

#include "base/json_storage.h"

namespace pocketbert {
namespace {

constexpr size_t kDeepest = 128;         // levels of brackets
constexpr size_t kFewMembers = 8;        // objects up to this size are searched from front to back
constexpr size_t kLargestText = 0xFFFFFFF0u;
constexpr size_t kLongestShown = 40;

using NlohmannJson = nlohmann::json;

class TreeBuilder : public nlohmann::json_sax<NlohmannJson> {
 public:
  explicit TreeBuilder(JsonStorage& storage) : storage_(storage) {}

  bool null() override {
    Add(JsonKind::kNull);
    return true;
  }
  bool boolean(bool value) override {
    Add(JsonKind::kBool).boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    Add(JsonKind::kInt).integer = value;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<uint64_t>(INT64_MAX)) {
      Add(JsonKind::kInt).integer = static_cast<int64_t>(value);
    } else {
      Add(JsonKind::kUint).unsigned_integer = value;
    }
    return true;
  }
  bool number_float(number_float_t, const string_t& digits) override {
    AddText(JsonKind::kDouble, digits);
    storage_.texts.push_back('\0');
    return true;
  }
  bool string(string_t& value) override {
    AddText(JsonKind::kString, value);
    return true;
  }
  bool binary(binary_t&) override { return false; }  // not in JSON text
  bool start_object(size_t) override { return Open(JsonKind::kObject); }
  bool end_object() override {
    JsonNode& object = Close();
    if (object.container.count > kFewMembers) SortKeys(object);
    return true;
  }
  bool start_array(size_t) override { return Open(JsonKind::kArray); }
  bool end_array() override {
    Close();
    return true;
  }
  bool key(string_t& name) override {
    JsonNode& node = storage_.nodes.emplace_back();
    SetText(node, JsonKind::kString, name);
    node.next = static_cast<uint32_t>(storage_.nodes.size());
    return true;
  }
  bool parse_error(size_t position, const std::string& last_token,
                   const nlohmann::detail::exception& problem) override {
    // nlohmann's text is "[json.exception.parse_error.101] parse error at line 1, column 5: what".
    const char* what = std::strstr(problem.what(), "column ");
    what = what ? std::strstr(what, ": ") : nullptr;
    error_ = "at byte " + std::to_string(position == 0 ? 0 : position - 1) +
             (what ? what : ": a number out of range");
    const size_t shown = error_.find("; last read: ");
    if (shown != std::string::npos) error_.resize(shown);
    if (!last_token.empty()) {
      const size_t from = last_token.size() > kLongestShown ? last_token.size() - kLongestShown : 0;
      error_.append("; found ").append(from > 0 ? "…" : "");
      for (const char c : std::string_view(last_token).substr(from)) {
        error_.push_back(static_cast<uint8_t>(c) < 0x80 ? c : '?');  // may be cut or invalid UTF-8
      }
    }
    return false;
  }

  std::string& error() { return error_; }

 private:
  JsonNode& Add(JsonKind kind) {
    if (!open_.empty()) {
      JsonNode& parent = storage_.nodes[open_.back()];
      parent.container.count += 1;
    }
    JsonNode& node = storage_.nodes.emplace_back();
    node.kind = kind;
    node.next = static_cast<uint32_t>(storage_.nodes.size());
    return node;
  }

  void SetText(JsonNode& node, JsonKind kind, const std::string& text) {
    node.kind = kind;
    node.text.begin = static_cast<uint32_t>(storage_.texts.size());
    node.text.size = static_cast<uint32_t>(text.size());
    storage_.texts.append(text);
  }

  void AddText(JsonKind kind, const std::string& text) { SetText(Add(kind), kind, text); }

  bool Open(JsonKind kind) {
    if (open_.size() == kDeepest) {
      error_ = "nests brackets deeper than " + std::to_string(kDeepest) + " levels";
      return false;
    }
    JsonNode& node = Add(kind);
    node.container = {0, 0};
    open_.push_back(static_cast<uint32_t>(storage_.nodes.size() - 1));
    return true;
  }

  JsonNode& Close() {
    JsonNode& node = storage_.nodes[open_.back()];
    open_.pop_back();
    node.next = static_cast<uint32_t>(storage_.nodes.size());
    return node;
  }

  void SortKeys(JsonNode& object) {
    std::vector<uint32_t>& keys = storage_.sorted_keys;
    const size_t begin = keys.size();
    const uint32_t first = static_cast<uint32_t>(&object - storage_.nodes.data()) + 1;
    for (uint32_t node = first; node < object.next; node = storage_.nodes[node + 1].next) {
      keys.push_back(node);
    }
    std::sort(keys.begin() + begin, keys.end(), [this](uint32_t a, uint32_t b) {
      const int order = storage_.Text(storage_.nodes[a]).compare(storage_.Text(storage_.nodes[b]));
      return order != 0 ? order < 0 : a < b;
    });
    object.container.index = static_cast<uint32_t>(begin + 1);
  }

  JsonStorage& storage_;
  std::vector<uint32_t> open_;  // nodes of the containers that have not ended
  std::string error_;
};

}  // namespace

JsonDocument::JsonDocument() : storage_(std::make_unique<JsonStorage>()) {
  storage_->nodes.emplace_back();
}
JsonDocument::~JsonDocument() = default;
JsonDocument::JsonDocument(JsonDocument&& other) noexcept = default;
JsonDocument& JsonDocument::operator=(JsonDocument&& other) noexcept = default;

Result<JsonDocument> ParseJson(std::string_view text, std::string_view name) {
  if (text.size() > kLargestText) {
    return FormatError(std::string(name) + " is larger than 4 GB, too large for JSON text");
  }
  JsonDocument document;
  JsonStorage& storage = *document.storage_;
  storage.name = name;
  storage.nodes.clear();
  TreeBuilder builder(storage);
  if (!NlohmannJson::sax_parse(text.begin(), text.end(), &builder)) {
    return FormatError(std::string(name) + " is not valid JSON: " + builder.error());
  }
  return document;
}

}  // namespace pocketbert
