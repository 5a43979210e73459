#pragma once
// The parsed form of a pattern, between regex_parser.cc and regex.cc.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/char_set.h"
#include "text/regex.h"

namespace pocketbert {

inline constexpr uint32_t kNoLimit = UINT32_MAX;

struct RegexNode {
  enum class Kind : uint8_t {
    kChar,       // value
    kSet,        // value: index of a set
    kSequence,   // children
    kChoice,     // children
    kLoop,       // one child, min, max, mode
    kLook,       // one child; negated
    kBehind,     // value: index of a set; negated
    kAtomic,     // one child
    kAnchor,     // value: RegexAnchor
  };
  enum class Mode : uint8_t { kGreedy, kLazy, kPossessive };
  Kind kind;
  bool negated = false;
  Mode mode = Mode::kGreedy;
  uint32_t value = 0;
  uint32_t min = 0;
  uint32_t max = 0;
  std::vector<uint32_t> children = {};
};

struct RegexTree {
  std::vector<RegexNode> nodes;
  std::vector<CharSet> sets;
  uint32_t root = 0;
};

Result<RegexTree> ParseRegex(std::string_view pattern);

}  // namespace pocketbert
