#pragma once
// ForwardContext: what every step of one forward shares.

#include "base/session.h"
#include "kernels/layer_norm.h"
#include "nn/batch.h"
#include "nn/config.h"
#include "nn/position_tables.h"
#include "nn/weights.h"

namespace pocketbert {

struct ForwardContext {
  const EncoderConfig& config;
  const TokenBatch& batch;
  const PositionTables& tables;
  Session& session;

  LayerNormParameters Norm(const LayerNormWeights& norm) const {
    return {norm.gamma, config.norm_bias ? std::span<const float>(norm.beta) : tables.zeros,
            config.layer_norm_eps};
  }
};

}  // namespace pocketbert
