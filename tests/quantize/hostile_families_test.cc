// Folders of every family with a tensor missing or a config.json that lies: importing, opening and
// running end in an answer or a typed error. Run under AddressSanitizer and UBSan.

#include <catch2/catch_amalgamated.hpp>

#include <random>

#include "io/safetensors.h"
#include "support/family_model.h"

namespace pocketbert {
namespace {

using testing::AsBytes;
using testing::FamilyFolder;
using testing::Folder;

constexpr const char* kFixtures[] = {"roberta-cls", "xlmr-ner",       "camembert",  "mpnet-cls",
                                     "albert-mlm",  "deberta",        "deberta-c2p", "deberta-nli",
                                     "modernbert",  "modernbert-cls", "nomic",      "gte-new",
                                     "electra-mlm", "roberta-qa"};

// What importing and opening gave; a model that opens runs on a short text.
std::string Outcome(const Folder& folder, Precision precision) {
  Result<TensorFile> file = testing::Import(folder, {.options = {.precision = precision}});
  if (!file.ok()) {
    CHECK_FALSE(file.error().message.empty());
    return file.error().message;
  }
  const Result<Model> model = Model::Open(std::move(file).value());
  if (!model.ok()) {
    CHECK_FALSE(model.error().message.empty());
    return model.error().message;
  }
  std::vector<reference::Sequence> sequences = {{{0, 1, 0}, {0, 0, 0}}, {{0}, {0}}};
  if (model.value().encoder_config().max_tokens() < 3) sequences.erase(sequences.begin());
  testing::HiddenStates(model.value(), sequences, 1);
  return "";
}

// The same header with one tensor under another name of the same length.
std::string Renamed(std::string weights, const std::string& name) {
  const std::string quoted = "\"" + name + "\"";
  const size_t at = weights.find(quoted);
  REQUIRE(at != std::string::npos);
  weights[at + name.size()] = '~';
  return weights;
}

TEST_CASE("families: every tensor of the encoder is asked for by name") {
  for (const char* fixture : kFixtures) {
    Folder folder = FamilyFolder(fixture);
    const std::string weights = folder.at("model.safetensors");
    const SafetensorsHeader header =
        ParseSafetensorsHeader("m", AsBytes(weights), weights.size()).value();
    CHECK(Outcome(folder, Precision::kFloat32).empty());
    for (const TensorInfo& tensor : header.tensors) {
      CAPTURE(fixture, tensor.name);
      folder["model.safetensors"] = Renamed(weights, tensor.name);
      const std::string outcome = Outcome(folder, Precision::kFloat32);
      const bool head = tensor.name.find("pooler") != std::string::npos ||
                        tensor.name.find("classifier") != std::string::npos ||
                        tensor.name.find("predictions") != std::string::npos ||
                        tensor.name.find("generator") != std::string::npos ||
                        tensor.name.find("head.") != std::string::npos ||
                        tensor.name.find("qa_outputs") != std::string::npos;
      INFO(outcome);
      if (!head) CHECK(outcome.find("is missing") != std::string::npos);
    }
  }
}

TEST_CASE("families: a head that lacks a part is no head, the encoder is there all the same") {
  const struct {
    const char* fixture;
    const char* tensor;
    HeadTask task;
  } table[] = {{"roberta-mlm", "lm_head.layer_norm.weight", HeadTask::kFillMask},
               {"albert-mlm", "predictions.dense.weight", HeadTask::kFillMask},
               {"modernbert-mlm", "decoder.bias", HeadTask::kFillMask},
               {"modernbert-ner", "head.dense.weight", HeadTask::kTag},
               {"electra-qa", "qa_outputs.weight", HeadTask::kAnswer}};
  for (const auto& [fixture, tensor, task] : table) {
    CAPTURE(fixture);
    Folder folder = FamilyFolder(fixture);
    CHECK(testing::OpenedFolder(folder, Precision::kInt8).HasHead(task));
    folder["model.safetensors"] = Renamed(folder.at("model.safetensors"), tensor);
    const Model model = testing::OpenedFolder(folder, Precision::kInt8);
    CHECK_FALSE(model.HasHead(task));
    const auto missing = model.RequireHead("", task);
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.error().code == ErrorCode::kUnsupported);
  }
}

TEST_CASE("families: numbers of config.json that are not those of the file") {
  constexpr const char* kValues[] = {"0",  "-1",  "1",       "2",           "3",    "5",
                                     "12", "127", "1000000", "2147483648", "1e18", "0.5",
                                     "true", "false", "null", "\"x\"", "[]", "{}"};
  for (const char* fixture : kFixtures) {
    Folder folder = FamilyFolder(fixture);
    const std::string text = folder.at("config.json");
    const JsonDocument document = ParseJson(text, "config.json").value();
    for (const auto [key, value] : document.root().Members()) {
      if (key == "model_type" || key == "architectures") continue;
      for (const char* other : kValues) {
        JsonWriter writer;
        writer.BeginObject();
        for (const auto [k, v] : document.root().Members()) {
          if (k != key) writer.Key(k).Value(v);
        }
        writer.Key(key).Value(ParseJson(other, "value").value().root()).EndObject();
        folder["config.json"] = writer.TakeText();
        INFO(fixture << " " << key << " " << other);
        Outcome(folder, Precision::kInt8);
      }
    }
  }
}

TEST_CASE("families: mutated one-file models") {
  std::mt19937 random(5);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (const char* fixture : kFixtures) {
    const TensorFile file = testing::Import(FamilyFolder(fixture)).value();
    const size_t header = static_cast<size_t>(file.header().data_start);
    for (size_t round = 0; round < 150; ++round) {
      const std::span<const uint8_t> bytes = file.bytes();
      ByteBlock block = ByteBlock::Create(bytes.size(), "m").value();
      std::copy(bytes.begin(), bytes.end(), block.data());
      for (size_t edits = 1 + below(3); edits > 0; --edits) {
        uint8_t& byte = block.data()[8 + below(header - 8)];
        byte = static_cast<uint8_t>(below(2) == 0 ? '0' + below(10) : byte ^ (1u << below(7)));
      }
      Result<TensorFile> mutated = TensorFile::FromBytes("m", std::move(block));
      if (!mutated.ok()) continue;
      const Result<Model> model = Model::Open(std::move(mutated).value());
      if (!model.ok()) {
        CHECK_FALSE(model.error().message.empty());
        continue;
      }
      testing::HiddenStates(model.value(), {{{0}, {0}}}, 1);
    }
  }
}

}  // namespace
}  // namespace pocketbert
