#include "text/aligned_text.h"

#include <algorithm>

namespace pocketbert {

void AlignedText::Grow(size_t more) {
  const size_t capacity = std::max(size_ + more, capacity_ + capacity_ / 2 + 64);
  auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
  auto sources = std::make_unique_for_overwrite<SourceChar[]>(capacity);
  if (size_ > 0) {
    std::memcpy(bytes.get(), bytes_.get(), size_);
    std::memcpy(sources.get(), sources_.get(), size_ * sizeof(SourceChar));
  }
  bytes_ = std::move(bytes);
  sources_ = std::move(sources);
  capacity_ = capacity;
}

uint32_t AlignedText::AppendSource(std::string_view piece, uint32_t unit) {
  if (piece.empty()) return unit;
  Reserve(piece.size());
  std::memcpy(end_bytes(), piece.data(), piece.size());
  SourceChar* source = end_sources();
  const char* at = piece.data();
  const char* const end = at + piece.size();
  while (at < end) {
    const char* const ascii = at;
    while (at < end && static_cast<uint8_t>(*at) < 0x80) ++at;
    for (const char* i = ascii; i < at; ++i) *source++ = MakeSourceChar(unit++, 1);
    while (at < end && static_cast<uint8_t>(*at) >= 0x80) {
      const char* const begin = at;
      const uint32_t units = Utf16Units(ReadUtf8(at));
      for (const char* i = begin; i < at; ++i) *source++ = MakeSourceChar(unit, units);
      unit += units;
    }
  }
  Advance(piece.size());
  return unit;
}

}  // namespace pocketbert
