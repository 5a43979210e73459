#pragma once
// Layout of the generated arrays in unicode_data.cc; unicode_tables.h is the way to ask them.

#include <cstdint>

namespace pocketbert::unicode_data {

// Code points [first, first + count) have the entries [base, base + count).
struct MappingRange {
  uint32_t first;
  uint16_t count;
  uint16_t base;
};

// first, first + stride, … (count of them) have the lower case code point + delta.
struct LowerRun {
  uint32_t first;
  uint16_t count;
  uint16_t stride;
  int32_t delta;
};

// Classes below U+10000: block number of each 64 code points, then 64 classes a block.
extern const uint8_t kBmpBlocks[1024];
extern const uint8_t kBmpClasses[13440];
// From U+10000 on: code point << 8 | class, valid up to the next entry's code point.
extern const uint32_t kHighClasses[990];

// code point << 11 | (count - 1) << 8 | canonical combining class
extern const uint32_t kCombiningClasses[352];

// Full canonical decompositions without Hangul. An entry is offset << 3 | number of characters.
extern const MappingRange kCanonicalRanges[230];
extern const uint16_t kCanonicalEntries[];
extern const uint8_t kCanonicalPool[];
// Full compatibility decompositions where they differ from the canonical ones. An entry is
// offset << 2 | number of characters; 0: that number stands as a byte in front.
extern const MappingRange kCompatibilityRanges[188];
extern const uint16_t kCompatibilityEntries[];
extern const uint8_t kCompatibilityPool[];

// Triples first, second, composed; sorted by the first two.
extern const uint16_t kCompositions[2784];
extern const uint32_t kHighCompositions[36];

extern const LowerRun kLowerRuns[185];

}  // namespace pocketbert::unicode_data
