#pragma once
// Which initializers of an ONNX graph are a checkpoint's tensors.
//
// Exporters keep the names of biases, norms and tables, but a matrix that is multiplied with becomes
// `onnx::MatMul_299`, transposed; quantized ones get a scale and a zero point, and equal tensors are
// stored once. So every use of an initializer is looked at: through the nodes that only pass weights on
// (Identity, Cast, Transpose, DequantizeLinear, a product with a scale) to the node that computes with
// it. That node says how its values lie, and its name comes from, in this order,
//   1. the names on the way: encoder.layer.0.output.dense.bias
//   2. the node's place: /encoder/layer.0/output/dense/MatMul → encoder.layer.0.output.dense.weight
//   3. the bias that is added to the product.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/onnx.h"
#include "model/hf_config.h"

namespace pocketbert {

struct GraphWeight {
  std::string name;         // canonical (model/source_names.h), fused tensors whole
  std::string initializer;
  bool transposed = false;  // its values are [in, out], not [out, in]
  bool named = false;       // by rule 1; others may be no tensor of the checkpoint at all
  // Integers q are (q - zero_point) * scale; names of initializers, or "".
  std::string scale;
  std::string zero_point;
  size_t axis = 1;          // of the initializer, along which a scale that is a vector runs

  bool operator==(const GraphWeight&) const = default;
};

struct GraphWeights {
  std::vector<GraphWeight> weights;  // names are unique
  // The first op that is not ONNX's own, "MatMulNBits (com.microsoft)", or "".
  std::string foreign_op;
};

// Errors name the file and the weight: two initializers are the same tensor.
Result<GraphWeights> FindGraphWeights(std::string_view file, std::span<const OnnxNode> nodes,
                                      const HfConfig& config);

}  // namespace pocketbert
