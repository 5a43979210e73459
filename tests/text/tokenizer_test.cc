#include "text/tokenizer.h"

#include <limits>

#include "golden_files.h"
#include "support/text_encoding.h"
#include "tiny_tokenizer.h"

namespace pocketbert {
namespace {

using Ids = std::vector<int32_t>;

Encoding Encode(const Tokenizer& tokenizer, std::string_view text,
                const EncodeOptions& options = {}) {
  auto encoding = EncodeText(tokenizer, text, std::nullopt, options);
  if (!encoding.ok()) FAIL(encoding.error().message);
  return std::move(encoding).value();
}

Error Failure(const Tokenizer& tokenizer, std::string_view text, const EncodeOptions& options) {
  auto encoding = EncodeText(tokenizer, text, std::nullopt, options);
  REQUIRE_FALSE(encoding.ok());
  return encoding.error();
}

TEST_CASE("a text becomes ids, places and masks") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  const std::string text = "Hello, ÉTÉ unaffable!";
  const Encoding encoding = Encode(tokenizer, text);
  CHECK(encoding.ids == Ids{2, 5, 1, 11, 7, 8, 9, 10, 3});
  const auto slice = [&](size_t token) {
    // The text up to its umlauts is ASCII, so units are found by walking.
    const Range range = encoding.offsets[token];
    std::string piece;
    uint32_t unit = 0;
    for (const char c : text) {
      if (unit >= range.begin && unit < range.end) piece += c;
      unit += (static_cast<uint8_t>(c) & 0xC0) != 0x80 ? 0 : 1;  // second bytes end a letter here
      unit += static_cast<uint8_t>(c) < 0x80 ? 1 : 0;
    }
    return piece;
  };
  CHECK(slice(1) == "Hello");
  CHECK(slice(2) == ",");
  CHECK(slice(3) == "ÉTÉ");
  CHECK(slice(4) == "un");
  CHECK(slice(5) == "aff");
  CHECK(slice(6) == "able");
  CHECK(slice(7) == "!");
  CHECK(encoding.offsets[0] == Range{0, 0});
  CHECK(encoding.type_ids == Ids(9, 0));
  CHECK(encoding.attention_mask == std::vector<uint8_t>(9, 1));
  CHECK(encoding.special_tokens_mask == std::vector<uint8_t>{1, 0, 0, 0, 0, 0, 0, 0, 1});
  CHECK(encoding.word_ids == Ids{-1, 0, 1, 2, 3, 3, 3, 4, -1});
  CHECK(encoding.sequence_ids == std::vector<int8_t>{-1, 0, 0, 0, 0, 0, 0, 0, -1});
  CHECK_FALSE(encoding.truncated);
  CHECK(encoding.overflow.empty());
}

TEST_CASE("places count UTF-16 units, whatever the bytes are") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  CHECK(Encode(tokenizer, "😀 hello").offsets == std::vector<Range>{{0, 0}, {0, 2}, {3, 8}, {0, 0}});
  // A lone surrogate arrives as U+FFFD, other rubbish as one each; all are dropped, all count one.
  CHECK(Encode(tokenizer, "\uFFFDhello").offsets[1] == Range{1, 6});
  CHECK(Encode(tokenizer, "\xFF\xC3hello").offsets[1] == Range{2, 7});
  CHECK(Encode(tokenizer, "\xF0\x9F\x98 hello").offsets[1] == Range{2, 7});
  CHECK(Encode(tokenizer, "😀[MASK]😀").offsets ==
        std::vector<Range>{{0, 0}, {0, 2}, {2, 8}, {8, 10}, {0, 0}});
}

TEST_CASE("texts without tokens, and pairs of them") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  for (const std::string_view text : {"", "   ", "\u200B\u00AD", "\xFF"}) {
    CHECK(Encode(tokenizer, text).ids == Ids{2, 3});
    EncodeOptions plain;
    plain.add_special_tokens = false;
    CHECK(Encode(tokenizer, text, plain).ids.empty());
  }
  const Encoding pair = EncodeText(tokenizer, "", "hello", {}).value();
  CHECK(pair.ids == Ids{2, 3, 5, 3});
  CHECK(pair.type_ids == Ids{0, 0, 1, 1});
  CHECK(pair.sequence_ids == std::vector<int8_t>{-1, -1, 1, -1});
  CHECK(pair.offsets[2] == Range{0, 5});
  CHECK(tokenizer.EncodeBatch({}, {}).value().size() == 0);
}

TEST_CASE("special tokens in the text are matched, or not") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  CHECK(Encode(tokenizer, "hello[SEP] world [mask]").ids == Ids{2, 5, 3, 6, 1, 1, 1, 3});
  EncodeOptions as_text;
  as_text.encode_special_tokens = true;
  CHECK(Encode(tokenizer, "hello[SEP]", as_text).ids == Ids{2, 5, 1, 1, 1, 3});
  const Encoding inside = Encode(tokenizer, "[SEP]");
  CHECK(inside.special_tokens_mask == std::vector<uint8_t>{1, 0, 1});
  CHECK(inside.word_ids == Ids{-1, 0, -1});
}

TEST_CASE("a text parted between words gives what it gives whole") {
  // The parts of a long text are cut at blanks: the same words with other white space, so that
  // parts begin at other places, must give the same ids, and places must go on.
  const Tokenizer tokenizer = TinyTokenizer().Load();
  std::string text;
  Ids expected = {2};
  const std::string words[] = {"hello", "unaffable!", "ÉTÉ", "😀", "a\u0301\u0323", "world"};
  const Ids ids[] = {{5}, {7, 8, 9, 10}, {11}, {1}, {12}, {6}};
  for (size_t i = 0; text.size() < 100000; ++i) {
    text += words[i % 6] + std::string(1, " \n\t\r"[i % 4]);
    if (i % 97 == 0) text += "[MASK]";
    expected.insert(expected.end(), ids[i % 6].begin(), ids[i % 6].end());
    if (i % 97 == 0) expected.push_back(4);
  }
  expected.push_back(3);
  const Encoding encoding = Encode(tokenizer, text);
  CHECK(encoding.ids == expected);
  uint32_t units = 0;
  for (const char c : text) {
    units += (static_cast<uint8_t>(c) & 0xC0) != 0x80;
    units += static_cast<uint8_t>(c) >= 0xF0;
  }
  const Range last = encoding.offsets[encoding.size() - 2];
  CHECK(last.end <= units);
  CHECK(units - last.end < 12);
  for (size_t i = 2; i + 1 < encoding.size(); ++i) {
    if (encoding.offsets[i].begin < encoding.offsets[i - 1].end) FAIL(i);
    if (encoding.word_ids[i] < encoding.word_ids[i - 1]) FAIL(i);
  }
}

TEST_CASE("what is cut on the right need not be read, and is still told") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  std::string text;
  for (int i = 0; i < 50000; ++i) text += "hello ";
  EncodeOptions options;
  options.truncation.emplace();
  options.truncation->max_length = 10;
  options.return_overflow = false;
  const Encoding cut = Encode(tokenizer, text, options);
  CHECK(cut.ids == Ids{2, 5, 5, 5, 5, 5, 5, 5, 5, 3});
  CHECK(cut.truncated);
  CHECK(cut.overflow.empty());
  const std::string fits = "hello hello hello hello hello hello hello hello";
  CHECK_FALSE(Encode(tokenizer, fits, options).truncated);
  CHECK(Encode(tokenizer, fits + " a", options).truncated);
  options.truncation->direction = Side::kLeft;
  text += "world";
  CHECK(Encode(tokenizer, text, options).ids == Ids{2, 5, 5, 5, 5, 5, 5, 5, 6, 3});
  options.return_overflow = true;
  options.truncation->direction = Side::kRight;
  CHECK(Encode(tokenizer, text, options).overflow.size() == 6250);
}

TEST_CASE("without its windows, a cut text is what it is with them, on both sides") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  const std::string words[] = {"hello ", "unaffable ", "\xC3\xA9t\xC3\xA9\n",
                               "[SEP]",  "!",          "x",
                               "  ",     "[MASK] ",    "\xF0\x9F\x98\x80 "};
  uint32_t state = 1;
  const auto random = [&](uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  for (const uint32_t count : {0, 1, 5, 300, 9000}) {
    std::string text;
    for (uint32_t i = 0; i < count; ++i) text += words[random(std::size(words))];
    for (const Side side : {Side::kLeft, Side::kRight}) {
      for (const size_t length : {2, 3, 8, 200, 3000, 100000}) {
        EncodeOptions options;
        options.truncation = Truncation{.max_length = length, .direction = side};
        const Encoding whole = Encode(tokenizer, text, options);
        options.return_overflow = false;
        const Encoding cut = Encode(tokenizer, text, options);
        INFO(count << " words, " << length << " tokens, side " << static_cast<int>(side));
        CHECK(cut.ids == whole.ids);
        CHECK(cut.offsets == whole.offsets);
        CHECK(cut.word_ids == whole.word_ids);
        CHECK(cut.special_tokens_mask == whole.special_tokens_mask);
        CHECK(cut.truncated == whole.truncated);
        CHECK(cut.overflow.empty());
      }
    }
  }
}

TEST_CASE("padding beyond all measure is refused") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  EncodeOptions options;
  options.padding.emplace();
  std::string large;
  for (int i = 0; i < 60000; ++i) large += "a ";
  std::vector<TextPair> texts(2000, TextPair{"hello"});
  texts.push_back({large});
  const auto failure = [&] {
    const auto batch = tokenizer.EncodeBatch(texts, options);
    REQUIRE_FALSE(batch.ok());
    CHECK(batch.error().code == ErrorCode::kTooLong);
    return batch.error().message;
  };
  CHECK(failure().find("padding gives 120064002 tokens") != std::string::npos);
  texts.assign(17, TextPair{"hello"});
  options.padding->length = 1'000'000;
  CHECK(failure() == "padding gives 17000000 tokens, expected at most 16777216");

  // Windows are padded, too.
  texts.assign(1, TextPair{"a a a a a a a a a a a a a a a a a"});
  options.truncation = Truncation{.max_length = 3};
  CHECK(failure().find("padding gives 17000000 tokens") != std::string::npos);
  options.return_overflow = false;
  CHECK(tokenizer.EncodeBatch(texts, options).value().starts[1] == 1'000'000);
}

TEST_CASE("options that cannot be obeyed are refused") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  EncodeOptions options;
  options.truncation.emplace();
  const auto failure = [&](size_t max_length, size_t stride) {
    options.truncation->max_length = max_length;
    options.truncation->stride = stride;
    const Error error = Failure(tokenizer, "hello", options);
    CHECK(error.code == ErrorCode::kInvalidArgument);
    return error.message;
  };
  CHECK(failure(1, 0) == "truncation.max_length is 1, expected at least the 2 special tokens");
  CHECK(failure(0, 0).find("max_length is 0") != std::string::npos);
  CHECK(failure(6, 4).find("stride is 4, expected less than the 4 tokens") != std::string::npos);
  CHECK(failure(2, 1).find("stride") != std::string::npos);
  options.truncation->max_length = 2;
  options.truncation->stride = 0;
  CHECK(Encode(tokenizer, "hello", options).ids == Ids{2, 3});
  CHECK(Encode(tokenizer, "hello", options).truncated);

  // A pair of which one text has less room than the stride.
  options.truncation->max_length = 9;
  options.truncation->stride = 3;
  auto pair = EncodeText(tokenizer, "a a a a a a a", "a a a a a a a", options);
  REQUIRE_FALSE(pair.ok());
  CHECK(pair.error().message.find("stride is 3") != std::string::npos);

  options.truncation->stride = 0;
  options.truncation->strategy = TruncationStrategy::kOnlySecond;
  CHECK(Failure(tokenizer, "a a a a a a a a a a", options).message.find("second text") !=
        std::string::npos);
  options.truncation.reset();
  options.padding.emplace();
  options.padding->length = std::numeric_limits<size_t>::max() / 8;
  CHECK(Failure(tokenizer, "a", options).code == ErrorCode::kInvalidArgument);
}

TEST_CASE("windows beyond all measure are refused") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  std::string text;
  for (int i = 0; i < 40000; ++i) text += "a ";
  EncodeOptions options;
  options.truncation.emplace();
  options.truncation->max_length = 1000;
  options.truncation->stride = 997;
  const Error error = Failure(tokenizer, text, options);
  CHECK(error.code == ErrorCode::kTooLong);
  options.return_overflow = false;
  CHECK(Encode(tokenizer, text, options).size() == 1000);
}

TEST_CASE("a batch is padded to its longest") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  EncodeOptions options;
  options.padding.emplace();
  options.padding->pad_to_multiple_of = 4;
  const TextPair texts[] = {{"hello"}, {"a a a"}, {""}};
  const std::vector<Encoding> batch = Unpack(tokenizer.EncodeBatch(texts, options).value());
  REQUIRE(batch.size() == 3);
  CHECK(batch[0].ids == Ids{2, 5, 3, 0, 0, 0, 0, 0});
  CHECK(batch[1].ids == Ids{2, 12, 12, 12, 3, 0, 0, 0});
  CHECK(batch[2].attention_mask == std::vector<uint8_t>{1, 1, 0, 0, 0, 0, 0, 0});
  CHECK(batch[2].special_tokens_mask == std::vector<uint8_t>(8, 1));
  options.padding->direction = Side::kLeft;
  options.padding->pad_type_id = 7;
  options.padding->pad_id = 9;
  const std::vector<Encoding> left = Unpack(tokenizer.EncodeBatch(texts, options).value());
  CHECK(left[0].ids == Ids{9, 9, 9, 9, 9, 2, 5, 3});
  CHECK(left[0].type_ids == Ids{7, 7, 7, 7, 7, 0, 0, 0});
}

TEST_CASE("ids back to text") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  const auto decode = [&](const Ids& ids, const DecodeOptions& options = {}) {
    return tokenizer.Decode(ids, options);
  };
  CHECK(decode({2, 5, 6, 10, 3}) == "hello world!");
  CHECK(decode({2, 7, 8, 9, 3, 0, 0}) == "unaffable");
  CHECK(decode({8, 7, 99, -1, 8}) == "##aff unaff");
  CHECK(decode({2, 5, 3}, {.skip_special_tokens = false}) == "[CLS] hello [SEP]");
  CHECK(decode({5, 10}, {.clean_up = false}) == "hello !");
  CHECK(decode({}) == "");
  TinyTokenizer plain;
  plain.decoder = "null";
  const Ids ids = {7, 8, 10};
  CHECK(plain.Load().Decode(ids, {}) == "un ##aff !");
}

TEST_CASE("tokens by id and by text") {
  TinyTokenizer tiny;
  tiny.added_tokens = R"([{"id":17,"content":"<X>","normalized":true,"special":false}])";
  const Tokenizer tokenizer = tiny.Load();
  CHECK(tokenizer.TokenToId("hello") == 5);
  CHECK(tokenizer.TokenToId("<X>") == 17);
  CHECK(tokenizer.TokenToId("none") == std::nullopt);
  CHECK(tokenizer.IdToToken(17) == "<X>");
  CHECK(tokenizer.IdToToken(8) == "##aff");
  CHECK(tokenizer.IdToToken(18) == std::nullopt);
  CHECK(tokenizer.IdToToken(-1) == std::nullopt);
  CHECK(tokenizer.vocab_size() == 18);
  CHECK(tokenizer.id_limit() == 18);
  CHECK(tokenizer.special_ids().cls == 2);
  CHECK(tokenizer.special_ids().mask == 4);
  CHECK(tokenizer.special_token_count(false) == 2);
  CHECK(tokenizer.special_token_count(true) == 3);
  CHECK(Encode(tokenizer, "a<x>b").ids == Ids{2, 12, 17, 1, 3});
}

TEST_CASE("the unknown token is missed only where it is needed") {
  TinyTokenizer tiny;
  tiny.vocabulary = R"({"[PAD]":0,"[CLS]":2,"[SEP]":3,"hello":5})";
  tiny.model_options = R"("unk_token":"<unk>")";
  const Tokenizer tokenizer = tiny.Load();
  CHECK(tokenizer.special_ids().unk == -1);
  CHECK(Encode(tokenizer, "hello").ids == Ids{2, 5, 3});
  CHECK(Failure(tokenizer, "hello world", {}).message.find("<unk>") != std::string::npos);
}

TEST_CASE("templates: order, types, several ids, none") {
  TinyTokenizer tiny;
  tiny.post_processor =
      R"({"type":"TemplateProcessing","single":[{"Sequence":{"id":"A","type_id":4}},)"
      R"({"SpecialToken":{"id":"end","type_id":5}}],"pair":[{"Sequence":{"id":"B","type_id":1}},)"
      R"({"SpecialToken":{"id":"end","type_id":2}},{"Sequence":{"id":"A","type_id":0}}],)"
      R"("special_tokens":{"end":{"id":"end","ids":[3,4],"tokens":["[SEP]","[MASK]"]}}})";
  const Tokenizer tokenizer = tiny.Load();
  CHECK(Encode(tokenizer, "hello").ids == Ids{5, 3, 4});
  CHECK(Encode(tokenizer, "hello").type_ids == Ids{4, 5, 5});
  const Encoding pair = EncodeText(tokenizer, "hello", "world", {}).value();
  CHECK(pair.ids == Ids{6, 3, 4, 5});
  CHECK(pair.type_ids == Ids{1, 2, 2, 0});
  CHECK(pair.sequence_ids == std::vector<int8_t>{1, -1, -1, 0});
  tiny.post_processor = "null";
  const Encoding bare = EncodeText(tiny.Load(), "hello", "world", {}).value();
  CHECK(bare.ids == Ids{5, 6});
  CHECK(bare.type_ids == Ids{0, 1});
  tiny.post_processor = R"({"sep":["[SEP]",3],"cls":["[CLS]",2]})";
  CHECK(EncodeText(tiny.Load(), "hello", "world", {}).value().type_ids == Ids{0, 0, 0, 1, 1});
  tiny.post_processor = R"({"type":"RobertaProcessing","sep":["[SEP]",3],"cls":["[CLS]",2],)"
                        R"("trim_offsets":true,"add_prefix_space":false})";
  const Encoding roberta = EncodeText(tiny.Load(), "hello", "world", {}).value();
  CHECK(roberta.ids == Ids{2, 5, 3, 3, 6, 3});
  CHECK(roberta.type_ids == Ids{0, 0, 0, 0, 0, 0});
  tiny.post_processor = R"({"type":"Sequence","processors":[{"sep":["a",1],"cls":["b",2]},)"
                        R"({"type":"TemplateProcessing","single":[],"pair":[]}]})";
  CHECK(tiny.LoadFailure().find("second template") != std::string::npos);
  tiny.post_processor = R"({"type":"Other"})";
  CHECK(tiny.LoadFailure().find("Other") != std::string::npos);
  tiny.post_processor =
      R"({"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[CLS]","type_id":0}}],)"
      R"("pair":[],"special_tokens":{}})";
  CHECK(tiny.LoadFailure().find("single[0].SpecialToken.id is \"[CLS]\"") != std::string::npos);
}

TEST_CASE("very long words and texts take time in proportion") {
  const Tokenizer tokenizer = TinyTokenizer().Load();
  CHECK(Encode(tokenizer, std::string(1000000, 'a')).ids == Ids{2, 1, 3});
  std::string cjk;
  for (int i = 0; i < 300000; ++i) cjk += "中";
  CHECK(Encode(tokenizer, cjk).size() == 300002);
  std::string brackets(1000000, '[');
  CHECK(Encode(tokenizer, brackets).size() == 1000002);
  TinyTokenizer no_limit;
  no_limit.model_options = R"("max_input_chars_per_word":100000000)";
  CHECK(Encode(no_limit.Load(), std::string(1000000, 'a')).size() == 1000002);
  no_limit.pre_tokenizer = "null";
  no_limit.normalizer = "null";
  CHECK(Encode(no_limit.Load(), std::string(1000000, 'a') + "b").ids == Ids{2, 1, 3});
}

}  // namespace
}  // namespace pocketbert
