// Opening one-file models that were put together by hand, tensor by tensor.

#include "model/model.h"

#include <catch2/catch_amalgamated.hpp>

#include <string>

#include "support/model_parts.h"
#include "text/tokenizer.h"

namespace pocketbert {
namespace {

using testing::AddMatrix;
using testing::AddTable;
using testing::Counted;
using testing::Floats;
using testing::Opened;
using testing::Parts;
using testing::Refusal;
using testing::SoundParts;
using testing::Tensor;
using testing::kGroup;
using testing::kHidden;
using testing::kInner;
using testing::kPositions;
using testing::kVocab;

TEST_CASE("a sound file binds everything") {
  for (const size_t pad : {0, 1, 2, 3}) {
    const Model model = Opened(SoundParts(), pad);
    CHECK(model.precision() == Precision::kInt8);
    CHECK(model.dimensions() == kHidden);
    CHECK(model.max_length() == 8);
    CHECK(model.sentence().normalizes());
    CHECK(model.steps().size() == 1);
    CHECK(model.tokenizer().vocab_size() == kVocab);
    CHECK(model.weight_bytes() > 0);
    const EncoderWeights& encoder = model.encoder();
    CHECK(encoder.words.ids() == kVocab);
    CHECK(encoder.words.i8.Row(1)[0] == 7);
    CHECK(encoder.words.scales.Row(6)[1] == 0.25f);
    REQUIRE(encoder.layers.size() == 1);
    const LayerWeights& layer = encoder.layers[0];
    CHECK(layer.intermediate.outputs() == kInner);
    CHECK(layer.intermediate.inputs() == kHidden);
    CHECK(layer.query.bias[11] == 0.125f);
    CHECK(layer.attention_norm.gamma[3] == 1);
    CHECK(layer.query.input_scale.empty());
    CHECK(layer.query.i8.group_size == kGroup);
  }
}

TEST_CASE(
    "int8 matrices are packed: panels of 8 rows, some columns together, rows padded with zeros") {
  const Model model = Opened(SoundParts());
  const PackedI8& packed = model.encoder().layers[0].intermediate.i8;  // [44, 36]
  const Tensor source = Counted(kInner, kHidden);
  REQUIRE(packed.panels.size() == 48 * 36);
  const size_t together = packed.order == PanelOrder::kFours ? 4 : 2;
  for (size_t r = 0; r < 48; ++r) {
    for (size_t k = 0; k < kHidden; ++k) {
      const size_t at = r / 8 * 8 * kHidden + (k / together * 8 + r % 8) * together + k % together;
      CHECK(packed.panels[at] == (r < kInner ? static_cast<int>(source.data[r * kHidden + k]) : 0));
    }
  }
}

TEST_CASE("float32 files keep their matrices") {
  for (const size_t pad : {0, 3}) {
    const Model model = Opened(SoundParts(false), pad);
    CHECK(model.precision() == Precision::kFloat32);
    const LinearWeights& output = model.encoder().layers[0].output;
    CHECK_FALSE(output.is_i8());
    CHECK(output.f32.rows == kHidden);
    CHECK(output.f32.cols == kInner);
    CHECK(output.f32.Row(11)[19] == 0.5f);
    CHECK(reinterpret_cast<uintptr_t>(output.f32.data) % alignof(float) == 0);
  }
}

TEST_CASE("an input scale is shared by query, key and value") {
  Parts parts = SoundParts();
  parts.tensors["encoder.layer.0.attention.self.input_scale"] = Floats({kHidden}, 3);
  parts.tensors["encoder.layer.0.intermediate.dense.input_scale"] = Floats({kHidden}, 4);
  for (const size_t pad : {0, 1}) {
    const Model model = Opened(parts, pad);
    const LayerWeights& layer = model.encoder().layers[0];
    CHECK(layer.query.input_scale[5] == 3);
    CHECK(layer.query.input_scale.data() == layer.value.input_scale.data());
    CHECK(layer.key.input_scale.data() == layer.value.input_scale.data());
    CHECK(layer.intermediate.input_scale[11] == 4);
    CHECK(layer.output.input_scale.empty());
  }
  parts.tensors["encoder.layer.0.attention.self.input_scale"] = Floats({kHidden + 1}, 3);
  Refusal(parts, "encoder.layer.0.attention.self.input_scale has shape [37], expected [36]");
}

TEST_CASE("a limit without room for the special tokens is refused") {
  Parts parts = SoundParts();
  parts.metadata["sentence"] =
      R"({"from_modules":true,"pooling":["cls"],"include_prompt":true,"steps":[],)"
      R"("max_length":1,"prompts":{}})";
  CHECK(Refusal(parts, "my.safetensors: max_seq_length (or model_max_length) is 1, expected at "
                       "least 2")
            .code == ErrorCode::kFormat);
}

TEST_CASE("a moved model keeps its views") {
  Model first = Opened(SoundParts());
  const float* const bias = first.encoder().layers[0].query.bias.data();
  const Model second = std::move(first);
  CHECK(second.encoder().layers[0].query.bias.data() == bias);
  CHECK(second.encoder().layers[0].query.bias[0] == 0.125f);
}

TEST_CASE("the length limit is the smallest of those that count") {
  Parts parts = SoundParts();
  const auto with = [&](const std::string& limit) {
    parts.metadata["sentence"] = R"({"from_modules":true,"pooling":["cls"],"include_prompt":true,)"
                                 R"("steps":[])" +
                                 limit + R"(,"prompts":{}})";
    return Opened(parts).max_length();
  };
  CHECK(with(R"(,"max_length":5)") == 5);
  CHECK(with(R"(,"max_length":500)") == kPositions);
  CHECK(with("") == kPositions);
}

TEST_CASE("files that are no one-file model of this version are refused") {
  Parts parts = SoundParts();
  parts.metadata["format"] = "pt";
  Refusal(parts, "metadata key \"format\" is \"pt\", expected \"pocketbert\"");
  parts.metadata.erase("format");
  Refusal(parts, "metadata key \"format\" is missing");
  parts = SoundParts();
  parts.metadata["format_version"] = "2";
  CHECK(Refusal(parts, "format_version is \"2\"").code == ErrorCode::kUnsupported);
}

TEST_CASE("every text of the metadata is required and checked") {
  for (const char* key :
       {"format_version", "config", "sentence", "heads", "quantization", "tokenizer"}) {
    Parts parts = SoundParts();
    parts.metadata.erase(key);
    Refusal(parts, "metadata key \"" + std::string(key) + "\" is missing");
  }
  for (const char* key : {"config", "sentence", "heads", "quantization"}) {
    Parts parts = SoundParts();
    parts.metadata[key] = "{";
    Refusal(parts, "metadata " + std::string(key));
  }
  for (const char* group : {"0", "4", "16", "48", "1024", "-32", "\"32\"", "null"}) {
    Parts parts = SoundParts();
    parts.metadata["quantization"] =
        R"({"precision":"int8","group_size":)" + std::string(group) + "}";
    Refusal(parts, "group_size");
  }
  Parts parts = SoundParts();
  parts.metadata["quantization"] = R"({"precision":"int4"})";
  Refusal(parts, "precision");
}

TEST_CASE("every tensor is required, in its shape and type") {
  const Parts sound = SoundParts();
  for (const auto& [name, tensor] : sound.tensors) {
    Parts parts = sound;
    parts.tensors.erase(name);
    Refusal(parts, "tensor " + name + " is missing");
    if (name == "tokenizer.vocab") continue;
    parts = sound;
    Tensor& grown = parts.tensors[name];
    grown.shape.back() += 1;
    grown.data.resize(grown.data.size() / (grown.shape.back() - 1) * grown.shape.back());
    Refusal(parts, "tensor " + name + " has shape " + ShapeText(grown.shape));
    parts = sound;
    Tensor& typed = parts.tensors[name];
    typed.data.resize(typed.data.size() * (typed.dtype == "I8" ? 8 : 2));
    typed.dtype = "F64";
    Refusal(parts, "tensor " + name + " has dtype F64");
  }
}

TEST_CASE("matrices of another precision than the file's are refused") {
  Parts parts = SoundParts();
  AddMatrix(parts, "encoder.layer.0.attention.self.key", kHidden, kHidden, false);
  parts.tensors.erase("encoder.layer.0.attention.self.key.weight_scale");
  Refusal(parts, "encoder.layer.0.attention.self.key.weight has dtype F32");
  parts = SoundParts(false);
  AddMatrix(parts, "encoder.layer.0.output.dense", kHidden, kInner, true);
  Refusal(parts, "encoder.layer.0.output.dense.weight");
}

TEST_CASE("a tensor that the metadata do not explain is refused") {
  Parts parts = SoundParts();
  parts.tensors["encoder.layer.1.output.dense.bias"] = Floats({kHidden}, 0);
  Refusal(parts, "encoder.layer.1.output.dense.bias is no part of the model");
}

TEST_CASE("a vocabulary beyond the table of embeddings is refused") {
  Parts parts = SoundParts();
  std::string& config = parts.metadata["config"];
  config.replace(config.find("\"vocab_size\":7"), 14, "\"vocab_size\":6");
  AddTable(parts, "word_embeddings", 6, true);
  Refusal(parts, "\"b\" the id 6, out of range");
}

TEST_CASE("heads: by name, by default, or the only one") {
  Parts parts = SoundParts();
  const std::string topics =
      R"({"name":"topics","type":"enhanced","input":"sentence_vector",)"
      R"("dense":"heads.topics.dense",)"
      R"("output":"heads.topics.out_proj","inputs":36,"inner":4,"outputs":2,"activation":"gelu",)"
      R"("temperature":1.5,"labels":["a","b"],"scores":"softmax"})";
  parts.metadata["heads"] = "[" + topics + "]";
  AddMatrix(parts, "heads.topics.dense", 4, kHidden, false);
  AddMatrix(parts, "heads.topics.out_proj", 2, 4, false);
  {
    const Model model = Opened(parts);
    REQUIRE(model.heads().size() == 1);
    CHECK(model.RequireHead("").value() == &model.heads()[0]);
    CHECK(model.RequireHead("topics").value() == &model.heads()[0]);
    CHECK(model.heads()[0].weights.dense.outputs() == 4);
    const auto none = model.RequireHead("mood");
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().code == ErrorCode::kInvalidArgument);
    CHECK(none.error().message.find("no head mood; its heads are: topics") != std::string::npos);
  }
  std::string mood = topics;
  mood.replace(mood.find("topics"), 6, "mood");
  parts.metadata["heads"] = "[" + topics + "," + mood + "]";
  const auto several = Opened(parts).RequireHead("");
  REQUIRE_FALSE(several.ok());
  CHECK(several.error().message.find("several heads") != std::string::npos);
  CHECK(several.error().message.find("topics, mood") != std::string::npos);

  parts.tensors.erase("heads.topics.out_proj.bias");
  Refusal(parts, "heads.topics.out_proj.bias is missing");
  parts.metadata["heads"] = "[" + topics.substr(0, topics.find("\"inputs\":36")) + "\"inputs\":35" +
                            topics.substr(topics.find(",\"inner\"")) + "]";
  Refusal(parts, "head topics reads 35 values, expected 36");
}

TEST_CASE("without a head the error names the tensor that a classifier would need") {
  const Model model = Opened(SoundParts());
  const auto head = model.RequireHead("");
  REQUIRE_FALSE(head.ok());
  CHECK(head.error().code == ErrorCode::kUnsupported);
  CHECK(head.error().message.find("classifier.weight") != std::string::npos);
}

TEST_CASE("Dense modules are bound, with and without bias") {
  Parts parts = SoundParts();
  parts.metadata["sentence"] =
      R"({"from_modules":true,"pooling":["cls","mean"],"include_prompt":true,"steps":[)"
      R"({"type":"dense","path":"2_Dense","inputs":72,"outputs":10,)"
      R"("bias":false,"activation":"tanh"},)"
      R"({"type":"dense","path":"3_Dense","inputs":10,"outputs":5,"bias":true,)"
      R"("activation":"linear"},)"
      R"({"type":"normalize"}],"prompts":{}})";
  AddMatrix(parts, "modules.2_Dense.linear", 10, 72, false);
  AddMatrix(parts, "modules.3_Dense.linear", 5, 10, false);
  Refusal(parts, "modules.2_Dense.linear.bias is no part of the model");
  parts.tensors.erase("modules.2_Dense.linear.bias");
  const Model model = Opened(parts);
  CHECK(model.dimensions() == 5);
  REQUIRE(model.steps().size() == 3);
  CHECK(model.steps()[0].linear.inputs() == 72);
  CHECK(model.steps()[0].linear.bias.empty());
  CHECK(model.steps()[1].linear.bias.size() == 5);
  CHECK(model.steps()[2].linear.empty());
}

}  // namespace
}  // namespace pocketbert
