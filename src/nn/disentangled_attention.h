#pragma once
// Disentangled attention (He et al. 2021): the score of a query and a key has up to three parts,
//   content to content   query . key
//   content to position  query . (the distance's embedding, projected as a key)
//   position to content  key . (the distance's embedding, projected as a query)
// added and scaled by 1 / sqrt(parts * head size).

#include "base/session.h"
#include "nn/attention.h"
#include "nn/position_tables.h"

namespace pocketbert {

// The embedded distances of PositionTables, projected by a layer. [distances.rows, hidden_size]
// each; empty where the model has no such part.
struct DistanceProjections {
  TensorView<const float> key;    // content to position
  TensorView<const float> query;  // position to content
};

// As Attend in float32. Memory of a thread grows with the longest text times the distances in use,
// of which there are no more than relative_span * 2.
void AttendDisentangled(const EncoderConfig& config, const TokenBatch& batch,
                        const AttentionTensors& tensors, const PositionTables& tables,
                        const DistanceProjections& projections, Session& session);

size_t AttendDisentangledWorkspaceBytes(const EncoderConfig& config, size_t tokens,
                                        size_t threads);

}  // namespace pocketbert
