#pragma once
// Embedding: from token ids to the first hidden state.

#include "base/session.h"
#include "base/tensor.h"
#include "nn/batch.h"
#include "nn/config.h"
#include "nn/weights.h"

namespace pocketbert {

// hidden[t] = LayerNorm(words[id] + types[type id] + positions[position]) for every token t, then,
// if the model has one, the projection from embedding_size to hidden_size. `hidden` [tokens,
// hidden_size]. Stops if an id, type id or position lies outside its table.
void EmbedTokens(const EncoderConfig& config, const EncoderWeights& weights,
                 const TokenBatch& batch, TensorView<float> hidden, Session& session);

// Workspace that EmbedTokens takes at most.
size_t EmbedWorkspaceBytes(const EncoderConfig& config, size_t tokens, size_t threads);

}  // namespace pocketbert
