#pragma once
// Embedding: from token ids to the first hidden state.

#include "base/tensor.h"
#include "nn/forward.h"

namespace pocketbert {

// hidden[t] = LayerNorm(words[id] + types[type id] + positions[position]) for every token t (of the
// tables that the model has), then, if it has one, the projection from embedding_size to
// hidden_size. `hidden` [tokens, hidden_size]. Stops if an id, type id or position lies outside its
// table.
void EmbedTokens(const ForwardContext& context, const EncoderWeights& weights,
                 TensorView<float> hidden);

// Workspace that EmbedTokens takes at most.
size_t EmbedWorkspaceBytes(const EncoderConfig& config, size_t tokens, size_t threads);

}  // namespace pocketbert
