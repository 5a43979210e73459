// The importer: what it takes, and that chunks, order and element types don't matter.

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
  CHECK(FileText(Import(testing::ShardedFixture(), {.order = {first, second}})) == whole);
  CHECK(FileText(Import(testing::ShardedFixture(), {.chunk = 100, .order = {second, first}})) ==
        whole);
  CHECK(FileText(Import(testing::ShardedFixture(), {.chunk = 333, .interleave = true})) == whole);
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

// The checkpoint with every value cut to what the type holds, and the file that holds it in the
// type.
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
            exponent == 0 ? 0
                          : std::ldexp(1 + static_cast<float>(half & 0x3FF) / 1024, exponent - 15);
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
  CHECK(
      header.Metadata("quantization") ==
      R"({"precision":"int8","group_size":128,)"
      R"("equalization":"layernorm-profile-3","activations":"u7"})");
  CHECK(header.Metadata("ignored_tensors") == R"(["pooler.dense.bias","pooler.dense.weight"])");
  CHECK(header.data_start % 64 == 0);
}

TEST_CASE("heads come along: the checkpoint's own and named ones") {
  Folder folder = Fixture("cls");
  folder["heads/topics.json"] =
      R"({"name":"topics","type":"EnhancedClassifier","labels":["a","b"],"temperature":2,)"
      R"("layers":[{"name":"dense","in":24,"out":16},{"activation":"gelu"},)"
      R"({"name":"out_proj","in":16,"out":2}]})";
  const testing::Bytes head =
      SafetensorsBuilder()
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
  const auto headless = Import(folder);
  REQUIRE_FALSE(headless.ok());
  CHECK(headless.error().message.find("heads.topics.dense.weight is missing") != std::string::npos);
}

TEST_CASE("older layouts: the encoder in a folder of its own") {
  auto file = Import(testing::OlderFixture("0_Transformer"));
  if (!file.ok()) FAIL(file.error().message);
  const auto model = Model::Open(std::move(file).value());
  REQUIRE(model.ok());
  CHECK(model.value().max_length() == 32);
}

TEST_CASE("shards in a folder of their own") {
  Folder folder;
  for (const auto& [path, content] : testing::ShardedFixture()) {
    folder[testing::IsWeights(path) ? "shards/" + path : path] = content;
  }
  const auto below = Import(folder);
  if (!below.ok()) FAIL(below.error().message);
  const auto beside = Import(testing::ShardedFixture());
  REQUIRE(beside.ok());
  const auto bytes = [](const TensorFile& file) {
    const auto whole = file.bytes();
    return testing::Bytes(whole.begin(), whole.end());
  };
  CHECK(bytes(below.value()) == bytes(beside.value()));
}

}  // namespace
}  // namespace pocketbert
