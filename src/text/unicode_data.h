#pragma once
// The packed tables of unicode_data.cc, which tests/reference/unicode/generate_tables.py makes;
// unicode_tables.cc unpacks them, and unicode_tables.h is the way to ask them.

#include <cstddef>
#include <cstdint>

namespace pocketbert {

inline constexpr size_t kUnicodeDataBytes = 21430;
extern const uint8_t kUnicodeData[kUnicodeDataBytes];

// What they hold, for the sizes of what they are unpacked to.
inline constexpr size_t kHighRuns = 990;           // of one class, from U+10000 on
inline constexpr size_t kCombiningRuns = 334;      // of one combining class above 0
inline constexpr size_t kLowerRuns = 185;          // that move to lower case alike
inline constexpr size_t kCanonicalSteps = 2060;    // code points with a canonical decomposition
inline constexpr size_t kCompositions = 940;       // of them, those that compose again
inline constexpr size_t kCompatibilityEntries = 3678;
inline constexpr size_t kCompatibilityChars = 5599;  // in their decompositions together

}  // namespace pocketbert
