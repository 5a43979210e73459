#pragma once
// Regex: the patterns of tokenizer.json's Split and Replace, as Oniguruma with Ruby's syntax reads
// them. Leftmost matches; of the ways to match there, the first in the pattern's order.
//
// Supported: alternation, groups, (?i:…) of ASCII letters, (?>…), look-ahead, look-behind of one
// character, classes (\s \d \w \h \p{…}, ranges, POSIX brackets, classes in classes), . ? * + {m,n}
// greedy, lazy or possessive, ^ $ \A \z \Z \b \B, \n \r \t \f \v \a \e \xHH \x{H} \uHHHH. All
// else (back references, intersections, \R \X \G …) is refused by name.
//
// A search backtracks, but within a number of steps that is linear in the text's length; a text
// that needs more is given up on.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/char_set.h"
#include "text/split.h"

namespace pocketbert {

// One instruction of a compiled pattern.
struct RegexStep {
  enum class Op : uint8_t {
    kChar,    // the character `a`
    kSet,     // one of set `a`
    kRun,     // of set `a` `b` to `c` times; flag: gives nothing back
    kSplit,   // on with `a`, else with `b`; with `a` only if guard `c` lets the next character pass
    kJump,    // on with `a`
    kLook,    // the steps behind it up to kAccept must match here (flag: must not); on with `a`
    kAtomic,  // the steps behind it up to kAccept match in their first way; on with `a`
    kBehind,  // a character of set `a` stands before (flag: none does)
    kAnchor,  // `a` is a RegexAnchor
    kAccept,
  };
  Op op;
  bool flag = false;
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
};

enum class RegexAnchor : uint32_t {
  kLineBegin,
  kLineEnd,
  kTextBegin,
  kTextEnd,
  kTextEndOrLastLine,
  kWordBorder,
  kNoWordBorder,
};

// Which characters a branch may begin with.
struct RegexGuard {
  uint64_t ascii[2] = {0, 0};
  bool others = false;
  bool nothing = false;  // it may match the empty text

  bool Passes(const char* at, const char* end) const {
    if (nothing) return true;
    if (at == end) return false;
    const auto byte = static_cast<uint8_t>(*at);
    return byte < 128 ? ascii[byte / 64] >> (byte % 64) & 1 : others;
  }
};

class Regex {
 public:
  // `pattern` is valid UTF-8. Errors (kUnsupported): what is not in the list above, a pattern too
  // large, a loop over what may be empty; (kFormat): brackets that do not match.
  static Result<Regex> Compile(std::string_view pattern);

  // Appends all matches in `text` (valid UTF-8), as byte ranges, in order; an empty match that
  // touches the one before is left out. Error (kTooLong): more than the allowed steps.
  Status FindAll(std::string_view text, std::vector<Piece>& matches) const;

 private:
  friend class RegexCompiler;
  friend class RegexMatcher;
  Regex() = default;

  std::string pattern_;
  std::vector<RegexStep> steps_;
  std::vector<CharSet> sets_;
  std::vector<RegexGuard> guards_;  // the first is the whole pattern's
};

}  // namespace pocketbert
