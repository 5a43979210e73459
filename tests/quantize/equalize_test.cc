// Quantized files against the reference over the whole checkpoint, bit for bit.

#include <catch2/catch_amalgamated.hpp>

#include <cstring>

#include "base/json.h"
#include "reference/weight_quantization.h"
#include "support/random_checkpoint.h"

namespace pocketbert {
namespace {

using reference::Checkpoint;
using reference::Factors;
using reference::QuantizedWeights;
using reference::QuantizeWeights;
using testing::CheckpointShape;

constexpr size_t kGroup = 128;

template <typename T>
std::vector<T> Values(const TensorFile& file, const std::string& name) {
  const TensorInfo* tensor = file.header().Find(name);
  INFO(name);
  REQUIRE(tensor != nullptr);
  const auto bytes = file.TensorBytes(*tensor);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

void CheckMatrix(const TensorFile& file, const std::string& name,
                 const reference::Weights& weights) {
  INFO(name);
  const bool multiplied = !name.ends_with("_embeddings.weight");
  const QuantizedWeights expected = QuantizeWeights(weights, kGroup, multiplied);
  CHECK(Values<int8_t>(file, name) == expected.values);
  CHECK(Values<float>(file, name + "_scale") == expected.scales);
  const auto fidelity = ParseJson(file.header().Metadata("fidelity").value(), "fidelity").value();
  CHECK(fidelity.root().Get("weights").value().GetDouble(name).value() ==
        Catch::Approx(expected.relative_error).epsilon(1e-3));
}

// The matrices `names` read one input of this profile.
void CheckEqualized(const TensorFile& file, const Checkpoint& checkpoint,
                    const std::vector<std::string>& names, const reference::Profile& profile,
                    const std::string& scale_name) {
  const std::vector<float> e = Factors(checkpoint, names, profile);
  std::vector<float> inverse;
  for (const float factor : e) inverse.push_back(1.0f / factor);
  INFO(scale_name);
  CHECK(Values<float>(file, scale_name) == inverse);
  for (const std::string& name : names) {
    CheckMatrix(file, name, reference::ScaleColumns(checkpoint.at(name), e));
  }
}

void CheckQuantized(const CheckpointShape& shape, uint32_t seed) {
  const Checkpoint checkpoint = testing::RandomCheckpoint(shape, seed);
  auto imported = testing::Import(testing::CheckpointFolder(shape, checkpoint));
  if (!imported.ok()) FAIL(imported.error().message);
  const TensorFile& file = imported.value();
  for (const char* table : {"word", "position", "token_type"}) {
    const std::string name = "embeddings." + std::string(table) + "_embeddings.weight";
    CheckMatrix(file, name, checkpoint.at(name));
  }
  if (shape.embedding != shape.hidden) {
    CheckEqualized(file, checkpoint, {"embeddings_project.weight"},
                   NormProfile(checkpoint, "embeddings.LayerNorm"),
                   "embeddings_project.input_scale");
  }
  for (size_t l = 0; l < shape.layers; ++l) {
    const std::string layer = "encoder.layer." + std::to_string(l) + ".";
    const std::string self = layer + "attention.self.";
    CheckEqualized(file, checkpoint,
                   {self + "query.weight", self + "key.weight", self + "value.weight"},
                   reference::AttentionProfile(checkpoint, l), self + "input_scale");
    CheckEqualized(file, checkpoint, {layer + "intermediate.dense.weight"},
                   NormProfile(checkpoint, layer + "attention.output.LayerNorm"),
                   layer + "intermediate.dense.input_scale");
    for (const char* plain : {"attention.output.dense", "output.dense"}) {
      CheckMatrix(file, layer + plain + ".weight", checkpoint.at(layer + plain + ".weight"));
      CHECK(file.header().Find(layer + plain + ".input_scale") == nullptr);
    }
  }
  // Vectors stay as they were.
  for (const auto& [name, weights] : checkpoint) {
    if (file.header().Find(name)->dtype == DType::kF32) {
      CHECK(Values<float>(file, name) == weights.values);
    }
  }
}

TEST_CASE("BERT of two layers, one short group") { CheckQuantized({}, 1); }

TEST_CASE("profiles reach three layers back") {
  CheckpointShape shape;
  shape.layers = 6;
  CheckQuantized(shape, 2);
}

TEST_CASE("several groups, the last one short") {
  CheckpointShape shape;
  shape.hidden = shape.embedding = 144;
  shape.inner = 260;
  shape.layers = 4;
  CheckQuantized(shape, 3);
}

TEST_CASE("ELECTRA: the projection is equalized and shapes the first profile") {
  CheckpointShape shape;
  shape.model_type = "electra";
  shape.embedding = 16;
  shape.layers = 5;
  CheckQuantized(shape, 4);
}

TEST_CASE("without any profile the factors are ones") {
  const CheckpointShape shape;
  Checkpoint checkpoint = testing::RandomCheckpoint(shape, 5);
  for (const char* name : {"embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias"}) {
    for (float& value : checkpoint.at(name).values) value = 0;
  }
  for (float& value : checkpoint.at("encoder.layer.1.intermediate.dense.weight").values) value = 0;
  auto imported = testing::Import(testing::CheckpointFolder(shape, checkpoint));
  if (!imported.ok()) FAIL(imported.error().message);
  const std::vector<float> ones(shape.hidden, 1.0f);
  CHECK(Values<float>(imported.value(), "encoder.layer.0.attention.self.input_scale") == ones);
  CHECK(Values<float>(imported.value(), "encoder.layer.1.intermediate.dense.input_scale") == ones);
  CHECK(Values<float>(imported.value(), "encoder.layer.0.intermediate.dense.input_scale") != ones);
}

}  // namespace
}  // namespace pocketbert
