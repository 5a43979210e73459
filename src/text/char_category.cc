#include "text/char_category.h"

#include <algorithm>

#include "base/check.h"
#include "text/category_data.h"

namespace pocketbert {
namespace {

constexpr char32_t kCodePoints = 0x110000;
// Kinds of runs in the packed tables; the last of the categories' is Lu Ll Lu Ll …
constexpr uint32_t kCategoryKinds = 13;
constexpr uint32_t kAlternating = kCategoryKinds - 1;
constexpr uint32_t kClusterKinds = 7;

struct PackedRun {
  uint32_t kind;
  uint32_t number;
};

// Reads what class Stream of generate_tables.py writes with choice().
PackedRun ReadRun(const uint8_t*& at, uint32_t kinds) {
  const uint32_t byte = *at++;
  PackedRun run = {byte % kinds, byte / kinds};
  if (run.number < 256 / kinds - 1) return run;
  for (int shift = 0;; shift += 7) {
    const uint8_t more = *at++;
    run.number += static_cast<uint32_t>(more & 0x7F) << shift;
    if (!(more & 0x80)) return run;
  }
}

}  // namespace

void CharTable::Fill(char32_t begin, char32_t end, uint8_t value) {
  for (char32_t c = begin; c < std::min(end, kLow); ++c) low_[c] = value;
  if (end > kLow) high_.push_back({std::max(begin, kLow), value});
}

uint8_t CharTable::High(char32_t c) const {
  const auto is_before = [](char32_t code, const Run& run) { return code < run.first; };
  const auto after = std::upper_bound(high_.begin(), high_.end(), c, is_before);
  return after[-1].value;
}

CharTables::CharTables() {
  const uint8_t* at = kCategoryData;
  for (char32_t c = 0; c < kCodePoints;) {
    const PackedRun run = ReadRun(at, kCategoryKinds);
    if (run.kind != kAlternating) {
      categories.Fill(c, c + run.number + 1, static_cast<uint8_t>(run.kind));
      c += run.number + 1;
      continue;
    }
    for (uint32_t i = 0; i < run.number + 2; ++i, ++c) {
      categories.Fill(c, c + 1, static_cast<uint8_t>(1 + i % 2));
    }
  }
  for (char32_t c = 0; c < kCodePoints;) {
    const PackedRun run = ReadRun(at, kClusterKinds);
    cluster_parts.Fill(c, c + run.number + 1, static_cast<uint8_t>(run.kind));
    c += run.number + 1;
  }
  PB_CHECK(at == kCategoryData + kCategoryDataBytes);
}

const CharTables& CharTables::Get() {
  static const CharTables* const tables = new CharTables();
  return *tables;
}

}  // namespace pocketbert
