// The importer: what it takes, what it refuses, and that chunks, order and element types don't matter.

#include "quantize/import_model.h"

#include <catch2/catch_amalgamated.hpp>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/json.h"
#include "model/model.h"
#include "support/random_checkpoint.h"

namespace pocketbert {
namespace {

using reference::Checkpoint;
using testing::CheckpointFolder;
using testing::CheckpointShape;
using testing::Fixture;
using testing::Folder;
using testing::Import;
using testing::ImportSettings;
using testing::ReadFile;
using testing::SafetensorsBuilder;

std::string FileText(const Result<TensorFile>& file) {
  if (!file.ok()) FAIL(file.error().message);
  const auto bytes = file.value().bytes();
  return {bytes.begin(), bytes.end()};
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The error of importing this folder, whichever step gives it; the message must hold `part`.
Error Refusal(const Folder& folder, std::string_view part, const ImportSettings& settings = {}) {
  const auto file = Import(folder, settings);
  REQUIRE_FALSE(file.ok());
  INFO(file.error().message);
  CHECK(Has(file.error().message, part));
  return file.error();
}

Folder Sharded() {
  Folder folder = Fixture("enc");
  folder.erase("model.safetensors");
  for (const char* name : {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
                           "model.safetensors.index.json"}) {
    folder[name] = ReadFile(testing::kFixtures + "enc-weights/" + name);
  }
  return folder;
}

TEST_CASE("the size of the chunks does not matter") {
  for (const Precision precision : {Precision::kInt8, Precision::kFloat32}) {
    const ImportOptions options{.precision = precision, .source = "somewhere"};
    const std::string whole = FileText(Import(Fixture("enc"), {.options = options}));
    for (const size_t chunk : {1, 7, 4096, 65536}) {
      INFO(chunk);
      CHECK(FileText(Import(Fixture("enc"), {.options = options, .chunk = chunk})) == whole);
    }
    CHECK(FileText(Import(Fixture("enc"),
                          {.options = options, .chunk = 999, .sizes_known = false})) == whole);
  }
}

TEST_CASE("shards give what the single file gives, in any order") {
  const std::string whole = FileText(Import(Fixture("enc")));
  const std::string first = "model-00001-of-00002.safetensors";
  const std::string second = "model-00002-of-00002.safetensors";
  CHECK(FileText(Import(Sharded(), {.order = {first, second}})) == whole);
  CHECK(FileText(Import(Sharded(), {.chunk = 100, .order = {second, first}})) == whole);
  CHECK(FileText(Import(Sharded(), {.chunk = 333, .interleave = true})) == whole);
}

TEST_CASE("the order of the tensors in the file does not matter") {
  CheckpointShape shape;
  shape.layers = 5;
  const Checkpoint checkpoint = testing::RandomCheckpoint(shape, 11);
  Folder folder = CheckpointFolder(shape, checkpoint);
  const std::string sorted = FileText(Import(folder));
  std::vector<std::string> names = testing::Names(checkpoint);
  std::reverse(names.begin(), names.end());
  folder["model.safetensors"] = testing::WeightFile(checkpoint, names);
  CHECK(FileText(Import(folder, {.chunk = 1000})) == sorted);
  std::shuffle(names.begin(), names.end(), std::mt19937(12));
  folder["model.safetensors"] = testing::WeightFile(checkpoint, names);
  CHECK(FileText(Import(folder)) == sorted);
}

TEST_CASE("other spellings, unaligned data and a missing pooler give the same file") {
  const std::string plain = FileText(Import(Fixture("enc")));
  for (const char* name : {"prefixed", "unaligned", "nopooler"}) {
    Folder folder = Fixture("enc");
    folder["model.safetensors"] =
        ReadFile(testing::kFixtures + "enc-weights/" + std::string(name) + ".safetensors");
    const auto file = Import(folder);
    if (!file.ok()) FAIL(file.error().message);
    INFO(name);
    // The weights are the same; the metadata differ in what was left unused.
    const auto reference = Import(Fixture("enc"));
    REQUIRE(file.value().header().tensors.size() == reference.value().header().tensors.size());
    for (const TensorInfo& tensor : reference.value().header().tensors) {
      const auto expected = reference.value().TensorBytes(tensor);
      const auto found = file.value().TensorBytes(*file.value().header().Find(tensor.name));
      INFO(tensor.name);
      CHECK(std::equal(expected.begin(), expected.end(), found.begin(), found.end()));
    }
  }
}

// `value` rounded to F16, for numbers in its normal range.
uint16_t ToF16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t exponent = (bits >> 23) & 0xFF;
  if (exponent < 113) return static_cast<uint16_t>((bits >> 16) & 0x8000);
  return static_cast<uint16_t>(((bits >> 16) & 0x8000) | ((exponent - 112) << 10) |
                               ((bits >> 13) & 0x3FF));
}

// The checkpoint with every value cut to what the type holds, and the file that holds it in the type.
std::string WeightFileAs(Checkpoint& checkpoint, const std::string& dtype) {
  SafetensorsBuilder builder;
  for (auto& [name, weights] : checkpoint) {
    testing::Bytes data;
    const auto append = [&](const auto& number) {
      const auto* bytes = reinterpret_cast<const uint8_t*>(&number);
      data.insert(data.end(), bytes, bytes + sizeof(number));
    };
    for (float& value : weights.values) {
      if (dtype == "F16") {
        const uint16_t half = ToF16(value);
        const int exponent = (half >> 10) & 0x1F;
        const float magnitude =
            exponent == 0 ? 0 : std::ldexp(1 + static_cast<float>(half & 0x3FF) / 1024, exponent - 15);
        value = half & 0x8000 ? -magnitude : magnitude;
        append(half);
      } else if (dtype == "BF16") {
        const uint32_t bits = std::bit_cast<uint32_t>(value) & 0xFFFF0000u;
        value = std::bit_cast<float>(bits);
        append(static_cast<uint16_t>(bits >> 16));
      } else {
        append(static_cast<double>(value));
      }
    }
    const bool vector = name.find("LayerNorm") != std::string::npos || name.ends_with(".bias");
    std::vector<uint64_t> shape = {weights.cols};
    if (!vector) shape.insert(shape.begin(), weights.rows);
    builder.Add(name, dtype, shape, data);
  }
  const testing::Bytes bytes = builder.Build();
  return {bytes.begin(), bytes.end()};
}

TEST_CASE("F16, BF16 and F64 weights give what the same numbers in F32 give") {
  for (const char* dtype : {"F16", "BF16", "F64"}) {
    for (const Precision precision : {Precision::kInt8, Precision::kFloat32}) {
      CheckpointShape shape;
      shape.layers = 4;
      Checkpoint checkpoint = testing::RandomCheckpoint(shape, 21);
      const std::string narrow = WeightFileAs(checkpoint, dtype);
      Folder folder = CheckpointFolder(shape, checkpoint);
      const ImportSettings settings{.options = {.precision = precision}, .chunk = 61};
      const std::string expected = FileText(Import(folder, settings));
      folder["model.safetensors"] = narrow;
      INFO(dtype);
      CHECK(FileText(Import(folder, settings)) == expected);
    }
  }
}

TEST_CASE("float32 keeps every weight as it is") {
  const CheckpointShape shape;
  const Checkpoint checkpoint = testing::RandomCheckpoint(shape, 31);
  const auto file = Import(CheckpointFolder(shape, checkpoint),
                           {.options = {.precision = Precision::kFloat32}, .chunk = 1001});
  if (!file.ok()) FAIL(file.error().message);
  for (const auto& [name, weights] : checkpoint) {
    const TensorInfo* tensor = file.value().header().Find(name);
    REQUIRE(tensor != nullptr);
    const auto bytes = file.value().TensorBytes(*tensor);
    INFO(name);
    REQUIRE(bytes.size() == weights.values.size() * sizeof(float));
    CHECK(std::memcmp(bytes.data(), weights.values.data(), bytes.size()) == 0);
  }
  CHECK(file.value().header().Metadata("quantization") == R"({"precision":"float32"})");
  CHECK_FALSE(file.value().header().Metadata("fidelity").has_value());
}

TEST_CASE("the metadata say what the file is") {
  const auto file = Import(Fixture("enc"), {.options = {.source = "fixtures/enc"}});
  if (!file.ok()) FAIL(file.error().message);
  const SafetensorsHeader& header = file.value().header();
  CHECK(header.Metadata("format") == "pocketbert");
  CHECK(header.Metadata("format_version") == "1");
  CHECK(header.Metadata("source") == "fixtures/enc");
  CHECK(header.Metadata("config") == Fixture("enc").at("config.json"));
  CHECK(header.Metadata("heads") == "[]");
  CHECK(header.Metadata("quantization") ==
        R"({"precision":"int8","group_size":128,"equalization":"layernorm-profile-3","activations":"u7"})");
  CHECK(header.Metadata("ignored_tensors") == R"(["pooler.dense.bias","pooler.dense.weight"])");
  CHECK(header.data_start % 64 == 0);
}

TEST_CASE("heads come along: the checkpoint's own and named ones") {
  Folder folder = Fixture("cls");
  folder["heads/topics.json"] =
      R"({"name":"topics","type":"EnhancedClassifier","labels":["a","b"],"temperature":2,)"
      R"("layers":[{"name":"dense","in":24,"out":16},{"activation":"gelu"},)"
      R"({"name":"out_proj","in":16,"out":2}]})";
  const testing::Bytes head = SafetensorsBuilder()
                                  .AddFloats("dense.weight", {16, 24}, std::vector<float>(384, 0.5f))
                                  .AddFloats("dense.bias", {16}, std::vector<float>(16, 1))
                                  .AddFloats("out_proj.weight", {2, 16}, std::vector<float>(32, 2))
                                  .AddFloats("out_proj.bias", {2}, {3, 4})
                                  .Build();
  folder["heads/topics.safetensors"] = std::string(head.begin(), head.end());
  auto file = Import(folder, {.chunk = 77, .interleave = true});
  if (!file.ok()) FAIL(file.error().message);
  CHECK(file.value().header().Find("heads.topics.dense.weight")->dtype == DType::kF32);
  CHECK(file.value().header().Find("classifier.weight")->dtype == DType::kF32);
  CHECK(file.value().header().Find("pooler.dense.weight")->dtype == DType::kF32);
  const auto model = Model::Open(std::move(file).value());
  if (!model.ok()) FAIL(model.error().message);
  REQUIRE(model.value().heads().size() == 2);
  const Head* topics = model.value().RequireHead("topics").value();
  CHECK(topics->weights.output.bias[1] == 4);
  CHECK(topics->spec.config.temperature == 2);
  CHECK(model.value().RequireHead("").value()->spec.name == "default");

  folder.erase("heads/topics.safetensors");
  Refusal(folder, "heads.topics.dense.weight is missing");
}

TEST_CASE("a missing tensor is named, with its shard if there is an index") {
  Folder folder = Fixture("enc");
  const testing::Bytes none = SafetensorsBuilder().Metadata(R"({"format":"pt"})").Build();
  folder["model.safetensors"] = std::string(none.begin(), none.end());
  Refusal(folder, "tensor embeddings.word_embeddings.weight is missing");
  folder.erase("model.safetensors");
  Refusal(folder, "files looked into: none");

  Folder shards = Sharded();
  shards.erase("model-00002-of-00002.safetensors");
  const Error error = Refusal(shards, "model-00002-of-00002.safetensors");
  CHECK(Has(error.message, "is missing"));
}

TEST_CASE("weights that do not fit the configuration are refused") {
  Folder folder = Fixture("enc");
  folder["config.json"] =
      R"({"model_type":"bert","hidden_size":48,"num_attention_heads":3,"num_hidden_layers":2,)"
      R"("intermediate_size":40,"max_position_embeddings":48,"vocab_size":117})";
  folder.erase("1_Pooling/config.json");
  folder.erase("modules.json");
  Refusal(folder, "embeddings.word_embeddings.weight has shape [117, 24], expected [117, 48]");

  folder = Fixture("enc");
  folder["config.json"] =
      R"({"model_type":"bert","hidden_size":24,"num_attention_heads":3,"num_hidden_layers":1,)"
      R"("intermediate_size":40,"max_position_embeddings":48,"vocab_size":117})";
  CHECK(Has(Refusal(folder, "encoder.layer.1.").message, "no part of the bert encoder"));

  const CheckpointShape shape;
  Checkpoint checkpoint = testing::RandomCheckpoint(shape, 41);
  folder = CheckpointFolder(shape, checkpoint);
  checkpoint["encoder.layer.0.attention.self.distance_embedding.weight"] = {3, 8, std::vector<float>(24)};
  folder["model.safetensors"] = testing::WeightFile(checkpoint, testing::Names(checkpoint));
  CHECK(Refusal(folder, "distance_embedding").code == ErrorCode::kUnsupported);
}

TEST_CASE("a label count that differs from the head is refused with file, tensor and both numbers") {
  Folder folder = Fixture("cls");
  folder["config.json"] =
      R"({"architectures":["BertForSequenceClassification"],"model_type":"bert","hidden_size":24,)"
      R"("num_attention_heads":3,"num_hidden_layers":2,"intermediate_size":40,)"
      R"("max_position_embeddings":48,"vocab_size":117,"id2label":{"0":"a","1":"b"}})";
  const Error error = Refusal(folder, "model.safetensors: tensor classifier.weight has 3 rows");
  CHECK(Has(error.message, "names 2 labels"));
}

TEST_CASE("a tensor that is there twice or has no float type is refused") {
  const CheckpointShape shape;
  const Checkpoint checkpoint = testing::RandomCheckpoint(shape, 42);
  Folder folder = CheckpointFolder(shape, checkpoint);
  Checkpoint twice = checkpoint;
  twice["bert.embeddings.LayerNorm.bias"] = checkpoint.at("embeddings.LayerNorm.bias");
  folder["model.safetensors"] = testing::WeightFile(twice, testing::Names(twice));
  Refusal(folder, "is there twice");

  SafetensorsBuilder builder;
  builder.Add("embeddings.word_embeddings.weight", "I8", {40, 24}, testing::Bytes(960));
  const testing::Bytes bytes = builder.Build();
  folder["model.safetensors"] = std::string(bytes.begin(), bytes.end());
  CHECK(Refusal(folder, "has dtype I8").code == ErrorCode::kUnsupported);
}

TEST_CASE("infinities and values that are no numbers are refused with tensor and row") {
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    for (const char* name : {"encoder.layer.1.attention.self.key.weight",
                             "embeddings.word_embeddings.weight", "encoder.layer.0.output.dense.weight",
                             "embeddings.LayerNorm.weight"}) {
      for (const Precision precision : {Precision::kInt8, Precision::kFloat32}) {
        const CheckpointShape shape;
        Checkpoint checkpoint = testing::RandomCheckpoint(shape, 43);
        checkpoint.at(name).values[5] = bad;
        const Error error = Refusal(CheckpointFolder(shape, checkpoint), name,
                                    {.options = {.precision = precision}});
        CHECK(Has(error.message, "in row 0"));
        CHECK(error.code == ErrorCode::kFormat);
      }
    }
  }
}

TEST_CASE("a file that ends early or goes on too long is refused with both sizes") {
  Folder folder = Fixture("enc");
  const std::string whole = folder.at("model.safetensors");
  const std::string size = std::to_string(whole.size());
  folder["model.safetensors"] = whole.substr(0, 35347);
  CHECK(Has(Refusal(folder, "35347").message, "truncated"));
  const Error late = Refusal(folder, "found 35347 bytes, expected " + size, {.sizes_known = false});
  CHECK(Has(late.message, "model.safetensors: the file is incomplete"));
  folder["model.safetensors"] = whole + "x";
  Refusal(folder, "size");
  Refusal(folder, "size is more than the " + size + " bytes", {.sizes_known = false});
}

TEST_CASE("the importer's own calls are checked") {
  auto begun = testing::BeginImport(Fixture("enc"), {});
  REQUIRE(begun.ok());
  ModelImporter importer = std::move(begun).value();
  const std::string weights = Fixture("enc").at("model.safetensors");
  const auto bytes = testing::AsBytes(weights);
  CHECK(Has(importer.AddHeader("model.safetensors", bytes, bytes.size()).error().message, "twice"));
  CHECK(Has(importer.AddHeader("other/x.safetensors", bytes, bytes.size()).error().message,
            "other/x.safetensors: no part of this model"));
  CHECK(Has(importer.Write("x.safetensors", 0, bytes).error().message, "header was not given"));
  REQUIRE(importer.Write("model.safetensors", 0, bytes.first(100)).ok());
  CHECK(Has(importer.Write("model.safetensors", 99, bytes.subspan(99)).error().message,
            "given from 99 on, expected from 100"));
  CHECK(Has(importer.AddHeader("y.safetensors", bytes, bytes.size()).error().message, "after the first"));
  REQUIRE(importer.Write("model.safetensors", 100, bytes.subspan(100)).ok());
  CHECK(std::move(importer).Finish().ok());
}

TEST_CASE("text files that are missing or broken are named") {
  Folder folder = Fixture("enc");
  folder.erase("config.json");
  Refusal(folder, "config.json is missing");
  folder = Fixture("enc");
  folder.erase("tokenizer.json");
  folder.erase("vocab.txt");
  Refusal(folder, "tokenizer.json and vocab.txt are both missing");
  folder = Fixture("enc");
  folder["config.json"] = "{";
  Refusal(folder, "config.json");
  folder = Fixture("enc");
  folder["modules.json"] = "{}";
  Refusal(folder, "modules.json");
  folder = Fixture("enc");
  folder["heads/a.json"] = R"({"name":"default","labels":["x"],"layers":[{"name":"d","in":24,"out":1}]})";
  Refusal(folder, "heads/a.json: name is \"default\"");
}

TEST_CASE("a vocabulary beyond the table of embeddings is refused before any download") {
  CheckpointShape shape;
  Folder folder = CheckpointFolder(shape, testing::RandomCheckpoint(shape, 44));
  folder["vocab.txt"] = testing::VocabText(41);
  const Error error = Refusal(folder, "\"w40\" the id 40, out of range");
  CHECK(Has(error.message, "40 rows"));
}

TEST_CASE("a matrix too large to be held is refused before anything is allocated") {
  CheckpointShape shape;
  shape.hidden = shape.embedding = 1 << 15;
  shape.heads = 16;
  shape.layers = 1;
  CheckpointShape tiny;
  tiny.layers = 1;
  tiny.inner = 28;
  SafetensorsHeader header;
  for (const auto& [name, weights] : testing::RandomCheckpoint(tiny, 1)) {
    const auto real = [&](size_t size) -> uint64_t {
      return size == tiny.hidden ? shape.hidden : size == tiny.inner ? shape.inner : size;
    };
    const bool vector = name.find("LayerNorm") != std::string::npos || name.ends_with(".bias");
    std::vector<uint64_t> dimensions = {real(weights.cols)};
    if (!vector) dimensions.insert(dimensions.begin(), real(weights.rows));
    header.tensors.push_back({name, DType::kF64, dimensions, 0, 0});
  }
  PlanSafetensorsOffsets(header);
  const std::vector<uint8_t> head = EncodeSafetensorsHeader(header);
  FolderTexts texts;
  texts.Add("config.json", testing::ConfigJson(shape));
  texts.Add("vocab.txt", testing::VocabText(shape.vocab));
  auto importer = ModelImporter::Create(std::move(texts), {});
  REQUIRE(importer.ok());
  REQUIRE(importer.value()
              .AddHeader("model.safetensors", head, head.size() + header.data_bytes)
              .value() == 0);
  const Status status = importer.value().Write("model.safetensors", 0, head);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::kOutOfMemory);
  CHECK(Has(status.error().message, "encoder.layer.0.attention.self.query.weight has 8589934592 bytes"));
}

TEST_CASE("older layouts: the encoder in a folder of its own") {
  Folder folder;
  for (const auto& [path, content] : Fixture("enc")) {
    const bool top = path == "modules.json" || path.find('/') != std::string::npos;
    folder[top ? path : "0_Transformer/" + path] = content;
  }
  std::string& modules = folder.at("modules.json");
  const std::string empty_path = "\"path\": \"\"";
  modules.replace(modules.find(empty_path), empty_path.size(), "\"path\": \"0_Transformer\"");
  auto file = Import(folder);
  if (!file.ok()) FAIL(file.error().message);
  const auto model = Model::Open(std::move(file).value());
  REQUIRE(model.ok());
  CHECK(model.value().max_length() == 32);
}

}  // namespace
}  // namespace pocketbert
