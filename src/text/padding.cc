#include "text/padding.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/json_fields.h"

namespace pocketbert {
namespace {

constexpr size_t kLongestPadding = size_t{1} << 24;

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
  padding.pad_type_id =
      static_cast<int32_t>(fields.Int("pad_type_id", 0, 0, TokenMarks::kLargestType));
  fields.Any("pad_token");  // the id says it
  PB_RETURN_IF_ERROR(fields.Finish());
  return std::optional<Padding>(padding);
}

Status PadEncodings(Encodings& encodings, const Padding& padding, int32_t pad_id) {
  size_t length = padding.length.value_or(0);
  if (!padding.length) {
    for (size_t e = 0; e < encodings.size(); ++e) {
      // Further windows of an item wait for what its first one needs.
      if (e > 0 && encodings.items[e] == encodings.items[e - 1]) continue;
      length = std::max<size_t>(length, encodings.starts[e + 1] - encodings.starts[e]);
    }
  }
  const size_t multiple = padding.pad_to_multiple_of;
  if (length > kLongestPadding || multiple > kLongestPadding) {
    return InvalidArgumentError(Message("padding to ") + std::max(length, multiple) +
                                " tokens, expected at most " + kLongestPadding);
  }
  if (multiple > 0) length = (length + multiple - 1) / multiple * multiple;
  const uint64_t total = uint64_t{length} * encodings.size();
  if (total > kMostTokens) {
    return TooLongError(Message("padding gives ") + total + " tokens, expected at most " +
                        kMostTokens);
  }
  const Token pad = {padding.pad_id.value_or(pad_id), {}, -1,
                     TokenMarks::Padding(padding.pad_type_id)};
  std::vector<Token> padded;
  padded.reserve(std::max<size_t>(total, encodings.tokens.size()));
  for (size_t e = 0; e < encodings.size(); ++e) {
    const Token* const begin = encodings.tokens.data() + encodings.starts[e];
    const Token* const end = encodings.tokens.data() + encodings.starts[e + 1];
    const auto size = static_cast<size_t>(end - begin);
    const size_t more = length > size ? length - size : 0;
    encodings.starts[e] = static_cast<uint32_t>(padded.size());
    if (padding.direction == Side::kLeft) padded.insert(padded.end(), more, pad);
    padded.insert(padded.end(), begin, end);
    if (padding.direction == Side::kRight) padded.insert(padded.end(), more, pad);
  }
  encodings.starts.back() = static_cast<uint32_t>(padded.size());
  encodings.tokens = std::move(padded);
  return Done{};
}

}  // namespace pocketbert
