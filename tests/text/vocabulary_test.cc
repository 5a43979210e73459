#include "text/vocabulary.h"

#include <catch2/catch_amalgamated.hpp>
#include <random>
#include <string>

namespace pocketbert {
namespace {

Vocabulary FromLines(std::string_view text) {
  auto vocabulary = Vocabulary::FromLines(text, "vocab.txt");
  REQUIRE(vocabulary.ok());
  return std::move(vocabulary).value();
}

void CheckSame(const Vocabulary& a, const Vocabulary& b) {
  REQUIRE(a.id_limit() == b.id_limit());
  CHECK(a.size() == b.size());
  for (size_t id = 0; id < a.id_limit(); ++id) {
    REQUIRE(a.Has(id) == b.Has(id));
    if (!a.Has(id)) continue;
    CHECK(a.Text(id) == b.Text(id));
    CHECK(b.Find(a.Text(id)) == static_cast<int32_t>(id));
  }
}

// The rule of transformers' load_vocab with text files as they are written.
TEST_CASE("vocab.txt: only line feeds part lines, empty ones count, the last of equals wins") {
  const Vocabulary vocabulary = FromLines("a\r\n\u2028\n\n b \nx\ry\na\nlast");
  CHECK(vocabulary.Find("\u2028") == 1);
  CHECK(vocabulary.Find("") == 2);
  CHECK(vocabulary.Find(" b ") == 3);
  CHECK(vocabulary.Find("x\ry") == 4);
  CHECK(vocabulary.Find("a") == 5);
  CHECK_FALSE(vocabulary.Has(0));
  CHECK(vocabulary.Find("last") == 6);
  CHECK(vocabulary.Find("las") == -1);
  CHECK(vocabulary.id_limit() == 7);
  CHECK(vocabulary.size() == 6);
  CHECK(FromLines("").size() == 0);
  CHECK(FromLines("").Find("") == -1);
  CHECK(FromLines("a\n").id_limit() == 1);
  CHECK_FALSE(Vocabulary::FromLines("a\n\xC3\n", "vocab.txt").ok());
}

TEST_CASE("entries with gaps, and what is refused") {
  const std::vector<VocabularyEntry> entries = {{"b", 5}, {"a", 0}, {"b", 3}, {"a", 0}};
  const Vocabulary vocabulary = Vocabulary::FromEntries(entries, "vocab").value();
  CHECK(vocabulary.Find("b") == 3);
  CHECK(vocabulary.Find("a") == 0);
  CHECK_FALSE(vocabulary.Has(5));
  CHECK_FALSE(vocabulary.Has(1));
  CHECK_FALSE(vocabulary.Has(6));
  CHECK(vocabulary.id_limit() == 6);

  const auto failure = [](std::vector<VocabularyEntry> list) {
    auto result = Vocabulary::FromEntries(list, "tokenizer.json: model.vocab");
    REQUIRE_FALSE(result.ok());
    return result.error().message;
  };
  CHECK(failure({{"a", 1}, {"b", 1}}) ==
        "tokenizer.json: model.vocab: id 1 is given to \"a\" and to \"b\"");
  CHECK(failure({{"a", 4000000000u}}).find("4000000000") != std::string::npos);
}

TEST_CASE("the compact form gives the same vocabulary") {
  std::mt19937 random(1);
  std::vector<std::string> texts;
  for (size_t i = 0; i < 5000; ++i) {
    std::string text = std::to_string(random() % 20000);
    if (i % 7 == 0) text = "##" + text;
    if (i % 11 == 0) text.append(random() % 400, 'x');
    texts.push_back(text);
  }
  std::vector<VocabularyEntry> entries;
  for (uint32_t i = 0; i < texts.size(); ++i) entries.push_back({texts[i], i * 3});
  const Vocabulary vocabulary = Vocabulary::FromEntries(entries, "vocab").value();
  const std::vector<uint8_t> bytes = vocabulary.Serialize();
  auto again = Vocabulary::FromBytes(bytes);
  REQUIRE(again.ok());
  CheckSame(vocabulary, again.value());
  CHECK(again.value().Serialize() == bytes);
  const std::vector<uint8_t> ordered = vocabulary.SerializeOrdered();
  auto from_ordered = Vocabulary::FromBytes(ordered);
  REQUIRE(from_ordered.ok());
  CheckSame(vocabulary, from_ordered.value());
  CHECK(from_ordered.value().Serialize() == bytes);
  CHECK(from_ordered.value().SerializeOrdered() == ordered);
  const Vocabulary moved = std::move(from_ordered).value();
  CheckSame(vocabulary, moved);
  CheckSame(FromLines(""), Vocabulary::FromBytes(FromLines("").Serialize()).value());
  CheckSame(FromLines("\na\n"), Vocabulary::FromBytes(FromLines("\na\n").Serialize()).value());
}

TEST_CASE("the compact form is laid out as documented") {
  const std::vector<VocabularyEntry> entries = {{"ab", 0}, {"c", 2}, {"", 3}};
  const std::vector<uint8_t> expected = {'P', 'B', 'V', 'O', 'C', 'A', 'B', '1', 4, 0, 0,   0,
                                         3,   0,   0,   0,   3,   0,   2,   1,   'a', 'b', 'c'};
  CHECK(Vocabulary::FromEntries(entries, "vocab").value().Serialize() == expected);
  std::vector<VocabularyEntry> lengthy = {{"", 0}};
  const std::string text(299, 'x');
  lengthy[0].text = text;
  const std::vector<uint8_t> bytes = Vocabulary::FromEntries(lengthy, "vocab").value().Serialize();
  CHECK(bytes[16] == 0xAC);  // 300 = 0b10'0101100
  CHECK(bytes[17] == 0x02);
}

std::vector<uint8_t> Ordered(uint8_t limit, uint8_t count, uint8_t text_bytes,
                             const std::string& lists) {
  std::vector<uint8_t> bytes = {'P', 'B', 'V', 'O', 'C', 'A', 'B', '3'};
  for (const uint8_t number : {limit, count, text_bytes}) {
    bytes.insert(bytes.end(), {number, 0, 0, 0});
  }
  bytes.insert(bytes.end(), lists.begin(), lists.end());
  return bytes;
}

TEST_CASE("the ordered form is laid out as documented") {
  const std::vector<VocabularyEntry> one = {{"ab", 2}};
  CHECK(Vocabulary::FromEntries(one, "vocab").value().SerializeOrdered() ==
        Ordered(3, 1, 3, "\2\2ab"));
  const std::string text(300, 'x');
  const std::vector<VocabularyEntry> lengthy = {{text, 0}};
  const std::vector<uint8_t> bytes =
      Vocabulary::FromEntries(lengthy, "vocab").value().SerializeOrdered();
  CHECK(std::vector<uint8_t>(bytes.begin() + 20, bytes.begin() + 25) ==
        std::vector<uint8_t>{0, 127, 127, 46, 'x'});
  CHECK(bytes.size() == 24 + text.size());
  // Any order is read: 3, 1, 2 of ids below 5.
  const std::vector<uint8_t> mixed = Ordered(5, 3, 6, std::string("\3\2\0\1c\0\2é", 9));
  const auto vocabulary = Vocabulary::FromBytes(mixed);
  REQUIRE(vocabulary.ok());
  CHECK(vocabulary.value().Find("c") == 3);
  CHECK(vocabulary.value().Find("") == 1);
  CHECK(vocabulary.value().Find("é") == 2);
  CHECK(vocabulary.value().Text(2) == "é");
  CHECK_FALSE(vocabulary.value().Has(0));
  CHECK(vocabulary.value().id_limit() == 5);
}

TEST_CASE("damaged ordered forms are refused") {
  const auto fails = [](uint8_t limit, uint8_t count, uint8_t text_bytes, std::string lists) {
    CHECK_FALSE(Vocabulary::FromBytes(Ordered(limit, count, text_bytes, lists)).ok());
  };
  fails(2, 3, 6, std::string("\0\0\0\1a\1b\1c", 9));  // more entries than ids
  fails(3, 2, 4, std::string("\0\2\1a\1b", 6));        // the same id twice
  fails(3, 2, 4, std::string("\0\7\1a\1b", 6));        // an id too large
  fails(3, 2, 4, std::string("\0\0\1a\1a", 6));        // a text twice
  fails(3, 2, 4, std::string("\0\0\1a\2b", 6));        // a text too long
  fails(3, 2, 4, std::string("\0\0\1a\x7F" "b", 6));   // the same, behind a long length
  fails(3, 2, 4, std::string("\0\0\1a\0b", 6));        // more bytes than texts
  fails(3, 2, 4, std::string("\0\0\0\1a\1b", 7));      // more steps than entries
  fails(3, 2, 4, std::string("\0\x80\1a\1b", 6));      // a step without end
  fails(3, 1, 2, std::string("\0\1\xC3", 3));           // not UTF-8
  fails(3, 2, 5, std::string("\0\0\1\xC3\1\xA9", 6));  // two halves of a character
  const Vocabulary vocabulary = FromLines("[PAD]\nhello\n##s\né\n" + std::string(200, 'y'));
  const std::vector<uint8_t> good = vocabulary.SerializeOrdered();
  for (size_t size = 0; size < good.size(); ++size) {
    const std::vector<uint8_t> cut(good.begin(), good.begin() + static_cast<ptrdiff_t>(size));
    CHECK_FALSE(Vocabulary::FromBytes(cut).ok());
  }
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint8_t> bytes = good;
    for (int change = 0; change < 1 + i % 3; ++change) {
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    }
    auto result = Vocabulary::FromBytes(bytes);  // must not crash; if it loads it must be sound
    if (result.ok()) CheckSame(result.value(), result.value());
  }
}

TEST_CASE("damaged compact forms are refused") {
  const std::vector<uint8_t> good = FromLines("[PAD]\nhello\n##s\n").Serialize();
  for (size_t size = 0; size < good.size(); ++size) {
    CHECK_FALSE(Vocabulary::FromBytes(std::span(good).first(size)).ok());
  }
  std::vector<uint8_t> longer = good;
  longer.push_back('x');
  CHECK_FALSE(Vocabulary::FromBytes(longer).ok());
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint8_t> bytes = good;
    for (int change = 0; change < 1 + i % 3; ++change) {
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    }
    auto result = Vocabulary::FromBytes(bytes);  // must not crash; if it loads it must be sound
    if (result.ok()) CheckSame(result.value(), Vocabulary::FromBytes(bytes).value());
  }
  const auto with = [&](size_t at, std::vector<uint8_t> values) {
    std::vector<uint8_t> bytes = good;
    std::copy(values.begin(), values.end(), bytes.begin() + static_cast<ptrdiff_t>(at));
    return Vocabulary::FromBytes(bytes).ok();
  };
  CHECK(with(8, {3, 0, 0, 0}));
  CHECK_FALSE(with(8, {0xFF, 0xFF, 0xFF, 0xFF}));   // number of ids
  CHECK_FALSE(with(12, {0xFF, 0xFF, 0xFF, 0xFF}));  // bytes of text
  CHECK_FALSE(with(16, {0xFF, 0xFF, 0xFF}));        // lengths without end
  CHECK_FALSE(with(19, {0xC0}));                    // not UTF-8
  // [PAD] hello ##s → he[PA lo … : two equal texts
  const std::vector<uint8_t> twice = FromLines("ab\ncd\n").Serialize();
  std::vector<uint8_t> equal = twice;
  equal[18] = equal[20] = 'x';
  equal[19] = equal[21] = 'y';
  CHECK_FALSE(Vocabulary::FromBytes(equal).ok());
}

}  // namespace
}  // namespace pocketbert
