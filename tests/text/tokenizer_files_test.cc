// Loading: tokenizer.json, vocab.txt and the files beside them, and the compiled form.

#include "compiled_tokenizer.h"
#include "golden_files.h"
#include "support/text_encoding.h"
#include "text/tokenizer.h"
#include "tiny_tokenizer.h"

namespace pocketbert {
namespace {

using Ids = std::vector<int32_t>;

Tokenizer Load(const TokenizerFiles& files) {
  auto tokenizer = Tokenizer::FromFiles(files);
  if (!tokenizer.ok()) FAIL(tokenizer.error().message);
  return std::move(tokenizer).value();
}

Error Failure(const TokenizerFiles& files) {
  auto tokenizer = Tokenizer::FromFiles(files);
  REQUIRE_FALSE(tokenizer.ok());
  return tokenizer.error();
}

Ids Encode(const Tokenizer& tokenizer, std::string_view text) {
  return EncodeText(tokenizer, text, std::nullopt, {}).value().ids;
}

constexpr std::string_view kVocab =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\nHello\n##s\ne\né\n中\n";

TEST_CASE("vocab.txt alone is an uncased BERT tokenizer") {
  const Tokenizer tokenizer = Load({.vocab_txt = kVocab});
  CHECK(Encode(tokenizer, "Hellos é[MASK]") == Ids{2, 5, 7, 8, 4, 3});
  CHECK(EncodeText(tokenizer, "hello", "hello", {}).value().type_ids == Ids{0, 0, 0, 1, 1});
  const Ids ids = {2, 5, 7, 3};
  CHECK(tokenizer.Decode(ids, {}) == "hellos");
  CHECK(tokenizer.special_ids().pad == 0);
  CHECK(tokenizer.special_ids().mask == 4);
  CHECK(tokenizer.differences().empty());
}

TEST_CASE("tokenizer_config.json beside a vocab.txt") {
  const Tokenizer cased =
      Load({.vocab_txt = kVocab,
            .tokenizer_config_json =
                R"({"do_lower_case":false,"tokenizer_class":"BertTokenizer",)"
                R"("model_max_length":512})"});
  CHECK(Encode(cased, "Hello é") == Ids{2, 6, 9, 3});
  CHECK(cased.model_max_length() == 512);
  const Tokenizer accents = Load(
      {.vocab_txt = kVocab,
       .tokenizer_config_json = R"({"strip_accents":false,"tokenize_chinese_chars":false,)"
                                R"("model_max_length":1000000000000000019884624838656})"});
  CHECK(Encode(accents, "Hello É 中中") == Ids{2, 5, 9, 1, 3});
  CHECK(accents.model_max_length() == std::nullopt);
  const Tokenizer renamed = Load(
      {.vocab_txt = "<p>\n<u>\n<c>\n<s>\nhello",
       .tokenizer_config_json = R"({"cls_token":"<c>","sep_token":{"content":"<s>","lstrip":true},)"
                                R"("unk_token":"<u>","pad_token":"<p>"})"});
  CHECK(Encode(renamed, "Hello <c> x  <s>") == Ids{2, 4, 2, 1, 3, 3});
  CHECK(renamed.special_ids().pad == 0);
  CHECK(renamed.special_ids().mask == -1);
  CHECK(Failure({.vocab_txt = "[UNK]\n[CLS]\n"}).message.find("[SEP]") != std::string::npos);
  CHECK(Failure({.vocab_txt = kVocab,
                 .tokenizer_config_json = R"({"tokenizer_class":"MPNetTokenizer"})"})
            .message.find("MPNetTokenizer") != std::string::npos);
  CHECK(Failure({.vocab_txt = kVocab, .tokenizer_config_json = R"({"do_basic_tokenize":false})"})
            .code == ErrorCode::kUnsupported);
}

TEST_CASE("tokenizer_config.json overrules the normalizer, and it is told") {
  const std::string json = TinyTokenizer().Json();
  const Tokenizer cased =
      Load({.tokenizer_json = json, .tokenizer_config_json = R"({"do_lower_case":false})"});
  CHECK(Encode(cased, "Hello hello") == Ids{2, 1, 5, 3});
  REQUIRE(cased.differences().size() == 1);
  CHECK(cased.differences()[0] ==
        "normalizer.lowercase: tokenizer_config.json says do_lower_case false, tokenizer.json says "
        "true; the former is obeyed");
  // strip_accents stays null and follows.
  CHECK(Encode(cased, "été") == Ids{2, 1, 3});
  const Tokenizer same = Load(
      {.tokenizer_json = json,
       .tokenizer_config_json =
           R"({"do_lower_case":true,"strip_accents":null,"tokenize_chinese_chars":true})"});
  CHECK(same.differences().empty());
  // The general class has no such options.
  const Tokenizer general = Load(
      {.tokenizer_json = json,
       .tokenizer_config_json =
           R"({"do_lower_case":false,"tokenizer_class":"PreTrainedTokenizerFast"})"});
  CHECK(Encode(general, "Hello") == Ids{2, 5, 3});
  TinyTokenizer other;
  other.normalizer = R"({"type":"NFC"})";
  const std::string nfc = other.Json();
  CHECK(Load({.tokenizer_json = nfc, .tokenizer_config_json = R"({"do_lower_case":true})"})
            .differences()
            .empty());
  CHECK(Failure({.tokenizer_json = json, .tokenizer_config_json = R"({"do_lower_case":"no"})"})
            .message.find("tokenizer_config.json: do_lower_case is \"no\"") == 0);
}

TEST_CASE("tokens of tokenizer_config.json and its companions") {
  const std::string json = TinyTokenizer().Json();
  const Tokenizer flags = Load(
      {.tokenizer_json = json,
       .tokenizer_config_json =
           R"({"added_tokens_decoder":{"4":{"content":"[MASK]","lstrip":true,"rstrip":false,)"
           R"("normalized":false,"single_word":false,"special":true},"17":{"content":"<new>",)"
           R"("normalized":false}},"mask_token":"[MASK]"})",
       .special_tokens_map_json = R"({"mask_token":"hello"})"});
  CHECK(EncodeText(flags, "a [MASK]", {}, {}).value().offsets[2] == Range{1, 8});
  CHECK(Encode(flags, "<new>") == Ids{2, 17, 3});
  CHECK(flags.differences().size() == 2);
  CHECK(flags.special_ids().mask == 4);  // the list of all tokens outdoes the older map

  const Tokenizer older = Load({.tokenizer_json = json,
                                .special_tokens_map_json =
                                    R"({"mask_token":{"content":"hello","lstrip":true},)"
                                    R"("additional_special_tokens":["<a>","world"]})",
                                .added_tokens_json = R"({"<b>":18,"<c>":17})"});
  CHECK(older.special_ids().mask == 5);
  CHECK(Encode(older, "<c><b><a> world") == Ids{2, 17, 18, 19, 6, 3});
  CHECK(EncodeText(older, "a hello", {}, {}).value().offsets[2] == Range{1, 7});
  CHECK(Failure({.tokenizer_json = json,
                 .tokenizer_config_json = R"({"added_tokens_decoder":{"x":{"content":"a"}}})"})
            .code == ErrorCode::kFormat);
}

TEST_CASE("what tokenizer.json says about truncation and padding is kept") {
  TinyTokenizer tiny;
  tiny.truncation = R"({"max_length":7,"strategy":"OnlySecond","stride":2})";
  tiny.padding = R"({"strategy":{"Fixed":16},"direction":"Left","pad_to_multiple_of":8,"pad_id":1,)"
                 R"("pad_type_id":2,"pad_token":"[UNK]"})";
  const Tokenizer tokenizer = tiny.Load();
  REQUIRE(tokenizer.file_truncation().has_value());
  CHECK(tokenizer.file_truncation()->max_length == 7);
  CHECK(tokenizer.file_truncation()->stride == 2);
  CHECK(tokenizer.file_truncation()->strategy == TruncationStrategy::kOnlySecond);
  CHECK(tokenizer.file_truncation()->direction == Side::kRight);
  REQUIRE(tokenizer.file_padding().has_value());
  CHECK(tokenizer.file_padding()->length == 16);
  CHECK(tokenizer.file_padding()->direction == Side::kLeft);
  CHECK(tokenizer.file_padding()->pad_to_multiple_of == 8);
  CHECK(tokenizer.file_padding()->pad_id == 1);
  CHECK(tokenizer.file_padding()->pad_type_id == 2);
  CHECK(Encode(tokenizer, "hello") == Ids{2, 5, 3});  // and not used by itself
  tiny.truncation = R"({"max_length":7,"strategy":"Middle","stride":2})";
  CHECK(tiny.LoadFailure().find("Middle") != std::string::npos);
}

TEST_CASE("vocab.json and merges.txt are a RoBERTa tokenizer") {
  const std::string_view vocab =
      R"({"<s>":0,"<pad>":1,"</s>":2,"<unk>":3,"a":4,"b":5,"ab":6,"Ġ":7,"Ġab":8,"<mask>":9})";
  const std::string_view merges = "#version: 0.2\na b\r\nĠ ab\n\n";
  const Tokenizer plain = Load({.vocab_json = vocab, .merges_txt = merges});
  const Encoding encoding = EncodeText(plain, "ab ab <mask>", {}, {}).value();
  CHECK(encoding.ids == Ids{0, 6, 8, 9, 2});
  CHECK(encoding.offsets == std::vector<Range>{{0, 0}, {0, 2}, {3, 5}, {6, 12}, {0, 0}});
  CHECK(EncodeText(plain, "a", "b", {}).value().ids == Ids{0, 4, 2, 2, 5, 2});
  CHECK(plain.special_ids().cls == 0);
  CHECK(plain.special_ids().pad == 1);
  CHECK(plain.special_ids().unk == 3);
  CHECK(plain.Decode(encoding.ids, {}) == "ab ab");
  const Tokenizer prefixed =
      Load({.vocab_json = vocab,
            .merges_txt = merges,
            .tokenizer_config_json = R"({"add_prefix_space":true,"model_max_length":512,)"
                                     R"("tokenizer_class":"RobertaTokenizer"})"});
  CHECK(Encode(prefixed, "ab") == Ids{0, 8, 2});
  CHECK(prefixed.model_max_length() == 512);
  const auto failure = [&](std::string_view v, std::string_view m, std::string_view config) {
    return Failure({.vocab_json = v, .merges_txt = m, .tokenizer_config_json = config}).message;
  };
  CHECK(failure(vocab, "a x", "{}").find("merges.txt: line 1 is \"a x\"") == 0);
  CHECK(failure(vocab, "ab", "{}").find("merges.txt: line 1") == 0);
  CHECK(failure("[]", "", "{}").find("vocab.json") == 0);
  CHECK(failure(R"({"a":-1})", "", "{}").find("vocab.json: a is -1") == 0);
  CHECK(failure(R"({"a":1})", "", "{}").find("vocab.json has no special token \"<s>\"") == 0);
  CHECK(failure(vocab, merges, R"({"tokenizer_class":"CLIPTokenizer"})").find("CLIPTokenizer") !=
        std::string::npos);
  CHECK(Failure({.has_sentencepiece_model = true}).code == ErrorCode::kUnsupported);
  CHECK(Failure({.vocab_json = vocab}).message.find("merges.txt") != std::string::npos);
}

TEST_CASE("broken and foreign files are refused by name") {
  CHECK(Failure({}).message.find("vocab.txt") != std::string::npos);
  CHECK(Failure({.tokenizer_json = "{"}).message.find("tokenizer.json is not valid JSON") == 0);
  CHECK(Failure({.tokenizer_json = "[]"}).code == ErrorCode::kFormat);
  CHECK(Failure({.tokenizer_json = "{}"}).message.find("model") != std::string::npos);
  CHECK(Failure({.tokenizer_json = R"({"version":"2.0","model":{}})"}).message.find("2.0") !=
        std::string::npos);
  CHECK(Failure({.vocab_txt = kVocab, .tokenizer_config_json = "nope"})
            .message.find("tokenizer_config.json") == 0);
  TinyTokenizer tiny;
  tiny.vocabulary = R"({"a":-1})";
  CHECK(tiny.LoadFailure().find("model.vocab.a is -1") != std::string::npos);
  tiny.vocabulary = R"({"a":4294967296})";
  CHECK(tiny.LoadFailure().find("4294967296") != std::string::npos);
  tiny.vocabulary = R"({"a":1.5})";
  CHECK(tiny.LoadFailure().find("1.5") != std::string::npos);
  tiny.vocabulary = "[]";
  CHECK(tiny.LoadFailure().find("model.vocab is an array") != std::string::npos);
  tiny = {};
  tiny.decoder = R"({"type":"CTC"})";
  CHECK(tiny.LoadFailure().find("CTC") != std::string::npos);
  tiny = {};
  tiny.normalizer = R"({"type":"Precompiled","precompiled_charsmap":""})";
  CHECK(tiny.LoadFailure().find("precompiled_charsmap") != std::string::npos);
}

void CheckCompiled(const Tokenizer& tokenizer, std::span<const std::string> texts) {
  const CompiledTokenizer compiled(tokenizer);
  const Tokenizer& again = compiled.tokenizer;
  CHECK(again.CompiledConfig() == tokenizer.CompiledConfig());
  CHECK(again.CompiledVocabulary() == compiled.bytes);
  CHECK(again.vocab_size() == tokenizer.vocab_size());
  CHECK(again.id_limit() == tokenizer.id_limit());
  CHECK(again.special_ids().mask == tokenizer.special_ids().mask);
  CHECK(again.differences() == tokenizer.differences());
  CHECK(again.model_max_length() == tokenizer.model_max_length());
  CHECK(again.file_truncation().has_value() == tokenizer.file_truncation().has_value());
  for (const std::string& text : texts) {
    const Encoding a = EncodeText(tokenizer, text, text, {}).value();
    const Encoding b = EncodeText(again, text, text, {}).value();
    CHECK(a.ids == b.ids);
    CHECK(a.offsets == b.offsets);
    CHECK(again.Decode(a.ids, {}) == tokenizer.Decode(a.ids, {}));
  }
}

TEST_CASE("the compiled form behaves alike") {
  const std::string texts[] = {"Hello, ÉTÉ unaffable!", "a [MASK] b", "", "中 😀"};
  TinyTokenizer tiny;
  tiny.added_tokens =
      R"([{"id":99,"content":"Été","normalized":true},{"content":"world","lstrip":true}])";
  tiny.truncation = R"({"max_length":7,"strategy":"LongestFirst","stride":0})";
  CheckCompiled(tiny.Load(), texts);
  const std::string json = tiny.Json();
  CheckCompiled(Load({.tokenizer_json = json,
                      .tokenizer_config_json = R"({"do_lower_case":false,"model_max_length":128,)"
                                               R"("mask_token":"world"})"}),
                texts);
  CheckCompiled(Load({.vocab_txt = kVocab}), texts);
  CHECK_FALSE(Tokenizer::FromCompiled("{}", Load({.vocab_txt = kVocab}).CompiledVocabulary()).ok());
  CHECK_FALSE(Tokenizer::FromCompiled(Load({.vocab_txt = kVocab}).CompiledConfig(), {}).ok());
}

// The cases with a tokenizer of their own; those of real models run through the public API.
TEST_CASE("the handed cases") {
  const JsonDocument document = ParseTestJson(
      WithoutLoneSurrogates(ReadTestFile("tests/cases/hand/tokenize.json")));
  const Json root = document.root();
  size_t compared = 0;
  for (Json test : root.Get("cases").value().Items()) {
    const Json name = test.Get("tokenizer").value();
    const Json options = test.Get("options").value();
    if (!name.is_string() || options.size() > 0) continue;
    INFO(test.GetString("id").value());
    const Json definition =
        root.Get("tokenizers").value().Get(name.AsString().value().substr(1)).value();
    const std::string json = WriteJson(definition);
    TokenizerFiles files = {.tokenizer_json = json};
    std::string vocab;
    if (const std::optional<Json> list = definition.Find("files")) {
      vocab = Text(list->Get("vocab.txt").value().Get("text").value());
      files = {.vocab_txt = vocab};
    }
    const Tokenizer tokenizer = Load(files);
    const Json input = test.Get("input").value();
    const Json wanted = ItemAt(test.Get("expect").value().Get("encodings").value(), 0);
    const std::string text = Text(input.Get("text").value());
    const Json pair_json = input.FindOrNull("pair");
    const std::string pair_text = pair_json.is_null() ? "" : Text(pair_json);
    std::optional<std::string_view> pair;
    if (!pair_json.is_null()) pair = pair_text;
    const Encoding encoding = EncodeText(tokenizer, text, pair, {}).value();
    CHECK(encoding.ids == Numbers(wanted.Get("ids").value()));
    CHECK(encoding.type_ids == Numbers(wanted.Get("type_ids").value()));
    std::vector<Range> offsets;
    for (Json range : wanted.Get("offsets").value().Items()) {
      const std::vector<uint32_t> numbers = Numbers<uint32_t>(range);
      offsets.push_back({numbers[0], numbers[1]});
    }
    CHECK(encoding.offsets == offsets);
    ++compared;
  }
  CHECK(compared >= 10);
}

}  // namespace
}  // namespace pocketbert
