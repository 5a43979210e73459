// Opening one-file models that were put together by hand, tensor by tensor.

#include "model/model.h"

#include <catch2/catch_amalgamated.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "support/safetensors_builder.h"
#include "text/tokenizer.h"

namespace pocketbert {
namespace {

using testing::Bytes;

constexpr size_t kVocab = 7, kHidden = 12, kInner = 20, kPositions = 9;
constexpr size_t kGroup = 8;

struct Tensor {
  std::string dtype;
  std::vector<uint64_t> shape;
  Bytes data;
};

// The parts of a file; tests change them before it is built.
struct Parts {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

Tensor Floats(std::vector<uint64_t> shape, float value) {
  size_t count = 1;
  for (const uint64_t dimension : shape) count *= dimension;
  const std::vector<float> values(count, value);
  Bytes data(count * sizeof(float));
  std::memcpy(data.data(), values.data(), data.size());
  return {"F32", std::move(shape), std::move(data)};
}

// Values 1, 2, 3, … so that rows can be told apart.
Tensor Counted(size_t rows, size_t cols) {
  Bytes data(rows * cols);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(1 + i % 60);
  return {"I8", {rows, cols}, std::move(data)};
}

uint64_t Groups(size_t cols) { return (cols + kGroup - 1) / kGroup; }

void AddMatrix(Parts& parts, const std::string& name, size_t rows, size_t cols, bool int8) {
  parts.tensors[name + ".weight"] = int8 ? Counted(rows, cols) : Floats({rows, cols}, 0.5f);
  if (int8) parts.tensors[name + ".weight_scale"] = Floats({rows, Groups(cols)}, 0.25f);
  parts.tensors[name + ".bias"] = Floats({rows}, 0.125f);
}

void AddTable(Parts& parts, const std::string& name, size_t rows, bool int8) {
  const std::string full = "embeddings." + name + ".weight";
  parts.tensors[full] = int8 ? Counted(rows, kHidden) : Floats({rows, kHidden}, 0.5f);
  if (int8) parts.tensors[full + "_scale"] = Floats({rows, Groups(kHidden)}, 0.25f);
}

void AddNorm(Parts& parts, const std::string& name) {
  parts.tensors[name + ".weight"] = Floats({kHidden}, 1);
  parts.tensors[name + ".bias"] = Floats({kHidden}, 0);
}

// A BERT of one layer.
Parts SoundParts(bool int8 = true) {
  Parts parts;
  TokenizerFiles files;
  files.vocab_txt = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n";
  const auto tokenizer = Tokenizer::FromFiles(files);
  if (!tokenizer.ok()) FAIL(tokenizer.error().message);
  const Bytes vocabulary = tokenizer.value().CompiledVocabulary();
  parts.tensors["tokenizer.vocab"] = {"U8", {vocabulary.size()}, vocabulary};
  parts.metadata = {
      {"format", "pocketbert"},
      {"format_version", "1"},
      {"config", R"({"model_type":"bert","hidden_size":12,"num_attention_heads":3,)"
                 R"("num_hidden_layers":1,"intermediate_size":20,"max_position_embeddings":9,)"
                 R"("vocab_size":7})"},
      {"sentence", R"({"from_modules":true,"pooling":["mean"],"include_prompt":true,)"
                   R"("steps":[{"type":"normalize"}],"max_length":8,"prompts":{}})"},
      {"heads", "[]"},
      {"quantization",
       int8 ? R"({"precision":"int8","group_size":8})" : R"({"precision":"float32"})"},
      {"tokenizer", tokenizer.value().CompiledConfig()}};
  AddTable(parts, "word_embeddings", kVocab, int8);
  AddTable(parts, "position_embeddings", kPositions, int8);
  AddTable(parts, "token_type_embeddings", 2, int8);
  AddNorm(parts, "embeddings.LayerNorm");
  const std::string layer = "encoder.layer.0.";
  for (const char* part : {"query", "key", "value"}) {
    AddMatrix(parts, layer + "attention.self." + part, kHidden, kHidden, int8);
  }
  AddMatrix(parts, layer + "attention.output.dense", kHidden, kHidden, int8);
  AddNorm(parts, layer + "attention.output.LayerNorm");
  AddMatrix(parts, layer + "intermediate.dense", kInner, kHidden, int8);
  AddMatrix(parts, layer + "output.dense", kHidden, kInner, int8);
  AddNorm(parts, layer + "output.LayerNorm");
  return parts;
}

// The file; `pad` extra bytes in front of the data make everything unaligned.
Bytes Build(const Parts& parts, size_t pad = 0) {
  testing::SafetensorsBuilder builder;
  JsonWriter metadata;
  metadata.BeginObject();
  for (const auto& [key, text] : parts.metadata) metadata.Key(key).String(text);
  metadata.EndObject();
  builder.Metadata(metadata.text());
  for (const auto& [name, tensor] : parts.tensors) {
    builder.Add(name, tensor.dtype, tensor.shape, tensor.data);
  }
  const Bytes plain = builder.Build();
  const std::string header = builder.Header() + std::string(pad, ' ');
  return testing::SafetensorsFile(
      header,
      Bytes(plain.begin() + static_cast<ptrdiff_t>(8 + builder.Header().size()), plain.end()));
}

Result<Model> Open(const Parts& parts, size_t pad = 0) {
  const Bytes bytes = Build(parts, pad);
  auto block = ByteBlock::Create(bytes.size(), "m");
  REQUIRE(block.ok());
  std::memcpy(block.value().data(), bytes.data(), bytes.size());
  PB_ASSIGN_OR_RETURN(TensorFile file,
                      TensorFile::FromBytes("my.safetensors", std::move(block).value()));
  return Model::Open(std::move(file));
}

Model Opened(const Parts& parts, size_t pad = 0) {
  auto model = Open(parts, pad);
  if (!model.ok()) FAIL(model.error().message);
  return std::move(model).value();
}

Error Refusal(const Parts& parts, std::string_view part, size_t pad = 0) {
  const auto model = Open(parts, pad);
  REQUIRE_FALSE(model.ok());
  INFO(model.error().message);
  CHECK(model.error().message.starts_with("my.safetensors"));
  CHECK(model.error().message.find(part) != std::string::npos);
  return model.error();
}

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
    CHECK(encoder.words.i8.Row(1)[0] == 13);
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
    "int8 matrices are packed: panels of 8 rows, blocks of 4 columns, rows padded with zeros") {
  const Model model = Opened(SoundParts());
  const PackedI8& packed = model.encoder().layers[0].intermediate.i8;  // [20, 12]
  const Tensor source = Counted(kInner, kHidden);
  REQUIRE(packed.panels.size() == 24 * 12);
  for (size_t r = 0; r < 24; ++r) {
    for (size_t k = 0; k < kHidden; ++k) {
      const size_t at = ((r / 8) * 3 + k / 4) * 32 + (r % 8) * 4 + k % 4;
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
  Refusal(parts, "encoder.layer.0.attention.self.input_scale has shape [13], expected [12]");
}

TEST_CASE("values that are not finite, and scales that are not above 0, are refused by name") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const bool int8 : {true, false}) {
    Parts sound = SoundParts(int8);
    if (int8) {
      sound.tensors["encoder.layer.0.attention.self.input_scale"] = Floats({kHidden}, 3);
    }
    for (const auto& [name, tensor] : sound.tensors) {
      if (tensor.dtype != "F32") continue;
      const bool scale = name.ends_with("_scale");
      std::vector<float> bad = {std::nanf(""), -std::nanf(""), kInfinity, -kInfinity};
      if (scale) bad.insert(bad.end(), {0.0f, -0.0f, -1.0f});
      for (const float value : bad) {
        Parts parts = sound;
        Bytes& data = parts.tensors[name].data;
        std::memcpy(data.data() + data.size() - sizeof(value), &value, sizeof(value));
        for (const size_t pad : {0, 1}) {
          CHECK(Refusal(parts, "tensor " + name + " has a value that is not finite", pad).code ==
                ErrorCode::kFormat);
        }
      }
      // The largest and smallest numbers are numbers.
      for (const float value : {std::numeric_limits<float>::max(), 1e-45f}) {
        Parts parts = sound;
        std::memcpy(parts.tensors[name].data.data(), &value, sizeof(value));
        Opened(parts);
      }
    }
  }
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
  for (const char* group : {"0", "6", "1024", "-8", "\"8\"", "null"}) {
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
      R"("output":"heads.topics.out_proj","inputs":12,"inner":4,"outputs":2,"activation":"gelu",)"
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
  parts.metadata["heads"] = "[" + topics.substr(0, topics.find("\"inputs\":12")) + "\"inputs\":11" +
                            topics.substr(topics.find(",\"inner\"")) + "]";
  Refusal(parts, "head topics reads 11 values, expected 12");
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
      R"({"type":"dense","path":"2_Dense","inputs":24,"outputs":10,)"
      R"("bias":false,"activation":"tanh"},)"
      R"({"type":"dense","path":"3_Dense","inputs":10,"outputs":5,"bias":true,)"
      R"("activation":"linear"},)"
      R"({"type":"normalize"}],"prompts":{}})";
  AddMatrix(parts, "modules.2_Dense.linear", 10, 24, false);
  AddMatrix(parts, "modules.3_Dense.linear", 5, 10, false);
  Refusal(parts, "modules.2_Dense.linear.bias is no part of the model");
  parts.tensors.erase("modules.2_Dense.linear.bias");
  const Model model = Opened(parts);
  CHECK(model.dimensions() == 5);
  REQUIRE(model.steps().size() == 3);
  CHECK(model.steps()[0].linear.inputs() == 24);
  CHECK(model.steps()[0].linear.bias.empty());
  CHECK(model.steps()[1].linear.bias.size() == 5);
  CHECK(model.steps()[2].linear.empty());
}

}  // namespace
}  // namespace pocketbert
