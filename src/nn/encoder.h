#pragma once
// The encoder: token ids in, one vector per token out.

#include "base/session.h"
#include "base/tensor.h"
#include "nn/batch.h"
#include "nn/config.h"
#include "nn/weights.h"

namespace pocketbert {

// Bytes of workspace that RunEncoder takes at most for batches of up to `max_batch_tokens` tokens
// (in all sequences together) with a pool of `threads` threads. The result of RunEncoder is
// included; what the caller allocates around it (pooled vectors, heads) is not.
size_t EncoderWorkspaceBytes(const EncoderConfig& config, size_t max_batch_tokens, size_t threads);

// Runs embedding and all layers. Returns the last hidden state [tokens, hidden_size], allocated in
// session.workspace: valid until the scope that is open at the call ends. A sequence's rows depend
// on that sequence only, bit for bit.
TensorView<float> RunEncoder(const EncoderConfig& config, const EncoderWeights& weights,
                             const TokenBatch& batch, Session& session);

}  // namespace pocketbert
