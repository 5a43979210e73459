#pragma once
// ONNX graphs of random checkpoints, in the forms that exporters and quantizers give weights.

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/onnx_builder.h"
#include "support/random_checkpoint.h"

namespace pocketbert::testing {

enum class GraphForm {
  kFloat,     // as torch exports: matrices [in, out], the names of all others kept
  kHalf,      // the same in float16, cast to float32 before use
  kScaled,    // int8, cast and multiplied with a scale that comes after the values
  kExternal,  // as kFloat, values of matrices and tables in another file, last ones first
  kIntegers,  // uint8 with zero points, through DequantizeLinear; a scale for each output or row
};

struct GraphAndCheckpoint {
  std::string graph;
  reference::Checkpoint checkpoint;  // the weights that are in it
  std::string values;                // of the file beside it: model.onnx_data
};

// float16 of a float that has at most 11 significant bits and is 0 or in [2^-14, 65504].
inline uint16_t ExactHalf(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) == 0) return static_cast<uint16_t>(bits >> 16);
  const uint32_t exponent = ((bits >> 23) & 0xFF) - 112;
  return static_cast<uint16_t>(((bits >> 16) & 0x8000) | (exponent << 10) | ((bits >> 13) & 0x3FF));
}

class CheckpointGraph {
 public:
  CheckpointGraph(const reference::Checkpoint& checkpoint, GraphForm form)
      : form_(form), checkpoint_(checkpoint) {
    for (auto& [name, weights] : checkpoint_) Add(name, weights);
  }

  GraphAndCheckpoint Build() const {
    std::vector<std::string> tensors = tensors_;
    std::string values;
    for (auto external = externals_.rbegin(); external != externals_.rend(); ++external) {
      values.resize((values.size() + 63) / 64 * 64, '?');
      tensors.push_back(External(external->name, external->dims, "model.onnx_data",
                                 std::to_string(values.size()),
                                 std::to_string(external->values.size())));
      values += external->values;
    }
    return {OnnxFile(nodes_, tensors), checkpoint_, values};
  }

 private:
  using Weights = reference::Weights;

  void Add(const std::string& name, Weights& weights) {
    const bool vector = name.find("LayerNorm") != std::string::npos || name.ends_with(".bias");
    const bool table = name.starts_with("embeddings.") && !vector;
    const std::string module = name.substr(0, name.rfind('.'));
    std::string path = "/" + module;
    for (size_t at = path.find('.'); at != std::string::npos; at = path.find('.', at + 1)) {
      if (!path.substr(0, at).ends_with("/layer")) path[at] = '/';
    }
    const std::string value = vector || table ? name : "onnx::MatMul_" + std::to_string(++count_);
    Store(value, weights, vector, !vector && !table);
    if (table) {
      nodes_.push_back(Node("Gather", path + "/Gather", {value, "ids"}, path));
    } else if (!vector) {
      nodes_.push_back(Node("MatMul", path + "/MatMul", {"x", value}, path + "/MatMul_output_0"));
    } else if (name.find("LayerNorm") != std::string::npos) {
      nodes_.push_back(Node("LayerNormalization", path + "/LayerNormalization",
                            {"x", module + ".weight", module + ".bias"}, path));
    } else {
      nodes_.push_back(Node("Add", path + "/Add", {value, path + "/MatMul_output_0"}, path));
    }
  }

  // Values as they lie in the file, [cols, rows] if `turned`.
  static std::vector<float> Laid(const Weights& weights, bool turned) {
    std::vector<float> values(weights.values.size());
    for (size_t r = 0; r < weights.rows; ++r) {
      for (size_t c = 0; c < weights.cols; ++c) {
        values[turned ? c * weights.rows + r : r * weights.cols + c] =
            weights.values[r * weights.cols + c];
      }
    }
    return values;
  }

  void Store(const std::string& value, Weights& weights, bool vector, bool turned) {
    std::vector<uint64_t> dims = {weights.cols};
    if (!vector) dims.insert(dims.begin(), weights.rows);
    if (turned) std::reverse(dims.begin(), dims.end());
    if (form_ == GraphForm::kHalf) return StoreHalf(value, weights, dims, turned);
    if (form_ == GraphForm::kExternal && !vector) {
      externals_.push_back({value, dims, BytesOf(Laid(weights, turned))});
      return;
    }
    if (form_ == GraphForm::kFloat || vector) {
      tensors_.push_back(RawTensor(value, kOnnxFloat, dims, BytesOf(Laid(weights, turned))));
      return;
    }
    StoreIntegers(value, weights, dims, turned);
  }

  void StoreHalf(const std::string& value, Weights& weights, const std::vector<uint64_t>& dims,
                 bool turned) {
    for (float& weight : weights.values) {
      weight = std::bit_cast<float>(std::bit_cast<uint32_t>(weight) & 0xFFFFE000);
      if (std::fabs(weight) < 0x1p-14f) weight = 0;
    }
    std::vector<uint16_t> halves;
    for (const float weight : Laid(weights, turned)) halves.push_back(ExactHalf(weight));
    tensors_.push_back(RawTensor(value + "_half", kOnnxFloat16, dims, BytesOf(halves)));
    nodes_.push_back(Node("Cast", "cast", {value + "_half"}, value));
  }

  // One scale and zero point for each row of the checkpoint's tensor.
  void StoreIntegers(const std::string& value, Weights& weights,
                     const std::vector<uint64_t>& dims, bool turned) {
    const bool scaled = form_ == GraphForm::kScaled;
    std::vector<float> scales, integers;
    std::vector<uint8_t> zero_points;
    Weights stored = weights;
    for (size_t r = 0; r < weights.rows; ++r) {
      scales.push_back(0.001f + 0.0003f * static_cast<float>(r % 17));
      zero_points.push_back(static_cast<uint8_t>(scaled ? 0 : 100 + r % 50));
      for (size_t c = 0; c < weights.cols; ++c) {
        float& weight = weights.values[r * weights.cols + c];
        const float zero = zero_points[r];
        const float lowest = scaled ? -127.0f : -zero;
        // Plus 0: integers have no negative zero.
        const float q = std::clamp(std::rint(weight / scales[r]), lowest, lowest + 254) + 0.0f;
        stored.values[r * weights.cols + c] = q + zero;
        weight = q * scales[r];
      }
    }
    std::string bytes;
    for (const float q : Laid(stored, turned)) {
      bytes += static_cast<char>(static_cast<uint8_t>(static_cast<int>(q)));
    }
    const std::vector<uint64_t> scale_dims = turned ? std::vector<uint64_t>{1, weights.rows}
                                                    : std::vector<uint64_t>{weights.rows, 1};
    if (scaled) {
      tensors_.push_back(RawTensor(value + "_q", kOnnxInt8, dims, bytes));
      tensors_.push_back(RawTensor(value + "_scale", kOnnxFloat, scale_dims, BytesOf(scales)));
      nodes_.push_back(Node("Cast", "cast", {value + "_q"}, value + "_f"));
      nodes_.push_back(Node("Mul", "mul", {value + "_f", value + "_scale"}, value));
      return;
    }
    const std::string own = value + "_quantized";
    tensors_.push_back(RawTensor(value + "_scale", kOnnxFloat, {weights.rows}, BytesOf(scales)));
    tensors_.push_back(RawTensor(value + "_zero_point", kOnnxUint8, {weights.rows},
                                 BytesOf(zero_points)));
    tensors_.push_back(RawTensor(own, kOnnxUint8, dims, bytes));
    nodes_.push_back(Node("DequantizeLinear", "dequantize",
                          {own, value + "_scale", value + "_zero_point"}, value,
                          {.axis = turned ? 1 : 0}));
  }

  GraphForm form_;
  reference::Checkpoint checkpoint_;
  std::vector<std::string> nodes_;
  std::vector<std::string> tensors_;
  struct ExternalTensor {
    std::string name;
    std::vector<uint64_t> dims;
    std::string values;
  };
  std::vector<ExternalTensor> externals_;
  size_t count_ = 0;
};

}  // namespace pocketbert::testing
