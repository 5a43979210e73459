#pragma once
// RegexReader: the characters, escapes and classes of a pattern, one after the other. The first
// thing that is not right is kept as the error; from then on the pattern reads as ended.

#include <string>
#include <string_view>

#include "base/result.h"
#include "text/char_set.h"

namespace pocketbert {

struct RegexFlags {
  bool ignore_case = false;
  bool dot_takes_all = false;
};

class RegexReader {
 public:
  explicit RegexReader(std::string_view pattern) : pattern_(pattern), rest_(pattern) {}

  bool ok() const { return error_.empty(); }
  bool at_end() const { return rest_.empty(); }
  // Bytes read.
  size_t position() const { return pattern_.size() - rest_.size(); }
  bool IsNext(char c) const { return rest_.starts_with(c); }
  bool Skip(char c) {
    if (!IsNext(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // The next character; an error at the end.
  char32_t Next();

  // {2} {2,} {,3} {2,3}; what does not read so is text like any other.
  bool ReadCounts(uint32_t& min, uint32_t& max);

  // Behind a [: the class up to its ].
  void ReadClass(const RegexFlags& flags, CharSet& set);
  // Behind a \: a class such as \s or \p{L}, if it is one.
  bool ReadClassEscape(const RegexFlags& flags, CharSet& set);
  // Behind a \: a character.
  char32_t ReadCharEscape();
  void AddChar(char32_t c, const RegexFlags& flags, CharSet& set);

  // Errors of the form `the pattern "…" WHAT`.
  void Refuse(const char* what);
  void Malformed(const char* what);
  Status TakeStatus();

 private:
  void ReadProperty(bool negated, const RegexFlags& flags, CharSet& set);
  bool ReadBracket(CharSet& set);
  void ReadClassPart(const RegexFlags& flags, CharSet& set);
  char32_t ReadHex(size_t least, size_t most);
  void Fail(ErrorBox&& error);
  Message About(const char* what) const;

  std::string_view pattern_;
  std::string_view rest_;
  ErrorBox error_;
  int depth_ = 0;
};

}  // namespace pocketbert
