#pragma once
// Charsmap: SentencePiece's table of what texts are replaced by, the normalizer Precompiled.
//
//   "ｶﾞ" → "ガ"     "ﬁ" → "fi"     "\t" → " "     U+0000 … U+0008 → ""
//
// The bytes: size of the trie in bytes (u32, little-endian); the trie, a double array of u32 units
// as the Darts library writes it; the images, each ended by a zero byte. A unit's low 8 bits are
// the byte that leads to it, bit 8 says that a key ends there, and bits 10 to 30 how its children's
// place differs from its own (times 256 if bit 9 is set); the unit behind byte 0 holds the image's
// place.
//
// As in the reference the text is cut into grapheme clusters; one of less than six bytes is
// replaced as a whole, if any key begins it, by the image of the shortest; else each of its
// characters is looked up by itself.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "text/aligned_text.h"

namespace pocketbert {

class Charsmap {
 public:
  // `name` stands for the table in messages. Errors (kFormat): a size beyond the bytes, images that
  // are no valid UTF-8.
  static Result<Charsmap> FromBytes(std::string bytes, const std::string& name);

  const std::string& bytes() const { return bytes_; }

  void Append(const AlignedText& in, AlignedText& out) const;

  // The image of the shortest key that begins `text`.
  std::optional<std::string_view> ImageOf(std::string_view text) const;

  // Whether a text may be parted before this character, where a blank stands before it: the
  // character neither joins the blank nor vanishes.
  bool MayBeginPart(char32_t c) const;

 private:
  Charsmap() = default;
  uint32_t Unit(size_t place) const;

  std::string bytes_;
  size_t units_ = 0;
  size_t images_ = 0;             // where they begin
  std::array<bool, 128> plain_;   // ASCII characters that stay as they are
};

}  // namespace pocketbert
