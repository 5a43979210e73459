#pragma once
// One-file models put together by hand, tensor by tensor.

#include <catch2/catch_amalgamated.hpp>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/model.h"
#include "support/safetensors_builder.h"
#include "text/tokenizer.h"

namespace pocketbert::testing {

inline constexpr size_t kVocab = 7, kHidden = 36, kInner = 44, kPositions = 9;
inline constexpr size_t kGroup = 32;

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

inline Tensor Floats(std::vector<uint64_t> shape, float value) {
  size_t count = 1;
  for (const uint64_t dimension : shape) count *= dimension;
  const std::vector<float> values(count, value);
  Bytes data(count * sizeof(float));
  std::memcpy(data.data(), values.data(), data.size());
  return {"F32", std::move(shape), std::move(data)};
}

// Values 1, 2, 3, … so that rows can be told apart.
inline Tensor Counted(size_t rows, size_t cols) {
  Bytes data(rows * cols);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(1 + i % 30);
  return {"I8", {rows, cols}, std::move(data)};
}

inline uint64_t Groups(size_t cols) { return (cols + kGroup - 1) / kGroup; }

inline void AddMatrix(Parts& parts, const std::string& name, size_t rows, size_t cols, bool int8) {
  parts.tensors[name + ".weight"] = int8 ? Counted(rows, cols) : Floats({rows, cols}, 0.5f);
  if (int8) parts.tensors[name + ".weight_scale"] = Floats({rows, Groups(cols)}, 0.25f);
  parts.tensors[name + ".bias"] = Floats({rows}, 0.125f);
}

inline void AddTable(Parts& parts, const std::string& name, size_t rows, bool int8) {
  const std::string full = "embeddings." + name + ".weight";
  parts.tensors[full] = int8 ? Counted(rows, kHidden) : Floats({rows, kHidden}, 0.5f);
  if (int8) parts.tensors[full + "_scale"] = Floats({rows, Groups(kHidden)}, 0.25f);
}

inline void AddNorm(Parts& parts, const std::string& name) {
  parts.tensors[name + ".weight"] = Floats({kHidden}, 1);
  parts.tensors[name + ".bias"] = Floats({kHidden}, 0);
}

// A BERT of one layer.
inline Parts SoundParts(bool int8 = true) {
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
      {"config", R"({"model_type":"bert","hidden_size":36,"num_attention_heads":3,)"
                 R"("num_hidden_layers":1,"intermediate_size":44,"max_position_embeddings":9,)"
                 R"("vocab_size":7})"},
      {"sentence", R"({"from_modules":true,"pooling":["mean"],"include_prompt":true,)"
                   R"("steps":[{"type":"normalize"}],"max_length":8,"prompts":{}})"},
      {"heads", "[]"},
      {"quantization",
       int8 ? R"({"precision":"int8","group_size":32})" : R"({"precision":"float32"})"},
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
inline Bytes Build(const Parts& parts, size_t pad = 0) {
  SafetensorsBuilder builder;
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
  return SafetensorsFile(
      header,
      Bytes(plain.begin() + static_cast<ptrdiff_t>(8 + builder.Header().size()), plain.end()));
}

inline Result<Model> Open(const Parts& parts, size_t pad = 0) {
  const Bytes bytes = Build(parts, pad);
  auto block = ByteBlock::Create(bytes.size(), "m");
  REQUIRE(block.ok());
  std::memcpy(block.value().data(), bytes.data(), bytes.size());
  PB_ASSIGN_OR_RETURN(TensorFile file,
                      TensorFile::FromBytes("my.safetensors", std::move(block).value()));
  return Model::Open(std::move(file));
}

inline Model Opened(const Parts& parts, size_t pad = 0) {
  auto model = Open(parts, pad);
  if (!model.ok()) FAIL(model.error().message);
  return std::move(model).value();
}

inline Error Refusal(const Parts& parts, std::string_view part, size_t pad = 0) {
  const auto model = Open(parts, pad);
  REQUIRE_FALSE(model.ok());
  INFO(model.error().message);
  CHECK(model.error().message.starts_with("my.safetensors"));
  CHECK(model.error().message.find(part) != std::string::npos);
  return model.error();
}

}  // namespace pocketbert::testing
