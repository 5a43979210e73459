#include "text/blank_trimming.h"

#include <algorithm>

#include "text/byte_level.h"
#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

bool IsBlank(char32_t c) { return c == ByteChar(' ') || (CharClass(c) & kWhiteSpace); }

}  // namespace

EndBlanks CountEndBlanks(std::string_view text) {
  EndBlanks blanks;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* at = begin;
  while (at < end && IsBlank(ReadUtf8(at))) ++blanks.leading;
  const char* back = end;
  while (back > begin && IsBlank(ReadUtf8Backward(back))) ++blanks.trailing;
  const char* last = end;
  blanks.nothing_else = blanks.leading > 0 && at == end && IsBlank(ReadUtf8Backward(last));
  return blanks;
}

Range TrimBlanks(Range range, EndBlanks blanks, bool keeps_one) {
  if (blanks.leading > 0) {
    const uint32_t units = (blanks.leading - keeps_one) * blanks.leading_units;
    range.begin = std::min(range.begin + units, range.end);
  }
  const uint32_t units = blanks.trailing * blanks.trailing_units;
  if (units > 0 && range.end >= units) range.end = std::max(range.end - units, range.begin);
  return range;
}

Range GiveBackBlank(Range trimmed, EndBlanks blanks) {
  // At the beginning of the text it stayed anyway.
  if (blanks.leading == 0 || trimmed.begin + 1 <= blanks.leading) return trimmed;
  --trimmed.begin;
  if (blanks.nothing_else) trimmed.end = trimmed.begin;
  return trimmed;
}

}  // namespace pocketbert
