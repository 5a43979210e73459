#pragma once
// Many texts in two arrays: how a caller hands over a list of texts, or of pairs, in one piece.
//
//   bytes  "hiyou there"
//   ends   [2 kNoPair] [5 11]      "hi" alone; "you" with the pair " there"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace pocketbert {

inline constexpr uint32_t kNoPair = 0xffffffff;

// The items from number `first` on, as views of `bytes`. `ends` has two entries an item: where in
// `bytes` its text ends and where its pair ends, or kNoPair; each begins where the one before
// ended. Ends that fall or lie beyond `bytes` are a bug of the caller and stop.
std::vector<TextPair> SplitTexts(std::span<const uint8_t> bytes, std::span<const uint32_t> ends,
                                 size_t first = 0);

// The texts of items, whose pairs do not count.
std::vector<std::string_view> TextsOf(std::span<const TextPair> items);

}  // namespace pocketbert
