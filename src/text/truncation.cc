#include "text/truncation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/json_fields.h"

namespace pocketbert {

Result<std::optional<Truncation>> ReadTruncation(Json json) {
  if (json.is_null()) return std::optional<Truncation>();
  JsonFields fields(json);
  Truncation truncation;
  truncation.max_length = static_cast<size_t>(fields.RequiredInt("max_length", 0, INT32_MAX));
  truncation.stride = static_cast<size_t>(fields.Int("stride", 0, 0, INT32_MAX));
  truncation.strategy = static_cast<TruncationStrategy>(
      fields.Choice("strategy", 0, "LongestFirst, OnlyFirst, OnlySecond"));
  if (fields.Choice("direction", 1, "Left, Right") == 0) truncation.direction = Side::kLeft;
  PB_RETURN_IF_ERROR(fields.Finish());
  return std::optional<Truncation>(truncation);
}

Result<KeptLengths> ShareRoom(size_t first, std::optional<size_t> second, size_t room,
                              TruncationStrategy strategy) {
  const size_t total = first + second.value_or(0);
  if (total <= room) return KeptLengths{first, second.value_or(0)};
  if (room == 0) return KeptLengths{0, 0};
  const size_t excess = total - room;
  if (strategy == TruncationStrategy::kLongestFirst) {
    if (!second) return KeptLengths{room, 0};
    // The shorter text keeps up to half of the room, the longer one the rest.
    const bool swapped = first > *second;
    size_t shorter = std::min(first, *second);
    size_t longer = shorter > room ? shorter : std::max(shorter, room - shorter);
    if (shorter + longer > room) {
      shorter = room / 2;
      longer = shorter + room % 2;
    }
    if (swapped) std::swap(shorter, longer);
    return KeptLengths{shorter, longer};
  }
  const bool cuts_first = strategy == TruncationStrategy::kOnlyFirst;
  if (!cuts_first && !second) {
    return InvalidArgumentError("truncation strategy only_second needs a second text");
  }
  const size_t length = cuts_first ? first : *second;
  if (length <= excess) {
    return InvalidArgumentError(Message("truncation strategy ") +
                                (cuts_first ? "only_first" : "only_second") + " cannot take " +
                                excess + " tokens from a text of " + length);
  }
  return KeptLengths{cuts_first ? first - excess : first,
                     cuts_first ? second.value_or(0) : *second - excess};
}

std::vector<Window> CutWindows(size_t length, size_t kept, size_t stride, Side direction) {
  if (kept >= length) return {{0, length}};
  if (kept == 0) return {{0, 0}, {0, length}};
  const size_t step = kept - stride;
  std::vector<Window> windows;
  windows.reserve((length - kept) / step + 2);
  if (direction == Side::kRight) {
    for (size_t begin = 0;; begin += step) {
      windows.push_back({begin, std::min(begin + kept, length)});
      if (windows.back().end == length) return windows;
    }
  }
  for (size_t end = length;; end -= step) {
    windows.push_back({end > kept ? end - kept : 0, end});
    if (windows.back().begin == 0) return windows;
  }
}

}  // namespace pocketbert
