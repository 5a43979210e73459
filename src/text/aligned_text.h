#pragma once
// AlignedText: a text on its way through the normalizer, with the place in the source that each
// byte came from.
//
//   source "É!"  →  text "e!"  (1 byte, 1 byte)   source chars {0, 1 unit} {1, 1 unit}
//
// Whatever a normalizer does, each character of the outcome goes back to one character of the
// source (an inserted one to its neighbour's), so a place is the first UTF-16 unit of that
// character and its length in units.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "text/encoding.h"
#include "text/utf8.h"

namespace pocketbert {

// First unit << 2 | units (0, 1 or 2).
using SourceChar = uint32_t;
inline SourceChar MakeSourceChar(uint32_t begin, uint32_t units) { return begin << 2 | units; }
inline uint32_t SourceBegin(SourceChar source) { return source >> 2; }
inline uint32_t SourceUnits(SourceChar source) { return source & 3; }
inline uint32_t SourceEnd(SourceChar source) { return (source >> 2) + (source & 3); }

// Source texts must be shorter than this, in bytes (and so in units), to fit into SourceChar.
inline constexpr size_t kLongestText = size_t{1} << 30;

class AlignedText {
 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Valid UTF-8.
  std::string_view text() const { return {bytes_.get(), size_}; }
  const char* bytes() const { return bytes_.get(); }
  // One a byte.
  const SourceChar* sources() const { return sources_.get(); }

  // The source range of the bytes [begin, end), which must not be empty.
  Range RangeOf(size_t begin, size_t end) const {
    return {SourceBegin(sources_[begin]), SourceEnd(sources_[end - 1])};
  }

  void Clear() { size_ = 0; }

  // Makes room for `more` bytes; then the Write functions below may write as many.
  void Reserve(size_t more) {
    if (capacity_ - size_ < more) Grow(more);
  }
  void Write(char32_t c, SourceChar source) {
    char* out = bytes_.get() + size_;
    const size_t length = WriteUtf8(c, out);
    for (size_t i = 0; i < length; ++i) sources_[size_ + i] = source;
    size_ += length;
  }
  void WriteAscii(char c, SourceChar source) {
    bytes_[size_] = c;
    sources_[size_] = source;
    ++size_;
  }
  // Bytes [begin, end) of another text.
  void WriteFrom(const AlignedText& other, size_t begin, size_t end) {
    if (begin == end) return;
    std::memcpy(bytes_.get() + size_, other.bytes() + begin, end - begin);
    std::memcpy(sources_.get() + size_, other.sources() + begin,
                (end - begin) * sizeof(SourceChar));
    size_ += end - begin;
  }

  // Room and writing in one.
  void Append(char32_t c, SourceChar source) {
    Reserve(4);
    Write(c, source);
  }
  void AppendText(std::string_view text, SourceChar source) {
    Reserve(text.size());
    for (const char c : text) WriteAscii(c, source);
  }

  // For writers that fill the room they reserved by themselves, then say how much.
  char* end_bytes() { return bytes_.get() + size_; }
  SourceChar* end_sources() { return sources_.get() + size_; }
  void Advance(size_t written) { size_ += written; }

  // Appends a piece of a source text (valid UTF-8) that begins at UTF-16 unit `unit`; returns the
  // unit after it.
  uint32_t AppendSource(std::string_view piece, uint32_t unit);

 private:
  void Grow(size_t more);

  std::unique_ptr<char[]> bytes_;
  std::unique_ptr<SourceChar[]> sources_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace pocketbert
