#include "text/padding.h"

#include <algorithm>
#include <string>

#include "base/json_fields.h"

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
  JsonFields fields(json);
  Padding padding;
  if (const Json strategy = fields.Any("strategy"); strategy.is_object()) {
    JsonFields fixed(strategy);
    padding.length = static_cast<size_t>(fixed.RequiredInt("Fixed", 0, kLongestPadding));
    PB_RETURN_IF_ERROR(fixed.Finish());
  } else {
    fields.Choice("strategy", 0, "BatchLongest");
  }
  if (fields.Choice("direction", 1, "Left, Right") == 0) padding.direction = Side::kLeft;
  padding.pad_to_multiple_of =
      static_cast<size_t>(fields.Int("pad_to_multiple_of", 0, 0, kLongestPadding));
  const int64_t pad_id = fields.Int("pad_id", -1, 0, INT32_MAX);
  if (pad_id >= 0) padding.pad_id = static_cast<int32_t>(pad_id);
  padding.pad_type_id = static_cast<int32_t>(fields.Int("pad_type_id", 0, 0, INT32_MAX));
  fields.Any("pad_token");  // the id says it
  PB_RETURN_IF_ERROR(fields.Finish());
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
  uint64_t windows = 0;
  for (const Encoding& encoding : encodings) windows += 1 + encoding.overflow.size();
  if (length * windows > kMostTokens) {
    return TooLongError(Message("padding gives ") + length * windows +
                        " tokens, expected at most " + kMostTokens);
  }
  for (Encoding& encoding : encodings) {
    PadOne(encoding, length, padding, padding.pad_id.value_or(pad_id));
  }
  return Done{};
}

}  // namespace pocketbert
