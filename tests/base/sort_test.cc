#include "base/sort.h"

#include <algorithm>
#include <catch2/catch_amalgamated.hpp>
#include <string>

namespace pocketbert {
namespace {

TEST_CASE("items come out as std::stable_sort leaves them") {
  uint32_t state = 12345;
  for (size_t count = 0; count < 70; ++count) {
    std::vector<std::pair<uint32_t, size_t>> items;
    for (size_t i = 0; i < count; ++i) {
      state = state * 1664525 + 1013904223;
      items.push_back({(state >> 16) % 10, i});
    }
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    auto expected = items;
    std::stable_sort(expected.begin(), expected.end(), less);
    SortStably(items, less);
    CHECK(items == expected);
  }
}

TEST_CASE("items that only move") {
  std::vector<std::unique_ptr<int>> items;
  for (int i : {3, 1, 2}) items.push_back(std::make_unique<int>(i));
  SortStably(items, [](const auto& a, const auto& b) { return *a < *b; });
  CHECK((*items[0] == 1 && *items[1] == 2 && *items[2] == 3));
}

TEST_CASE("part of a list of indices") {
  std::vector<uint32_t> order = {9, 3, 2, 1, 0};
  const std::vector<std::string> texts = {"d", "b", "c", "a"};
  SortIndices(std::span(order).subspan(1),
              [&](uint32_t a, uint32_t b) { return texts[a] < texts[b]; });
  CHECK(order == std::vector<uint32_t>{9, 3, 1, 2, 0});
  CHECK(CountUp(3) == std::vector<uint32_t>{0, 1, 2});
}

}  // namespace
}  // namespace pocketbert
