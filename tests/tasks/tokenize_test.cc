#include "tasks/tokenize.h"

#include <catch2/catch_amalgamated.hpp>

#include "tasks/describe.h"
#include "tasks/fixture.h"

namespace pocketbert {
namespace {

Result<Tokenizer> Open(const Folder& folder, std::vector<std::string> paths) {
  FolderTexts texts;
  for (std::string& path : paths) texts.Add(path, folder.at(path));
  return OpenTokenizer(texts);
}

using Numbers = std::vector<int32_t>;

// The lists in the numbers that Tokenize gives.
struct Lists {
  explicit Lists(const Result<Numbers>& result) : numbers(result.value()) {
    const auto count = static_cast<size_t>(numbers.at(0));
    items = Next(count);
    truncated = Next(count);
    starts = Next(count + 1);
    const auto tokens = static_cast<size_t>(starts.back());
    ids = Next(tokens);
    word_ids = Next(tokens);
    marks = Next(tokens);
    ranges = Next(2 * tokens);
    CHECK(at == numbers.size());
  }

  Numbers Next(size_t size) {
    REQUIRE(size <= numbers.size() - at);
    const auto begin = numbers.begin() + static_cast<ptrdiff_t>(at);
    at += size;
    return {begin, begin + static_cast<ptrdiff_t>(size)};
  }

  Numbers numbers;
  size_t at = 1;
  Numbers items, truncated, starts, ids, word_ids, marks, ranges;
};

TEST_CASE("encodings laid end to end, windows after their item") {
  const Folder folder = Fixture("enc");
  auto tokenizer = Open(folder, {"tokenizer.json", "tokenizer_config.json"});
  REQUIRE(tokenizer.ok());
  EncodeOptions options;
  options.truncation = Truncation{.max_length = 4};
  const std::vector<TextPair> items = {{"boat", {}}, {"one day night", {}}, {"one", "day"}};
  const Lists all(Tokenize(tokenizer.value(), items, {}));
  CHECK(all.items == Numbers{0, 1, 2});
  CHECK(all.truncated == Numbers{0, 0, 0});
  CHECK(all.starts == Numbers{0, 3, 8, 13});
  CHECK(all.ranges == Numbers{0, 0, 0, 4, 0, 0,                  //
                              0, 0, 0, 3, 4, 7, 8, 13, 0, 0,     //
                              0, 0, 0, 3, 0, 0, 0, 3, 0, 0});
  CHECK(all.word_ids == Numbers{-1, 0, -1, -1, 0, 1, 2, -1, -1, 0, -1, 0, -1});
  // Bit 0: attention, bit 1: special, from bit 2: sequence + 1, from bit 4: type.
  CHECK(all.marks == Numbers{3, 5, 3, 3, 5, 5, 5, 3, 3, 5, 3, 16 + 9, 16 + 3});

  const std::vector<TextPair> first_two = {items[0], items[1]};
  const Lists windows(Tokenize(tokenizer.value(), first_two, options));
  CHECK(windows.items == Numbers{0, 1, 1});
  CHECK(windows.starts == Numbers{0, 3, 7, 10});
  CHECK(windows.truncated == Numbers{0, 1, 1});
  CHECK(windows.ids[3] == all.ids[3]);
  CHECK(windows.ids[8] == all.ids[6]);
  CHECK(windows.marks == Numbers{3, 5, 3, 3, 5, 5, 3, 3, 5, 3});

  const Lists none(Tokenize(tokenizer.value(), {}, options));
  CHECK(none.starts == Numbers{0});
  CHECK(none.ids.empty());

  const auto counts = CountTokens(tokenizer.value(), items);
  REQUIRE(counts.ok());
  CHECK(counts.value() == std::vector<uint32_t>{3, 5, 5});
}

TEST_CASE("tokens of long texts are counted as they are encoded") {
  const std::string hand = GENERATE(kHand + "fixtures/enc", kHand + "fixtures/ner",
                                    kFamiliesHand + "fixtures/roberta",
                                    kFamiliesHand + "fixtures/xlmr");
  INFO(hand);
  Opened opened = pocketbert::Open(ReadFolder(hand));
  std::vector<std::string> texts;
  for (const char* unit : {"boat ", "[MASK]", "one [MASK]<mask> day", "\xE6\xA9\x8B", "\xFF ", ""}) {
    for (const size_t times : {1, 2, 3, 5000}) {
      std::string text;
      for (size_t i = 0; i < times; ++i) text += unit;
      texts.push_back(std::move(text));
    }
  }
  std::vector<TextPair> items(texts.begin(), texts.end());
  for (size_t i = 0; i + 1 < texts.size(); ++i) items.push_back({texts[i], texts[i + 1]});
  const auto counts = CountTokens(opened.model.tokenizer(), items);
  REQUIRE(counts.ok());
  REQUIRE(counts.value().size() == items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    const auto encoded = opened.model.tokenizer().Encode(items[i].text, items[i].pair, {});
    REQUIRE(encoded.ok());
    CHECK(counts.value()[i] == encoded.value().tokens.size());
  }
}

TEST_CASE("a folder's tokenizer files: vocab.txt alone, and nothing") {
  const Folder folder = Fixture("enc");
  auto from_json = Open(folder, {"tokenizer.json"});
  auto from_vocab = Open(folder, {"vocab.txt", "tokenizer_config.json"});
  REQUIRE(from_json.ok());
  REQUIRE(from_vocab.ok());
  const std::vector<TextPair> items = {{"The old river boat was slow.", "Sail on!"}};
  CHECK(Tokenize(from_json.value(), items, {}).value() ==
        Tokenize(from_vocab.value(), items, {}).value());
  auto nothing = Open(folder, {});
  REQUIRE_FALSE(nothing.ok());
  CHECK(nothing.error().message.find("tokenizer.json") != std::string::npos);
}

TEST_CASE("what a tokenizer tells of itself") {
  const Folder folder = Fixture("enc");
  auto tokenizer = Open(folder, {"tokenizer.json"});
  REQUIRE(tokenizer.ok());
  const auto parsed = ParseJson(DescribeTokenizer(tokenizer.value()), "info");
  REQUIRE(parsed.ok());
  const Json info = parsed.value().root();
  CHECK(info.GetInt("vocabularySize").value() == 117);
  CHECK(info.GetInt("idLimit").value() == 117);
  const Json special = info.GetObject("specialTokens").value();
  for (const auto& [role, token] : {std::pair{"pad", "[PAD]"}, std::pair{"unk", "[UNK]"},
                                   std::pair{"cls", "[CLS]"}, std::pair{"sep", "[SEP]"},
                                   std::pair{"mask", "[MASK]"}}) {
    CHECK(special.GetInt(role).value() == tokenizer.value().TokenToId(token).value());
  }
  CHECK(info.GetArray("differences").value().size() == 0);
}

TEST_CASE("what a model tells of itself") {
  Opened opened = pocketbert::Open(Fixture("cls-many"));
  const auto parsed = ParseJson(DescribeModel(opened.model, opened.session), "info");
  REQUIRE(parsed.ok());
  const Json info = parsed.value().root();
  CHECK(info.GetString("modelType").value() == "bert");
  CHECK(info.GetArray("tasks").value().size() == 2);
  CHECK(info.GetInt("layers").value() == 2);
  CHECK(info.GetInt("hiddenSize").value() == 24);
  CHECK(info.GetInt("dimensions").value() == 24);
  CHECK(info.GetInt("maxLength").value() == 48);
  CHECK(info.GetString("precision").value() == "float32");
  CHECK(info.GetInt("scratchBytes").value() > 0);
  CHECK(info.GetInt("weightBytes").value() > 60000);
  const Json head = *info.GetArray("heads").value().Items().begin();
  CHECK(head.GetString("name").value() == "default");
  CHECK(head.GetString("activation").value() == "softmax");
  CHECK(head.GetArray("labels").value().size() == 12);
  CHECK(info.Get("tokenizer").value().GetInt("vocabularySize").value() == 117);
}

}  // namespace
}  // namespace pocketbert
