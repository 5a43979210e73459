#include "text/regex_class.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "text/utf8.h"

namespace pocketbert {
namespace {

constexpr int kDeepest = 16;
constexpr uint32_t kMostCount = 100000;

struct Property {
  std::string_view name;
  uint32_t bits;
};
constexpr Property kProperties[] = {
    {"L", kLetterBits},
    {"Lu", CategoryBit(Category::kUpper)},
    {"Ll", CategoryBit(Category::kLower)},
    {"Lt", CategoryBit(Category::kTitle)},
    {"Lm", CategoryBit(Category::kModifier)},
    {"Lo", CategoryBit(Category::kOtherLetter)},
    {"M", CategoryBit(Category::kMark)},
    {"N", kNumberBits},
    {"Nd", CategoryBit(Category::kDigit)},
    {"P", CategoryBit(Category::kPunctuation)},
    {"S", CategoryBit(Category::kSymbol)},
    {"Z", CategoryBit(Category::kSeparator)},
    {"C", CategoryBit(Category::kOther)},
};
// Those that case has a say in.
constexpr uint32_t kCasedBits = CategoryBit(Category::kUpper) | CategoryBit(Category::kLower) |
                                CategoryBit(Category::kTitle);

struct CharEscape {
  char letter;
  char code;
};
constexpr CharEscape kCharEscapes[] = {
    {'n', '\n'}, {'r', '\r'}, {'t', '\t'}, {'f', '\f'}, {'v', '\v'}, {'a', '\a'}, {'e', 27},
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

Message RegexReader::About(const char* what) const {
  return Message("the pattern \"") + pattern_.substr(0, 200) + "\" " + what;
}

void RegexReader::Fail(ErrorBox&& error) {
  rest_ = {};
  if (!ok()) return;
  std::destroy_at(&error_);
  std::construct_at(&error_, std::move(error));
}

void RegexReader::Refuse(const char* what) {
  Fail(UnsupportedError(About(what) + " (before byte " + position() +
                        "), which is not supported"));
}

void RegexReader::Malformed(const char* what) { Fail(FormatError(About(what))); }

Status RegexReader::TakeStatus() {
  if (ok()) return Done{};
  return std::move(error_);
}

char32_t RegexReader::Next() {
  if (rest_.empty()) {
    Malformed("ends too early");
    return 0;
  }
  const char* at = rest_.data();
  const char32_t c = ReadUtf8(at);
  rest_.remove_prefix(static_cast<size_t>(at - rest_.data()));
  return c;
}

bool RegexReader::ReadCounts(uint32_t& min, uint32_t& max) {
  if (!IsNext('{')) return false;
  size_t at = 1;
  const auto number = [&](uint32_t fallback) {
    if (at >= rest_.size() || !IsDigit(rest_[at])) return fallback;
    uint32_t value = 0;
    for (; at < rest_.size() && IsDigit(rest_[at]); ++at) {
      value = std::min(value * 10 + static_cast<uint32_t>(rest_[at] - '0'), kMostCount);
    }
    return value;
  };
  const size_t begin = at;
  const uint32_t first = number(0);
  uint32_t last = first;
  const bool has_first = at > begin;
  if (at < rest_.size() && rest_[at] == ',') {
    const size_t comma = at++;
    last = number(UINT32_MAX);
    if (!has_first && at == comma + 1) return false;
  } else if (!has_first) {
    return false;
  }
  if (at >= rest_.size() || rest_[at] != '}') return false;
  rest_.remove_prefix(at + 1);
  min = first;
  max = last;
  return true;
}

char32_t RegexReader::ReadHex(size_t least, size_t most) {
  char32_t value = 0;
  size_t count = 0;
  while (count < most && !rest_.empty() && HexDigit(rest_[0]) >= 0) {
    value = value << 4 | static_cast<char32_t>(HexDigit(rest_[0]));
    rest_.remove_prefix(1);
    ++count;
  }
  if (count < least || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
    Malformed("has an escape that is no character");
  }
  return value;
}

char32_t RegexReader::ReadCharEscape() {
  const char32_t c = Next();
  if (c == 'x') {
    if (!Skip('{')) return ReadHex(1, 2);
    const char32_t code = ReadHex(1, 7);
    if (ok() && !Skip('}')) Malformed("has \\x{ without }");
    return code;
  }
  if (c == 'u') return ReadHex(4, 4);
  for (const CharEscape& escape : kCharEscapes) {
    if (c == static_cast<char32_t>(escape.letter)) return static_cast<char32_t>(escape.code);
  }
  const char32_t lower = c | 0x20;
  if (c < 128 && ((lower >= 'a' && lower <= 'z') || IsDigit(static_cast<char>(c)))) {
    Refuse("has an escape that means a back reference or something rare");
  }
  return c;
}

void RegexReader::AddChar(char32_t c, const RegexFlags& flags, CharSet& set) {
  if (flags.ignore_case && c >= 128) {
    const uint32_t category = CharTables::Get().categories[c];
    if (kCasedBits >> category & 1) Refuse("ignores the case of a letter beyond ASCII");
  }
  set.AddChar(c, flags.ignore_case);
}

bool RegexReader::ReadClassEscape(const RegexFlags& flags, CharSet& set) {
  if (rest_.empty()) return false;
  const char letter = rest_[0];
  const bool negated = letter >= 'A' && letter <= 'Z';
  switch (negated ? letter | 0x20 : letter) {
    case 's': set.AddWhiteSpace(negated); break;
    case 'w': set.AddWordChars(negated); break;
    case 'd': set.AddCategories(CategoryBit(Category::kDigit), negated); break;
    case 'h':
      if (negated) return false;
      set.AddRange('0', '9');
      set.AddRange('A', 'F');
      set.AddRange('a', 'f');
      break;
    case 'p':
      rest_.remove_prefix(1);
      ReadProperty(negated, flags, set);
      return true;
    default: return false;
  }
  rest_.remove_prefix(1);
  return true;
}

// {L} or {^L}
void RegexReader::ReadProperty(bool negated, const RegexFlags& flags, CharSet& set) {
  const size_t end = rest_.find('}');
  if (!Skip('{') || end == std::string_view::npos) {
    Malformed("has \\p without {…}");
    return;
  }
  if (Skip('^')) negated = !negated;
  const std::string_view name = rest_.substr(0, rest_.find('}'));
  for (const Property& property : kProperties) {
    if (property.name != name) continue;
    if (flags.ignore_case && (property.bits & kCasedBits) && property.bits != kLetterBits) {
      Refuse("ignores the case of a category");
      return;
    }
    set.AddCategories(property.bits, negated);
    rest_.remove_prefix(name.size() + 1);
    return;
  }
  Refuse("has \\p{…} of an unknown property");
}

// [:space:], behind its first [
bool RegexReader::ReadBracket(CharSet& set) {
  const size_t end = rest_.find(":]");
  if (!IsNext(':') || end == std::string_view::npos) return false;
  const std::string_view name = rest_.substr(1, end - 1);
  if (name == "space") {
    set.AddWhiteSpace(false);
  } else if (name == "digit") {
    set.AddCategories(CategoryBit(Category::kDigit), false);
  } else if (name == "punct") {
    set.AddCategories(CategoryBit(Category::kPunctuation), false);
    for (const char symbol : std::string_view("$+<=>^`|~")) {
      set.AddChar(static_cast<uint8_t>(symbol), false);
    }
  } else {
    Refuse("has a POSIX bracket other than space, digit and punct");
  }
  if (ok()) rest_.remove_prefix(end + 2);
  return true;
}

void RegexReader::ReadClass(const RegexFlags& flags, CharSet& set) {
  if (++depth_ > kDeepest) Refuse("is nested too deeply");
  const bool negated = Skip('^');
  if (IsNext(']')) Refuse("has a class that begins with ]");
  while (ok() && !Skip(']')) {
    if (at_end()) {
      Malformed("has a [ that is not closed");
    } else if (rest_.starts_with("&&")) {
      Refuse("has a class with &&");
    } else {
      ReadClassPart(flags, set);
    }
  }
  if (negated) set.Negate();
  --depth_;
}

// A character, a range, an escape or a class in the class.
void RegexReader::ReadClassPart(const RegexFlags& flags, CharSet& set) {
  char32_t low = Next();
  if (low == '[') {
    if (ReadBracket(set)) return;
    CharSet inner;
    ReadClass(flags, inner);
    if (inner.negated()) Refuse("has a negated class in a class");
    set.AddAll(inner);
    return;
  }
  if (low == '\\') {
    if (ReadClassEscape(flags, set)) return;
    low = Skip('b') ? '\b' : ReadCharEscape();
  }
  if (!IsNext('-') || rest_.starts_with("-]")) {
    AddChar(low, flags, set);
    return;
  }
  Skip('-');
  char32_t high = Next();
  if (high == '[') Refuse("has a range up to a class");
  if (high == '\\') {
    if (ReadClassEscape(flags, set)) Refuse("has a range up to a class");
    high = Skip('b') ? '\b' : ReadCharEscape();
  }
  if (high < low) Malformed("has a range that ends before it begins");
  if (!ok()) return;
  if (flags.ignore_case) {
    if (high >= 128) Refuse("ignores the case of a range beyond ASCII");
    for (char32_t c = low; c <= high && ok(); ++c) set.AddChar(c, true);
  } else {
    set.AddRange(low, high);
  }
}

}  // namespace pocketbert
