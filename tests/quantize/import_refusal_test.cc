// What an import refuses: the errors name the file, the tensor or key, what was found and what was
// expected.

#include <catch2/catch_amalgamated.hpp>
#include <cmath>
#include <limits>

#include "quantize/import_model.h"
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
using testing::SafetensorsBuilder;

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

TEST_CASE("a missing tensor is named, with its shard if there is an index") {
  Folder folder = Fixture("enc");
  const testing::Bytes none = SafetensorsBuilder().Metadata(R"({"format":"pt"})").Build();
  folder["model.safetensors"] = std::string(none.begin(), none.end());
  Refusal(folder, "tensor embeddings.word_embeddings.weight is missing");
  folder.erase("model.safetensors");
  Refusal(folder, "files looked into: none");

  Folder shards = testing::ShardedFixture();
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
  checkpoint["encoder.layer.0.attention.self.distance_embedding.weight"] = {3, 8,
                                                                            std::vector<float>(24)};
  folder["model.safetensors"] = testing::WeightFile(checkpoint, testing::Names(checkpoint));
  CHECK(Refusal(folder, "distance_embedding").code == ErrorCode::kUnsupported);
}

TEST_CASE(
    "a label count that differs from the head is refused with file, tensor and both numbers") {
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
    for (const char* name :
         {"encoder.layer.1.attention.self.key.weight", "embeddings.word_embeddings.weight",
          "encoder.layer.0.output.dense.weight", "embeddings.LayerNorm.weight"}) {
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

TEST_CASE("values whose scale overflows are refused as int8, with tensor and row") {
  for (const char* name :
       {"encoder.layer.1.attention.self.key.weight", "encoder.layer.0.output.dense.weight"}) {
    const CheckpointShape shape;
    Checkpoint checkpoint = testing::RandomCheckpoint(shape, 43);
    std::vector<float>& values = checkpoint.at(name).values;
    std::fill(values.begin(), values.end(), 3.3e38f);
    const Folder folder = CheckpointFolder(shape, checkpoint);
    const Error error = Refusal(folder, name, {.options = {.precision = Precision::kInt8}});
    CHECK(Has(error.message, "too large for int8 in row 0"));
    CHECK(error.code == ErrorCode::kFormat);
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
  CHECK(Has(importer.Write("x.safetensors", 0, bytes).error().message, "header was not given"));
  REQUIRE(importer.Write("model.safetensors", 0, bytes.first(100)).ok());
  CHECK(Has(importer.Write("model.safetensors", 99, bytes.subspan(99)).error().message,
            "given from 99 on, expected from 100"));
  CHECK(Has(importer.AddHeader("y.safetensors", bytes, bytes.size()).error().message,
            "after the first"));
  REQUIRE(importer.Write("model.safetensors", 100, bytes.subspan(100)).ok());
  CHECK(std::move(importer).Finish().ok());
}

TEST_CASE("weights beside the encoder's folder that no module reads are refused") {
  // A slash at the end changes nothing.
  const Folder folder = testing::OlderFixture("0_Transformer/");
  REQUIRE(Import(folder).ok());
  for (const char* path : {"other/x.safetensors", "0_TransformerX/model.safetensors",
                           "model.safetensors", "1_Pooling/model.safetensors"}) {
    Folder more = folder;
    more[path] = folder.at("0_Transformer/model.safetensors");
    Refusal(more, std::string(path) + ": no part of this model reads weights from it");
  }
}

TEST_CASE("text files that are missing or broken are named") {
  Folder folder = Fixture("enc");
  folder.erase("config.json");
  Refusal(folder, "config.json is missing");
  folder = Fixture("enc");
  folder.erase("tokenizer.json");
  folder.erase("vocab.txt");
  Refusal(folder, "neither tokenizer.json, nor vocab.json with merges.txt, nor vocab.txt");
  folder = Fixture("enc");
  folder["config.json"] = "{";
  Refusal(folder, "config.json");
  folder = Fixture("enc");
  folder["modules.json"] = "{}";
  Refusal(folder, "modules.json");
  folder = Fixture("enc");
  folder["heads/a.json"] =
      R"({"name":"default","labels":["x"],"layers":[{"name":"d","in":24,"out":1}]})";
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
  CHECK(Has(status.error().message,
            "encoder.layer.0.attention.self.query.weight has 8589934592 bytes"));
}

}  // namespace
}  // namespace pocketbert
