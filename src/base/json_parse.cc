// ParseJson: one pass over the text (RFC 8259) that fills JsonStorage. It does not recurse; open
// brackets are on a list.

#include <charconv>
#include <cmath>
#include <utility>

#include "base/decimal.h"
#include "base/json_storage.h"
#include "base/sort.h"

namespace pocketbert {
namespace {

constexpr size_t kDeepest = 128;   // levels of brackets
constexpr size_t kFewMembers = 8;  // objects up to this size are searched from front to back
constexpr size_t kLargestText = 0xFFFFFFF0u;
constexpr size_t kLongestShown = 40;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsDigit(int c) { return c >= '0' && c <= '9'; }

// Bytes of the UTF-8 sequence at the beginning of `text`, 0 if there is none (Unicode 15, table
// 3-7: shortest forms only, no surrogates, at most U+10FFFF).
size_t Utf8SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0; };
  const int lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  int least = 0x80, most = 0xBF;  // of the second byte
  if (lead == 0xE0) least = 0xA0;
  if (lead == 0xED) most = 0x9F;
  if (lead == 0xF0) least = 0x90;
  if (lead == 0xF4) most = 0x8F;
  for (size_t i = 1; i < length; ++i) {
    if (byte(i) < least || byte(i) > most) return 0;
    least = 0x80;
    most = 0xBF;
  }
  return length;
}

void AppendUtf8(uint32_t code_point, std::string& to) {
  const auto tail = [&](int shift) {
    to.push_back(static_cast<char>(0x80 | (code_point >> shift & 0x3F)));
  };
  if (code_point < 0x80) {
    to.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    to.push_back(static_cast<char>(0xC0 | code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    to.push_back(static_cast<char>(0xE0 | code_point >> 12));
    tail(6);
    tail(0);
  } else {
    to.push_back(static_cast<char>(0xF0 | code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

class Parser {
 public:
  Parser(std::string_view text, JsonStorage& storage) : text_(text), storage_(storage) {}

  // False on an error, which Problem() then tells.
  bool Parse() {
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    do {
      if (!ParseValueStart()) return false;
      while (value_ended_ && !open_.empty()) {
        if (!ParseAfterValue()) return false;
      }
    } while (!value_ended_);
    SkipBlanks();
    return at_ == text_.size() || Fail("expected the end of the text");
  }

  // "at byte 9: expected a value; found nul}".
  std::string Problem() const {
    std::string message = "at byte " + std::to_string(at_) + ": " + std::string(problem_);
    if (at_ >= text_.size()) return message + "; found the end of the text";
    std::string_view found = text_.substr(token_, at_ + 1 - token_);
    message += "; found ";
    if (found.size() > kLongestShown) {
      found.remove_prefix(found.size() - kLongestShown);
      message += "…";
    }
    for (const char c : found) message.push_back(c >= ' ' && c < 0x7F ? c : '?');
    return message;
  }

 private:
  // ---- Characters

  // -1 at the end of the text.
  int Peek() const { return at_ < text_.size() ? static_cast<uint8_t>(text_[at_]) : -1; }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  bool TakeDigits() {
    const size_t begin = at_;
    while (IsDigit(Peek())) ++at_;
    return at_ > begin;
  }
  void SkipBlanks() {
    while (Peek() == ' ' || Peek() == '\n' || Peek() == '\r' || Peek() == '\t') ++at_;
    token_ = at_;
  }
  bool Fail(std::string_view problem) {
    problem_ = problem;
    return false;
  }

  // ---- Values

  // A scalar, an empty container, or a container up to where its first value begins.
  bool ParseValueStart() {
    SkipBlanks();
    value_ended_ = true;
    const int first = Peek();
    if (first == '{' || first == '[') return ParseContainerStart(first == '{');
    if (first == '"') {
      const size_t node = Add(JsonKind::kString);
      return ParseString(node);
    }
    if (first == '-' || IsDigit(first)) return ParseNumber();
    return ParseWord();
  }

  bool ParseContainerStart(bool is_object) {
    if (open_.size() == kDeepest) return Fail("brackets nest deeper than 128 levels");
    ++at_;
    const size_t node = Add(is_object ? JsonKind::kObject : JsonKind::kArray);
    storage_.nodes[node].container = {0, 0};
    open_.push_back(static_cast<uint32_t>(node));
    SkipBlanks();
    if (Take(is_object ? '}' : ']')) {
      Close();
      return true;
    }
    value_ended_ = false;
    return !is_object || ParseKey();
  }

  // What follows a value inside a container: its end, or the next value up to where it begins.
  bool ParseAfterValue() {
    SkipBlanks();
    const bool in_object = storage_.nodes[open_.back()].kind == JsonKind::kObject;
    if (Take(in_object ? '}' : ']')) {
      Close();
      return true;
    }
    if (!Take(',')) return Fail(in_object ? "expected , or }" : "expected , or ]");
    value_ended_ = false;
    return !in_object || ParseKey();
  }

  bool ParseKey() {
    SkipBlanks();
    if (Peek() != '"') return Fail("expected a key in quotes");
    storage_.nodes.emplace_back();
    const size_t node = storage_.nodes.size() - 1;
    storage_.nodes[node].next = static_cast<uint32_t>(node + 1);
    if (!ParseString(node)) return false;
    SkipBlanks();
    return Take(':') || Fail("expected :");
  }

  bool ParseWord() {
    constexpr std::pair<std::string_view, JsonKind> kWords[] = {
        {"null", JsonKind::kNull}, {"true", JsonKind::kBool}, {"false", JsonKind::kBool}};
    for (const auto& [word, kind] : kWords) {
      if (Peek() != word[0]) continue;
      for (const char c : word) {
        if (!Take(c)) return Fail("expected a value");
      }
      storage_.nodes[Add(kind)].boolean = word == "true";
      return true;
    }
    return Fail("expected a value");
  }

  bool ParseNumber() {
    const size_t begin = at_;
    const bool negative = Take('-');
    if (!Take('0') && !TakeDigits()) return Fail("expected a digit");
    bool whole = true;
    if (Take('.')) {
      whole = false;
      if (!TakeDigits()) return Fail("expected a digit");
    }
    if (Take('e') || Take('E')) {
      whole = false;
      if (!Take('+')) Take('-');
      if (!TakeDigits()) return Fail("expected a digit");
    }
    const std::string_view digits = text_.substr(begin, at_ - begin);
    JsonNode& node = storage_.nodes[Add(JsonKind::kDouble)];
    if (whole && ReadWhole(digits, negative, node)) return true;
    if (std::isinf(ParseDecimal(digits))) {
      --at_;  // the last digit is the byte that is named
      return Fail("a number out of range");
    }
    SetText(node, storage_.texts.size(), digits.size());
    storage_.texts.append(digits);
    return true;
  }

  // False if 64 bits do not hold it.
  static bool ReadWhole(std::string_view digits, bool negative, JsonNode& node) {
    uint64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data() + (negative ? 1 : 0), end, value);
    if (read.ec != std::errc()) return false;
    const uint64_t most = static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0);
    if (value <= most) {
      node.kind = JsonKind::kInt;
      node.integer = static_cast<int64_t>(negative ? 0 - value : value);
    } else if (!negative) {
      node.kind = JsonKind::kUint;
      node.unsigned_integer = value;
    } else {
      return false;
    }
    return true;
  }

  // ---- Strings

  bool ParseString(size_t node) {
    ++at_;
    std::string& texts = storage_.texts;
    const size_t begin = texts.size();
    while (!Take('"')) {
      const int c = Peek();
      if (c < 0) return Fail("a string without its closing quote");
      if (c < 0x20) return Fail("a control character in a string, expected an escape");
      if (c == '\\') {
        if (!ParseEscape(texts)) return false;
        continue;
      }
      const size_t length = Utf8SequenceLength(text_.substr(at_));
      if (length == 0) return Fail("a string that is not UTF-8");
      texts.append(text_.substr(at_, length));
      at_ += length;
    }
    storage_.nodes[node].kind = JsonKind::kString;
    SetText(storage_.nodes[node], begin, texts.size() - begin);
    return true;
  }

  bool ParseEscape(std::string& to) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    ++at_;
    const size_t name = Peek() < 0 ? kNames.npos : kNames.find(static_cast<char>(Peek()));
    if (name != kNames.npos) {
      to.push_back(kMeanings[name]);
      ++at_;
      return true;
    }
    uint32_t unit = 0, second = 0;
    if (!ParseUnit(unit)) return false;
    if (unit >> 10 == 0x36) {  // 110110: the first half of a surrogate pair
      if (!Take('\\') || !ParseUnit(second) || second >> 10 != 0x37) {
        return Fail("half a surrogate pair");
      }
      unit = 0x10000 + ((unit & 0x3FF) << 10) + (second & 0x3FF);
    } else if (unit >> 10 == 0x37) {
      return Fail("half a surrogate pair");
    }
    AppendUtf8(unit, to);
    return true;
  }

  // uXXXX.
  bool ParseUnit(uint32_t& unit) {
    if (!Take('u')) return Fail("an unknown escape");
    for (int i = 0; i < 4; ++i) {
      const int c = Peek(), letter = c | 0x20;
      if (!IsDigit(c) && !(letter >= 'a' && letter <= 'f')) return Fail("expected a hex digit");
      unit = unit * 16 + static_cast<uint32_t>(IsDigit(c) ? c - '0' : letter - 'a' + 10);
      ++at_;
    }
    return true;
  }

  // ---- Storage

  // A value at this place; its index.
  size_t Add(JsonKind kind) {
    if (!open_.empty()) storage_.nodes[open_.back()].container.count += 1;
    JsonNode& node = storage_.nodes.emplace_back();
    node.kind = kind;
    node.next = static_cast<uint32_t>(storage_.nodes.size());
    return storage_.nodes.size() - 1;
  }

  static void SetText(JsonNode& node, size_t begin, size_t size) {
    node.text = {static_cast<uint32_t>(begin), static_cast<uint32_t>(size)};
  }

  void Close() {
    JsonNode& node = storage_.nodes[open_.back()];
    open_.pop_back();
    node.next = static_cast<uint32_t>(storage_.nodes.size());
    if (node.kind == JsonKind::kObject && node.container.count > kFewMembers) SortKeys(node);
  }

  void SortKeys(JsonNode& object) {
    std::vector<uint32_t>& keys = storage_.sorted_keys;
    const size_t begin = keys.size();
    const uint32_t first = static_cast<uint32_t>(&object - storage_.nodes.data()) + 1;
    for (uint32_t node = first; node < object.next; node = storage_.nodes[node + 1].next) {
      keys.push_back(node);
    }
    SortIndices(std::span(keys).subspan(begin), [this](uint32_t a, uint32_t b) {
      return storage_.Text(storage_.nodes[a]) < storage_.Text(storage_.nodes[b]);
    });
    object.container.index = static_cast<uint32_t>(begin + 1);
  }

  std::string_view text_;
  JsonStorage& storage_;
  size_t at_ = 0;
  size_t token_ = 0;  // where the token at `at_` begins, for messages
  bool value_ended_ = false;
  std::vector<uint32_t> open_;  // nodes of the containers that have not ended
  std::string_view problem_;
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
    return FormatError(Message(name) + " is larger than 4 GB, too large for JSON text");
  }
  JsonDocument document;
  JsonStorage& storage = *document.storage_;
  storage.name = name;
  storage.nodes.clear();
  Parser parser(text, storage);
  if (!parser.Parse()) {
    return FormatError(Message(name) + " is not valid JSON: " + parser.Problem());
  }
  return document;
}

}  // namespace pocketbert
