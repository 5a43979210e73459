#pragma once
// What ByteLevel's "trim_offsets" does to the range of a token.

#include <cstdint>
#include <string_view>

#include "text/encoding.h"

namespace pocketbert {

// White space and visible blanks (U+0120, see byte_level.h) at the ends of a token's text.
struct EndBlanks {
  uint32_t leading = 0;
  uint32_t trailing = 0;
  bool nothing_else = false;
  // UTF-16 units of each: 2 only where one was set before a character of two units, in its place.
  uint32_t leading_units = 1;
  uint32_t trailing_units = 1;

  explicit operator bool() const { return leading > 0 || trailing > 0; }
};
EndBlanks CountEndBlanks(std::string_view text);

// The range without the blanks; with `keeps_one`, one of those in front stays.
Range TrimBlanks(Range range, EndBlanks blanks, bool keeps_one);

// A range that TrimBlanks gave, as it were with `keeps_one`.
Range GiveBackBlank(Range trimmed, EndBlanks blanks);

}  // namespace pocketbert
