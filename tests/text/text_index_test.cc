#include "text/text_index.h"

#include <catch2/catch_amalgamated.hpp>
#include <random>
#include <string>
#include <vector>

namespace pocketbert {
namespace {

TEST_CASE("bytes as a number, the first lowest") {
  const char bytes[] = {1, 2, 3, 4, 5, 6, 7, -1};
  uint64_t expected = 0;
  for (size_t count = 0; count <= 8; ++count) {
    CHECK(LoadBytes(bytes, count) == expected);
    const auto next = static_cast<uint8_t>(bytes[count % 8]);
    if (count < 8) expected |= static_cast<uint64_t>(next) << (8 * count);
  }
}

TEST_CASE("the key of a shortened text is that of the shorter text") {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::string text;
    for (size_t i = random() % 60; i > 0; --i) text += static_cast<char>(random());
    TextKey key(text);
    for (size_t size = text.size();; --size) {
      CHECK(key.size() == size);
      CHECK(key.key() == TextKey(std::string_view(text).substr(0, size)).key());
      if (size == 0) break;
      key.Shorten();
    }
  }
}

TEST_CASE("texts are found by their bytes, whatever their length") {
  std::vector<std::string> texts = {"", std::string(1, '\0'), std::string(2, '\0'),
                                    std::string(9, '\0')};
  std::mt19937 random(4);
  for (size_t i = 0; i < 3000; ++i) {
    std::string text = std::to_string(i) + "/";
    text.append(random() % 20, 'x');
    texts.push_back(text);
  }
  TextIndex index;
  index.Reset(texts.size());
  const auto find = [&](std::string_view text) {
    return index.Find(TextKey(text),
                      [&](int32_t id) { return texts[static_cast<size_t>(id)] == text; });
  };
  for (size_t i = 0; i < texts.size(); ++i) {
    CHECK(find(texts[i]) == -1);
    CHECK(index.Insert(TextKey(texts[i]), static_cast<int32_t>(i)));
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    CHECK(find(texts[i]) == static_cast<int32_t>(i));
    CHECK(find(texts[i] + "y") == -1);
  }
  CHECK(TextIndex().Find(TextKey("a"), [](int32_t) { return true; }) == -1);
}

TEST_CASE("texts of one hash are told apart; too many of them are refused") {
  // Two long texts that the index takes for the same until it compares them.
  TextIndex index;
  index.Reset(1000);
  const std::string a = "0123456789";
  CHECK(index.Insert(TextKey(a), 7));
  CHECK(index.Find(TextKey(a), [](int32_t) { return false; }) == -1);
  CHECK(index.Find(TextKey(a), [](int32_t id) { return id == 7; }) == 7);
  size_t inserted = 1;
  while (inserted < 1000 && index.Insert(TextKey(a), 8)) ++inserted;
  CHECK(inserted < 1000);
}

}  // namespace
}  // namespace pocketbert
