#pragma once
// BertNormalizer: cleaning, blanks around ideographs, stripping accents and lower-casing in one
// pass.

#include <array>
#include <cstdint>
#include <optional>

#include "text/aligned_text.h"

namespace pocketbert {

struct BertNormalizerOptions {
  // Drop control and format characters, U+0000 and U+FFFD; make white space a blank.
  bool clean_text = true;
  // Set a blank on both sides of each ideograph.
  bool handle_chinese_chars = true;
  // Decompose (NFD) and drop non-spacing marks; absent: as `lowercase` says.
  std::optional<bool> strip_accents;
  // Lower case of each character by itself.
  bool lowercase = true;
};

// What becomes of an ASCII character: itself or another, or nothing.
struct AsciiRule {
  char to;
  uint8_t kept;  // 0 or 1
};

class BertNormalizer {
 public:
  explicit BertNormalizer(const BertNormalizerOptions& options);

  // Appends the normalized `in` to `out`.
  void Append(const AlignedText& in, AlignedText& out) const;

  AsciiRule ascii(size_t c) const { return ascii_[c]; }
  const BertNormalizerOptions& options() const { return options_; }

 private:
  BertNormalizerOptions options_;
  std::array<AsciiRule, 128> ascii_;
};

}  // namespace pocketbert
