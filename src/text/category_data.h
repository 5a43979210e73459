#pragma once
// The packed tables of category_data.cc, which tests/reference/unicode/generate_categories.py
// makes; char_category.cc unpacks them.

#include <cstddef>
#include <cstdint>

namespace pocketbert {

inline constexpr size_t kCategoryDataBytes = 4486;
extern const uint8_t kCategoryData[kCategoryDataBytes];

}  // namespace pocketbert
