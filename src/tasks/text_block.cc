#include "tasks/text_block.h"

#include "base/check.h"

namespace pocketbert {

std::vector<TextPair> SplitTexts(std::span<const uint8_t> bytes, std::span<const uint32_t> ends,
                                 size_t first) {
  PB_CHECK(ends.size() % 2 == 0);
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  size_t begin = 0;
  const auto take = [&](size_t end) {
    PB_CHECK(begin <= end && end <= all.size());
    const std::string_view text = all.substr(begin, end - begin);
    begin = end;
    return text;
  };
  std::vector<TextPair> items;
  for (size_t i = 0; i < ends.size() / 2; ++i) {
    TextPair item{take(ends[2 * i]), std::nullopt};
    if (ends[2 * i + 1] != kNoPair) item.pair = take(ends[2 * i + 1]);
    if (i >= first) items.push_back(item);
  }
  return items;
}

std::vector<std::string_view> TextsOf(std::span<const TextPair> items) {
  std::vector<std::string_view> texts;
  for (const TextPair& item : items) texts.push_back(item.text);
  return texts;
}

}  // namespace pocketbert
