#pragma once
// Checkpoints of any shape with random weights: as named matrices for references, and as the folder
// that a user would have.

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "reference/weight_quantization.h"
#include "support/model_folder.h"
#include "support/safetensors_builder.h"

namespace pocketbert::testing {

struct CheckpointShape {
  std::string model_type = "bert";
  size_t vocab = 40, hidden = 24, embedding = 24, layers = 2, heads = 3, inner = 40;
  size_t positions = 16, types = 2;
};

// All tensors of a BertModel or ElectraModel without pooler, by canonical name. Weights are normal,
// with columns and LayerNorm gains of very different size, as trained models have.
inline reference::Checkpoint RandomCheckpoint(const CheckpointShape& shape, uint32_t seed) {
  reference::Checkpoint checkpoint;
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 1);
  const auto add = [&](const std::string& name, size_t rows, size_t cols, float size,
                       float center) {
    reference::Weights weights{rows, cols, {}};
    std::vector<float> spread(cols);
    for (float& value : spread) value = std::exp(normal(random));
    for (size_t i = 0; i < rows * cols; ++i) {
      weights.values.push_back(center + size * spread[i % cols] * normal(random));
    }
    checkpoint[name] = std::move(weights);
  };
  const auto linear = [&](const std::string& name, size_t rows, size_t cols) {
    add(name + ".weight", rows, cols, 0.1f, 0);
    add(name + ".bias", 1, rows, 0.05f, 0);
  };
  const auto norm = [&](const std::string& name, size_t width) {
    add(name + ".weight", 1, width, 0.3f, 1);
    add(name + ".bias", 1, width, 0.2f, 0);
  };
  add("embeddings.word_embeddings.weight", shape.vocab, shape.embedding, 0.05f, 0);
  add("embeddings.position_embeddings.weight", shape.positions, shape.embedding, 0.02f, 0);
  add("embeddings.token_type_embeddings.weight", shape.types, shape.embedding, 0.02f, 0);
  norm("embeddings.LayerNorm", shape.embedding);
  if (shape.embedding != shape.hidden) linear("embeddings_project", shape.hidden, shape.embedding);
  for (size_t l = 0; l < shape.layers; ++l) {
    const std::string layer = "encoder.layer." + std::to_string(l);
    for (const char* part : {".attention.self.query", ".attention.self.key",
                             ".attention.self.value", ".attention.output.dense"}) {
      linear(layer + part, shape.hidden, shape.hidden);
    }
    norm(layer + ".attention.output.LayerNorm", shape.hidden);
    linear(layer + ".intermediate.dense", shape.inner, shape.hidden);
    linear(layer + ".output.dense", shape.hidden, shape.inner);
    norm(layer + ".output.LayerNorm", shape.hidden);
  }
  return checkpoint;
}

inline std::string ConfigJson(const CheckpointShape& shape) {
  const auto entry = [](const char* key, size_t value) {
    return ",\"" + std::string(key) + "\":" + std::to_string(value);
  };
  return "{\"model_type\":\"" + shape.model_type + "\"" + entry("vocab_size", shape.vocab) +
         entry("hidden_size", shape.hidden) + entry("embedding_size", shape.embedding) +
         entry("num_hidden_layers", shape.layers) + entry("num_attention_heads", shape.heads) +
         entry("intermediate_size", shape.inner) + entry("type_vocab_size", shape.types) +
         entry("max_position_embeddings", shape.positions) + "}";
}

// A vocab.txt of `size` entries.
inline std::string VocabText(size_t size) {
  std::string text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (size_t i = 5; i < size; ++i) text += "w" + std::to_string(i) + "\n";
  return text;
}

// Tensors of rank 1 are the vectors. The order of the file is that of `names`.
inline std::string WeightFile(const reference::Checkpoint& checkpoint,
                              const std::vector<std::string>& names) {
  SafetensorsBuilder builder;
  for (const std::string& name : names) {
    const reference::Weights& weights = checkpoint.at(name);
    std::vector<uint64_t> shape = {weights.cols};
    const bool vector = name.find("LayerNorm") != std::string::npos || name.ends_with(".bias");
    if (!vector) shape.insert(shape.begin(), weights.rows);
    builder.AddFloats(name, shape, weights.values);
  }
  const Bytes bytes = builder.Build();
  return {bytes.begin(), bytes.end()};
}

inline std::vector<std::string> Names(const reference::Checkpoint& checkpoint) {
  std::vector<std::string> names;
  for (const auto& [name, weights] : checkpoint) names.push_back(name);
  return names;
}

inline Folder CheckpointFolder(const CheckpointShape& shape,
                               const reference::Checkpoint& checkpoint) {
  return {{"config.json", ConfigJson(shape)},
          {"vocab.txt", VocabText(shape.vocab)},
          {"model.safetensors", WeightFile(checkpoint, Names(checkpoint))}};
}

}  // namespace pocketbert::testing
