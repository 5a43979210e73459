#include "tasks/embed.h"

#include <catch2/catch_amalgamated.hpp>
#include <cmath>

#include "nn/encoder.h"
#include "tasks/fixture.h"
#include "tasks/sentence_vector.h"

namespace pocketbert {
namespace {

std::vector<TextPair> Pairs(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

Embeddings EmbedAll(Opened& opened, const std::vector<std::string>& texts,
                    const EmbedOptions& options = {}) {
  auto result = Embed(opened.model, opened.session, Pairs(texts), options);
  if (!result.ok()) FAIL(result.error().message);
  REQUIRE(result.value().texts() == texts.size());
  REQUIRE(result.value().data.size() == texts.size() * result.value().dimensions);
  return std::move(result).value();
}

Error EmbedError(Opened& opened, const std::vector<std::string>& texts,
                 const EmbedOptions& options) {
  auto result = Embed(opened.model, opened.session, Pairs(texts), options);
  REQUIRE_FALSE(result.ok());
  return std::move(result).error();
}

std::vector<float> Row(const Embeddings& embeddings, size_t text) {
  const auto begin = embeddings.data.begin() + static_cast<ptrdiff_t>(text * embeddings.dimensions);
  return {begin, begin + static_cast<ptrdiff_t>(embeddings.dimensions)};
}

double Cosine(const std::vector<float>& a, const std::vector<double>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    aa += double{a[i]} * a[i];
    bb += b[i] * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

void Compare(const std::vector<float>& row, const std::vector<double>& expected, Json expect) {
  REQUIRE(row.size() == expected.size());
  if (const Json least = expect.FindOrNull("min_cos"); !least.is_null()) {
    CHECK(Cosine(row, expected) >= least.AsDouble().value());
  }
  const Json most = expect.FindOrNull("abs");
  if (most.is_null()) return;
  for (size_t i = 0; i < row.size(); ++i) {
    CHECK(std::abs(row[i] - expected[i]) <= most.AsDouble().value());
  }
}

std::vector<double> Numbers(Json array) {
  std::vector<double> numbers;
  for (Json item : array.Items()) numbers.push_back(item.AsDouble().value());
  return numbers;
}

EmbedOptions OptionsOf(Json options) {
  EmbedOptions result;
  const Json pooling = options.FindOrNull("pooling");
  if (!pooling.is_null()) result.pooling = PoolingModeFromName(pooling.AsString().value());
  const Json normalize = options.FindOrNull("normalize");
  if (!normalize.is_null()) result.normalize = normalize.AsBool().value();
  return result;
}

void RunCase(Json test, const Folder& folder) {
  const Json options = test.Get("options").value();
  const Json expect = test.Get("expect").value();
  const bool int8 = !options.FindOrNull("precision").is_null();
  auto model = ImportFolder(folder, int8 ? Precision::kInt8 : Precision::kFloat32);
  if (!model.ok() && expect.Find("or_error")) return;
  if (!model.ok()) FAIL(model.error().message);
  ThreadPool pool(1);
  auto session = OpenTaskSession(model.value(), 64, &pool);
  REQUIRE(session.ok());
  Opened opened{std::move(model).value(), nullptr, std::move(session).value()};
  std::vector<std::string> texts;
  for (Json text : test.Get("input").value().GetArray("texts").value().Items()) {
    texts.emplace_back(text.AsString().value());
  }
  const Embeddings embeddings = EmbedAll(opened, texts, OptionsOf(options));
  size_t row = 0;
  for (Json vector : expect.GetArray("vectors").value().Items()) {
    Compare(Row(embeddings, row++), Numbers(vector), expect);
  }
}

TEST_CASE("reference vectors of tests/cases/hand on the fixtures") {
  const auto file = ParseJson(ReadFile(kHand + "embed.json"), "embed.json");
  REQUIRE(file.ok());
  size_t ran = 0;
  for (Json test : file.value().root().GetArray("cases").value().Items()) {
    const std::optional<Folder> folder = CaseFolder(test);
    if (!folder) continue;
    INFO(test.GetString("id").value());
    RunCase(test, *folder);
    ++ran;
  }
  CHECK(ran >= 24);
}

const std::vector<std::string> kTexts = {
    "The old river boat was slow.", "", "Sail on!", "one day and one night",
    "A new stone bridge by the mill, one day and one night at the water city.", "boat boat boat"};

TEST_CASE("a text's bits depend on neither its neighbours nor order nor batch size nor threads") {
  const Precision precision = GENERATE(Precision::kFloat32, Precision::kInt8);
  Opened opened = Open(Fixture("enc"), precision);
  const Embeddings together = EmbedAll(opened, kTexts);
  Opened small = Open(Fixture("enc"), precision, 1, 3);
  std::vector<std::string> reversed(kTexts.rbegin(), kTexts.rend());
  const Embeddings apart = EmbedAll(small, reversed);
  for (size_t i = 0; i < kTexts.size(); ++i) {
    INFO(kTexts[i]);
    const std::vector<float> expected = Row(together, i);
    CHECK(Row(apart, kTexts.size() - 1 - i) == expected);
    CHECK(Row(EmbedAll(opened, {kTexts[i]}), 0) == expected);
  }
}

TEST_CASE("one batch takes what fits, at least one text") {
  Opened opened = Open(Fixture("enc"), Precision::kFloat32, 40);
  const std::vector<TextPair> texts = Pairs(kTexts);
  const auto batch = EmbedBatch(opened.model, opened.session, {texts}, {});
  REQUIRE(batch.ok());
  size_t tokens = 0;
  for (uint32_t count : batch.value().tokens) tokens += count;
  CHECK(batch.value().texts() >= 1);
  CHECK(batch.value().texts() < kTexts.size());
  CHECK(tokens <= 40);
  const auto none = EmbedBatch(opened.model, opened.session, {}, {});
  REQUIRE(none.ok());
  CHECK(none.value().texts() == 0);
  CHECK(none.value().dimensions == 24);
}

TEST_CASE("shortened vectors are the first components, scaled to length 1 again") {
  Opened opened = Open(Fixture("enc"));
  const Embeddings whole = EmbedAll(opened, kTexts);
  EmbedOptions options;
  options.dimensions = 7;
  const Embeddings shortened = EmbedAll(opened, kTexts, options);
  options.normalize = false;
  const Embeddings raw = EmbedAll(opened, kTexts, options);
  REQUIRE(shortened.dimensions == 7);
  for (size_t t = 0; t < kTexts.size(); ++t) {
    double whole_squares = 0, raw_squares = 0;
    for (size_t i = 0; i < 7; ++i) {
      whole_squares += std::pow(Row(whole, t)[i], 2);
      raw_squares += std::pow(Row(raw, t)[i], 2);
    }
    for (size_t i = 0; i < 7; ++i) {
      CHECK(Row(shortened, t)[i] == Catch::Approx(Row(whole, t)[i] / std::sqrt(whole_squares)));
      CHECK(Row(shortened, t)[i] == Catch::Approx(Row(raw, t)[i] / std::sqrt(raw_squares)));
    }
  }
}

TEST_CASE("dimensions out of range") {
  Opened opened = Open(Fixture("enc"));
  for (const size_t dimensions : {0, 25}) {
    EmbedOptions options;
    options.dimensions = dimensions;
    const Error error = EmbedError(opened, {"boat"}, options);
    CHECK(error.code == ErrorCode::kInvalidArgument);
    CHECK(error.message ==
          "dimensions is " + std::to_string(dimensions) + ", expected 1 to 24");
  }
}

TEST_CASE("pooling may be overridden") {
  Folder cls = Fixture("enc");
  cls["1_Pooling/config.json"] =
      R"({"word_embedding_dimension":24,"pooling_mode_cls_token":true,)"
      R"("pooling_mode_mean_tokens":false})";
  Opened as_file_says = Open(cls);
  Opened opened = Open(Fixture("enc"));
  EmbedOptions options;
  options.pooling = PoolingMode::kCls;
  CHECK(EmbedAll(opened, kTexts, options).data == EmbedAll(as_file_says, kTexts).data);
  CHECK(EmbedAll(opened, kTexts).data != EmbedAll(as_file_says, kTexts).data);
}

TEST_CASE("several pooling modes side by side; one of them asked for") {
  Folder folder = Fixture("enc");
  folder["1_Pooling/config.json"] =
      R"({"word_embedding_dimension":24,"pooling_mode_cls_token":true,)"
      R"("pooling_mode_mean_tokens":true})";
  Opened both = Open(folder);
  CHECK(EmbedAll(both, kTexts).dimensions == 48);
  Opened mean = Open(Fixture("enc"));
  EmbedOptions options;
  options.pooling = PoolingMode::kMean;
  CHECK(EmbedAll(both, kTexts, options).data == EmbedAll(mean, kTexts).data);
}

Folder WithPrompts(const std::string& json) {
  Folder folder = Fixture("enc");
  folder["config_sentence_transformers.json"] = json;
  return folder;
}

TEST_CASE("prompts go before the text") {
  Opened opened = Open(WithPrompts(
      R"({"prompts":{"query":"one day ","passage":"water ","night":"night "}})"));
  const std::string text = "river boat";
  const auto with = [&](const EmbedOptions& options) { return EmbedAll(opened, {text}, options); };
  const auto plain = [&](const std::string& whole) { return EmbedAll(opened, {whole}).data; };
  EmbedOptions kind;
  kind.kind = "query";
  CHECK(with(kind).data == plain("one day river boat"));
  kind.kind = "document";
  CHECK(with(kind).data == plain("water river boat"));
  EmbedOptions named;
  named.prompt_name = "night";
  CHECK(with(named).data == plain("night river boat"));
  named.prompt = "bridge ";
  CHECK(with(named).data == plain("bridge river boat"));
  CHECK(with({}).data == plain("river boat"));
  CHECK(with(kind).tokens[0] == with({}).tokens[0] + 1);
}

TEST_CASE("the default prompt is used unless another is asked for") {
  Opened opened = Open(WithPrompts(
      R"({"prompts":{"query":"one day ","night":"night "},"default_prompt_name":"night"})"));
  EmbedOptions none;
  none.prompt = "";
  const auto plain = [&](const std::string& whole) {
    return EmbedAll(opened, {whole}, none).data;
  };
  CHECK(EmbedAll(opened, {"boat"}).data == plain("night boat"));
  EmbedOptions query;
  query.kind = "query";
  CHECK(EmbedAll(opened, {"boat"}, query).data == plain("one day boat"));
}

TEST_CASE("unknown prompts and kinds are refused, a missing query prompt is none") {
  Opened opened = Open(WithPrompts(R"({"prompts":{"night":"night "}})"));
  EmbedOptions options;
  options.kind = "query";
  CHECK(EmbedAll(opened, {"boat"}, options).data == EmbedAll(opened, {"boat"}).data);
  options.kind = "clustering";
  CHECK(EmbedError(opened, {"boat"}, options).message ==
        "kind is \"clustering\", which is no prompt of this model; it has night");
  options.prompt_name = "day";
  const Error error = EmbedError(opened, {"boat"}, options);
  CHECK(error.code == ErrorCode::kInvalidArgument);
  CHECK(error.message == "promptName is \"day\", which is no prompt of this model; it has night");
}

TEST_CASE("include_prompt false: a prompt's tokens, [CLS] included, are not pooled") {
  Folder folder = WithPrompts(R"({"prompts":{"query":"one day "}})");
  folder["1_Pooling/config.json"] =
      R"({"word_embedding_dimension":24,"pooling_mode_mean_tokens":true,"include_prompt":false})";
  Opened opened = Open(folder);
  EmbedOptions options;
  options.kind = "query";
  options.normalize = false;
  const Embeddings skipped = EmbedAll(opened, {"river boat"}, options);
  CHECK(skipped.tokens[0] == 6);
  // [CLS] one day | river boat [SEP]: the mean of the last three rows of the encoder.
  const std::vector<TextPair> whole = {{"one day river boat", {}}};
  const auto batch = FillBatch(opened.model, opened.session, {whole}, {}, {});
  REQUIRE(batch.ok());
  Workspace::Scope scope(opened.session.session.workspace);
  const TensorView<float> hidden = RunEncoder(opened.model.encoder_config(), opened.model.encoder(),
                                              batch.value().view(), opened.session.session);
  REQUIRE(hidden.rows == 6);
  for (size_t i = 0; i < 24; ++i) {
    const double sum = double{hidden.Row(3)[i]} + hidden.Row(4)[i] + hidden.Row(5)[i];
    CHECK(skipped.data[i] == Catch::Approx(sum / 3).margin(1e-6));
  }
}

TEST_CASE("include_prompt false: of an empty text only [SEP] is pooled") {
  Folder folder = WithPrompts(R"({"prompts":{"query":"one day "}})");
  folder["1_Pooling/config.json"] =
      R"({"word_embedding_dimension":24,"pooling_mode_mean_tokens":true,"include_prompt":false})";
  Opened opened = Open(folder);
  EmbedOptions options;
  options.kind = "query";
  EmbedOptions last;
  last.pooling = PoolingMode::kLastToken;
  Opened plain = Open(Fixture("enc"));
  CHECK(EmbedAll(opened, {""}, options).data == EmbedAll(plain, {"one day"}, last).data);
}

TEST_CASE("scaling to length 1") {
  std::vector<float> values = {3, 4, 0, 0, 1e-20f, 0};
  ScaleToLengthOne({values.data(), 3, 2});
  CHECK(values == std::vector<float>{0.6f, 0.8f, 0, 0, 1e-20f / 1e-12f, 0});
}

TEST_CASE("a model whose vectors are no numbers is told") {
  Folder folder = Fixture("enc");
  FillTensor("encoder.layer.1.output.LayerNorm.weight", kHuge, folder);
  Opened opened = Open(folder);
  const Error error = EmbedError(opened, {"boat", "sail"}, {});
  CHECK(error.code == ErrorCode::kFormat);
  CHECK(error.message == "text 0: the model's vectors are no numbers");
}

}  // namespace
}  // namespace pocketbert
