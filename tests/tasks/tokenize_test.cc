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

TEST_CASE("encodings laid end to end, windows after their item") {
  const Folder folder = Fixture("enc");
  auto tokenizer = Open(folder, {"tokenizer.json", "tokenizer_config.json"});
  REQUIRE(tokenizer.ok());
  EncodeOptions options;
  options.truncation = Truncation{.max_length = 4};
  const std::vector<TextPair> items = {{"boat", {}}, {"one day night", {}}, {"one", "day"}};
  const auto all = Tokenize(tokenizer.value(), items, {});
  REQUIRE(all.ok());
  CHECK(all.value().items == std::vector<uint32_t>{0, 1, 2});
  CHECK(all.value().starts == std::vector<uint32_t>{0, 3, 8, 13});
  CHECK(all.value().offsets == std::vector<uint32_t>{0, 0, 0, 4, 0, 0,                     //
                                                     0, 0, 0, 3, 4, 7, 8, 13, 0, 0,       //
                                                     0, 0, 0, 3, 0, 0, 0, 3, 0, 0});
  CHECK(all.value().sequence_ids ==
        std::vector<int8_t>{-1, 0, -1, -1, 0, 0, 0, -1, -1, 0, -1, 1, -1});
  CHECK(all.value().type_ids == std::vector<uint8_t>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1});
  CHECK(all.value().word_ids == std::vector<int32_t>{-1, 0, -1, -1, 0, 1, 2, -1, -1, 0, -1, 0, -1});
  CHECK(all.value().truncated == std::vector<uint8_t>{0, 0, 0});

  const std::vector<TextPair> first_two = {items[0], items[1]};
  const auto windows = Tokenize(tokenizer.value(), first_two, options);
  REQUIRE(windows.ok());
  CHECK(windows.value().items == std::vector<uint32_t>{0, 1, 1});
  CHECK(windows.value().starts == std::vector<uint32_t>{0, 3, 7, 10});
  CHECK(windows.value().truncated[1] == 1);
  CHECK(windows.value().ids[3] == all.value().ids[3]);
  CHECK(windows.value().ids[8] == all.value().ids[6]);
  CHECK(windows.value().special_tokens_mask ==
        std::vector<uint8_t>{1, 0, 1, 1, 0, 0, 1, 1, 0, 1});

  const auto counts = CountTokens(tokenizer.value(), items);
  REQUIRE(counts.ok());
  CHECK(counts.value() == std::vector<uint32_t>{3, 5, 5});
}

TEST_CASE("a folder's tokenizer files: vocab.txt alone, and nothing") {
  const Folder folder = Fixture("enc");
  auto from_json = Open(folder, {"tokenizer.json"});
  auto from_vocab = Open(folder, {"vocab.txt", "tokenizer_config.json"});
  REQUIRE(from_json.ok());
  REQUIRE(from_vocab.ok());
  const std::vector<TextPair> items = {{"The old river boat was slow.", "Sail on!"}};
  CHECK(Tokenize(from_json.value(), items, {}).value().ids ==
        Tokenize(from_vocab.value(), items, {}).value().ids);
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
