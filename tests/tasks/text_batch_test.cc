#include "tasks/text_batch.h"

#include <catch2/catch_amalgamated.hpp>

#include "support/text_encoding.h"
#include "tasks/fixture.h"
#include "tasks/text_block.h"

namespace pocketbert {
namespace {

const std::string kLong =
    "A new stone bridge by the mill, one day and one night at the water city. A new stone bridge "
    "by the mill, one day and one night at the water city.";

TextBatch Fill(Opened& opened, const std::vector<TextPair>& texts, const LengthOptions& options,
               std::string_view prefix = {}) {
  auto batch = FillBatch(opened.model, opened.session, {texts}, prefix, options);
  if (!batch.ok()) FAIL(batch.error().message);
  return std::move(batch).value();
}

Error FillError(Opened& opened, TextList list, const LengthOptions& options) {
  auto batch = FillBatch(opened.model, opened.session, list, {}, options);
  REQUIRE_FALSE(batch.ok());
  return std::move(batch).error();
}

TEST_CASE("tokens back to back, types and offsets") {
  Opened opened = Open(Fixture("cls"));
  const Tokenizer& tokenizer = opened.model.tokenizer();
  const TextBatch batch = Fill(opened, {{"boat", {}}, {"one", "day"}, {"", {}}}, {});
  const int32_t cls = tokenizer.special_ids().cls, sep = tokenizer.special_ids().sep;
  const auto id = [&](std::string_view token) { return tokenizer.TokenToId(token).value(); };
  CHECK(batch.ids == std::vector<int32_t>{cls, id("boat"), sep, cls, id("one"), sep, id("day"),
                                          sep, cls, sep});
  CHECK(batch.type_ids == std::vector<uint8_t>{0, 0, 0, 0, 0, 0, 1, 1, 0, 0});
  CHECK(batch.offsets == std::vector<uint32_t>{0, 3, 8, 10});
  CHECK(batch.truncated == std::vector<uint8_t>{0, 0, 0});
  CHECK(batch.Lengths() == std::vector<uint32_t>{3, 5, 2});
  CHECK(Fill(opened, {{"day", {}}}, {}, "one ").Lengths() == std::vector<uint32_t>{4});
}

TEST_CASE("a model without token types gets none") {
  Opened opened = Open(Fixture("distil"));
  CHECK(Fill(opened, {{"one", "day"}}, {}).type_ids.empty());
}

TEST_CASE("a text, or a pair, far too long is refused by its number of tokens") {
  Opened opened = Open(Fixture("cls"));
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "boat ";
  const LengthOptions whole = {.truncate = Truncate::kError, .max_length = 8};
  const auto message = [&](const TextPair& item) {
    const std::vector<TextPair> items = {item};
    const Error error = FillError(opened, {items, 4}, whole);
    CHECK(error.code == ErrorCode::kTooLong);
    return error.message;
  };
  CHECK(message({text, {}}) == "text 4: has 3002 tokens, expected at most 8");
  CHECK(message({"boat", text}) == "text 4: has 3004 tokens, expected at most 8");
  CHECK(message({text, text}) == "text 4: has 6003 tokens, expected at most 8");
  // Many bytes, and few tokens.
  const std::string wide = "boat" + std::string(500, ' ') + "boat";
  CHECK(Fill(opened, {{wide, {}}}, whole).Lengths() == std::vector<uint32_t>{4});
}

TEST_CASE("long texts are cut at the end or the start, and say so") {
  Opened opened = Open(Fixture("enc"));
  const size_t most = opened.model.max_length();
  REQUIRE(most == 32);
  const auto whole = EncodeText(opened.model.tokenizer(), kLong, {}, {});
  REQUIRE(whole.value().size() > most);
  const std::vector<int32_t>& ids = whole.value().ids;

  const TextBatch end = Fill(opened, {{kLong, {}}, {"boat", {}}}, {});
  CHECK(end.truncated == std::vector<uint8_t>{1, 0});
  REQUIRE(end.Lengths()[0] == most);
  CHECK(std::equal(ids.begin(), ids.begin() + 31, end.ids.begin()));
  CHECK(end.ids[31] == ids.back());

  const TextBatch start = Fill(opened, {{kLong, {}}}, {.truncate = Truncate::kStart});
  CHECK(start.truncated == std::vector<uint8_t>{1});
  REQUIRE(start.Lengths()[0] == most);
  CHECK(start.ids[0] == ids[0]);
  CHECK(std::equal(ids.end() - 31, ids.end(), start.ids.begin() + 1));

  const TextBatch shorter = Fill(opened, {{kLong, {}}}, {.max_length = 5});
  CHECK(shorter.Lengths() == std::vector<uint32_t>{5});
}

TEST_CASE("errors name the text's number in the caller's list") {
  Opened opened = Open(Fixture("enc"));
  const std::vector<TextPair> texts = {{"boat", {}}, {kLong, {}}};
  const Error error = FillError(opened, {texts, 70}, {.truncate = Truncate::kError});
  CHECK(error.code == ErrorCode::kTooLong);
  const size_t tokens = EncodeText(opened.model.tokenizer(), kLong, {}, {}).value().size();
  CHECK(error.message ==
        "text 71: has " + std::to_string(tokens) + " tokens, expected at most 32");
}

TEST_CASE("max_length out of range") {
  Opened opened = Open(Fixture("enc"));
  const std::vector<TextPair> texts = {{"boat", {}}};
  for (const size_t length : {0, 33}) {
    const Error error = FillError(opened, {texts}, {.max_length = length});
    CHECK(error.code == ErrorCode::kInvalidArgument);
    CHECK(error.message.starts_with("maxLength is " + std::to_string(length) +
                                    ", expected 1 to 32"));
  }
  // No room for a token between [CLS] and [SEP] is the tokenizer's error.
  CHECK(FillError(opened, {texts}, {.max_length = 1}).code == ErrorCode::kInvalidArgument);
}

TEST_CASE("a batch ends before the text that does not fit") {
  Opened opened = Open(Fixture("enc"), Precision::kFloat32, 32);
  const std::vector<TextPair> texts(20, TextPair{"one day", {}});
  CHECK(Fill(opened, texts, {}).texts() == 8);
  const std::vector<TextPair> empty(40, TextPair{"", {}});
  CHECK(Fill(opened, empty, {}).texts() == MaxBatchTexts(32));
}

TEST_CASE("a token type beyond the table is refused by number") {
  Folder folder = Fixture("cls");
  std::string& config = folder["config.json"];
  const std::string key = "\"type_vocab_size\": 2";
  REQUIRE(config.find(key) != std::string::npos);
  // The weights have two types, so only the tokenizer can ask for a third.
  std::string& tokenizer = folder["tokenizer.json"];
  size_t at = tokenizer.find("\"type_id\": 1");
  if (at == std::string::npos) at = tokenizer.find("\"type_id\":1");
  REQUIRE(at != std::string::npos);
  while (at != std::string::npos) {
    tokenizer[tokenizer.find('1', at)] = '2';
    at = tokenizer.find("\"type_id\": 1");
    if (at == std::string::npos) at = tokenizer.find("\"type_id\":1");
  }
  Opened opened = Open(folder);
  const std::vector<TextPair> texts = {{"one", "day"}};
  const Error error = FillError(opened, {texts}, {});
  CHECK(error.code == ErrorCode::kUnsupported);
  CHECK(error.message == "text 0: token type 2, expected below type_vocab_size 2 of config.json");
}

TEST_CASE("texts in one block") {
  const std::string bytes = "hiyou there";
  const std::vector<uint32_t> ends = {2, kNoPair, 5, 11, 11, 11};
  const std::vector<TextPair> items = SplitTexts(AsBytes(bytes), ends);
  REQUIRE(items.size() == 3);
  CHECK(items[0].text == "hi");
  CHECK_FALSE(items[0].pair);
  CHECK(items[1].text == "you");
  CHECK(items[1].pair == " there");
  CHECK(items[2].text.empty());
  CHECK(items[2].pair == "");
  CHECK(SplitTexts(AsBytes(bytes), ends, 1).size() == 2);
  CHECK(SplitTexts(AsBytes(bytes), ends, 1)[0].text == "you");
  CHECK(SplitTexts({}, {}).empty());
}

}  // namespace
}  // namespace pocketbert
