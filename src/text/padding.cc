#include "text/padding.h"

#include <algorithm>
#include <string>

#include "text/component_json.h"

namespace pocketbert {
namespace {

constexpr size_t kLongestPadding = size_t{1} << 24;

template <typename T>
void Pad(std::vector<T>& values, size_t length, T value, Side side) {
  const size_t more = length - values.size();
  values.insert(side == Side::kLeft ? values.begin() : values.end(), more, value);
}

void PadOne(Encoding& encoding, size_t length, const Padding& padding, int32_t pad_id) {
  for (Encoding& window : encoding.overflow) PadOne(window, length, padding, pad_id);
  if (encoding.size() >= length) return;
  const Side side = padding.direction;
  Pad(encoding.ids, length, pad_id, side);
  Pad(encoding.offsets, length, Range{}, side);
  Pad(encoding.type_ids, length, padding.pad_type_id, side);
  Pad(encoding.attention_mask, length, uint8_t{0}, side);
  Pad(encoding.special_tokens_mask, length, uint8_t{1}, side);
  Pad(encoding.word_ids, length, int32_t{-1}, side);
  Pad(encoding.sequence_ids, length, int8_t{-1}, side);
}

}  // namespace

Result<std::optional<Padding>> ReadPadding(Json json) {
  if (json.is_null()) return std::optional<Padding>();
  PB_RETURN_IF_ERROR(json.AsObject());
  PB_RETURN_IF_ERROR(CheckKnownKeys(json, {"strategy", "direction", "pad_to_multiple_of", "pad_id",
                                           "pad_type_id", "pad_token"}));
  Padding padding;
  const Json strategy = json.FindOrNull("strategy");
  if (strategy.is_object()) {
    PB_RETURN_IF_ERROR(CheckKnownKeys(strategy, {"Fixed"}));
    PB_ASSIGN_OR_RETURN(int64_t length, strategy.GetInt("Fixed", 0, kLongestPadding));
    padding.length = static_cast<size_t>(length);
  } else {
    PB_ASSIGN_OR_RETURN(std::string_view name, json.StringOr("strategy", "BatchLongest"));
    if (name != "BatchLongest") return UnsupportedComponent(strategy, "BatchLongest, Fixed");
  }
  PB_ASSIGN_OR_RETURN(std::string_view direction, json.StringOr("direction", "Right"));
  if (direction == "Left") {
    padding.direction = Side::kLeft;
  } else if (direction != "Right") {
    return UnsupportedComponent(json.FindOrNull("direction"), "Left, Right");
  }
  PB_ASSIGN_OR_RETURN(int64_t multiple, json.IntOr("pad_to_multiple_of", 0, 0, kLongestPadding));
  padding.pad_to_multiple_of = static_cast<size_t>(multiple);
  if (const Json id = json.FindOrNull("pad_id"); !id.is_null()) {
    PB_ASSIGN_OR_RETURN(int64_t pad_id, id.AsInt(0, INT32_MAX));
    padding.pad_id = static_cast<int32_t>(pad_id);
  }
  PB_ASSIGN_OR_RETURN(int64_t type_id, json.IntOr("pad_type_id", 0, 0, INT32_MAX));
  padding.pad_type_id = static_cast<int32_t>(type_id);
  return std::optional<Padding>(padding);
}

Status PadEncodings(std::span<Encoding> encodings, const Padding& padding, int32_t pad_id) {
  size_t length = padding.length.value_or(0);
  if (!padding.length) {
    for (const Encoding& encoding : encodings) length = std::max(length, encoding.size());
  }
  const size_t multiple = padding.pad_to_multiple_of;
  if (length > kLongestPadding || multiple > kLongestPadding) {
    return InvalidArgumentError(Message("padding to ") + std::max(length, multiple) +
                                " tokens, expected at most " + kLongestPadding);
  }
  if (multiple > 0) length = (length + multiple - 1) / multiple * multiple;
  for (Encoding& encoding : encodings) {
    PadOne(encoding, length, padding, padding.pad_id.value_or(pad_id));
  }
  return Done{};
}

}  // namespace pocketbert
