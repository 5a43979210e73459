#include "tasks/warm_up.h"

#include <cstdint>
#include <vector>

#include "base/session.h"
#include "nn/encoder.h"

namespace pocketbert {
namespace {

constexpr size_t kWidth = 128;
constexpr size_t kGroupSize = 64;
constexpr size_t kMostTokens = 16;
constexpr size_t kWeights = kWidth * kWidth;
constexpr size_t kFloats = kMostTokens * kWidth;

// Narrow and of many heads, so that little of the time goes into the matrices: their code runs long
// enough in any shape.
EncoderConfig SmallConfig() {
  EncoderConfig config;
  config.vocab_size = config.max_positions = config.type_vocab_size = kMostTokens;
  config.hidden_size = config.embedding_size = config.intermediate_size = kWidth;
  config.heads = 16;
  config.layers = 12;
  return config;
}

// All tensors are views of the same few numbers: some negative, few equal.
EncoderWeights MadeUpWeights(std::span<const int8_t> bytes, std::span<float> floats) {
  EmbeddingTable table;
  table.i8 = {bytes.data(), kMostTokens, kWidth};
  table.scales = {floats.data(), kMostTokens, kWidth / kGroupSize};
  table.group_size = kGroupSize;
  const std::span<float> vector = floats.first(kWidth);
  LinearWeights linear;
  linear.i8 = {kWidth, kWidth, kGroupSize, kPanelOrder, bytes, floats, floats};
  linear.bias = vector;
  linear.input_scale = vector;
  const LayerNormWeights norm{vector, vector};
  const LayerWeights layer{linear, linear, linear, linear, norm, linear, linear, norm};
  return {table, table, table, norm, {}, std::vector<LayerWeights>(SmallConfig().layers, layer)};
}

}  // namespace

void WarmUp(ThreadPool* pool) {
  const EncoderConfig config = SmallConfig();
  Result<Workspace> workspace =
      Workspace::Create(kWeights + Workspace::BytesFor<float>(kFloats) +
                        EncoderWorkspaceBytes(config, kMostTokens, pool->size()));
  if (!workspace.ok()) return;  // the model's own first call will tell
  Session session{std::move(workspace).value(), pool};
  const std::span<int8_t> bytes = session.workspace.AllocVector<int8_t>(kWeights);
  const std::span<float> floats = session.workspace.AllocVector<float>(kFloats);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<int8_t>(i * 37 % 61 - 30);
  for (size_t i = 0; i < floats.size(); ++i) floats[i] = 0.01f * static_cast<float>(bytes[i]);
  const EncoderWeights weights = MadeUpWeights(bytes, floats);
  const int32_t ids[kMostTokens] = {};
  for (uint32_t tokens = 3; tokens <= kMostTokens; ++tokens) {
    const uint32_t offsets[] = {0, tokens};
    Workspace::Scope scope(session.workspace);
    RunEncoder(config, weights, {std::span(ids).first(tokens), {}, offsets}, session);
  }
}

}  // namespace pocketbert
