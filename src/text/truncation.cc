#include "text/truncation.h"

#include <algorithm>
#include <string>
#include <utility>

#include "text/component_json.h"

namespace pocketbert {

Result<std::optional<Truncation>> ReadTruncation(Json json) {
  if (json.is_null()) return std::optional<Truncation>();
  PB_RETURN_IF_ERROR(json.AsObject());
  PB_RETURN_IF_ERROR(CheckKnownKeys(json, {"direction", "max_length", "strategy", "stride"}));
  Truncation truncation;
  PB_ASSIGN_OR_RETURN(int64_t max_length, json.GetInt("max_length", 0, INT32_MAX));
  PB_ASSIGN_OR_RETURN(int64_t stride, json.IntOr("stride", 0, 0, INT32_MAX));
  truncation.max_length = static_cast<size_t>(max_length);
  truncation.stride = static_cast<size_t>(stride);
  PB_ASSIGN_OR_RETURN(std::string_view strategy, json.StringOr("strategy", "LongestFirst"));
  if (strategy == "OnlyFirst") {
    truncation.strategy = TruncationStrategy::kOnlyFirst;
  } else if (strategy == "OnlySecond") {
    truncation.strategy = TruncationStrategy::kOnlySecond;
  } else if (strategy != "LongestFirst") {
    return UnsupportedComponent(json.FindOrNull("strategy"), "LongestFirst, OnlyFirst, OnlySecond");
  }
  PB_ASSIGN_OR_RETURN(std::string_view direction, json.StringOr("direction", "Right"));
  if (direction == "Left") {
    truncation.direction = Side::kLeft;
  } else if (direction != "Right") {
    return UnsupportedComponent(json.FindOrNull("direction"), "Left, Right");
  }
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
