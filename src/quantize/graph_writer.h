#pragma once
// GraphWriter: the weights of an ONNX file, while it streams in, into the one-file model: integers
// multiplied out, matrices [in, out] turned over.
//
// Values go row by row where that is possible. A matrix that is to be turned over is held whole, in
// float32; a quantized tensor whose scale comes after it, too, as it is in the file.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/onnx.h"
#include "quantize/import_plan.h"
#include "quantize/memory_meter.h"
#include "quantize/tensor_writer.h"

namespace pocketbert {

class GraphWriter final : private OnnxVisitor {
 public:
  // File number `file_index` of the plan. All must outlive it; it must not be moved.
  GraphWriter(const SourceFile& file, size_t file_index, const ImportPlan& plan,
              TensorWriter& writer, MemoryMeter& meter);

  // The next bytes of the file, from its first on. Errors name the file and the tensor: as of
  // OnnxReader; a wrong shape or type; infinities.
  Status Write(std::span<const uint8_t> bytes);
  // The next bytes of the file beside it that holds values, `model.onnx_data`: after the graph itself.
  Status WriteValues(std::span<const uint8_t> bytes);
  // Fails if the file ends too early, or lacks a tensor or a scale.
  Status Finish();

 private:
  // A target that an initializer is written to.
  struct Use {
    size_t target;
    const GraphWeight* weight;
    uint64_t parts;                // fused tensors: equal parts of rows, of which the target is one
    std::vector<uint8_t> turned = {};  // floats [rows, cols] of a matrix that is turned over
    bool done = false;
  };
  // A scale or a zero point.
  struct Parameter {
    std::string_view name;
    bool known = false;
    std::vector<uint64_t> dims;
    std::vector<float> values;
  };
  // An initializer while its values come.
  struct Tensor {
    OnnxTensor info;
    size_t rows = 0, cols = 0;     // of its values
    std::vector<size_t> uses;
    Parameter* parameter = nullptr;
    size_t row = 0;
    std::vector<uint8_t> carry;    // a part of a row; or all, while a parameter is waited for
    bool waits = false;
  };

  Status OnNode(OnnxNode) override { return Done{}; }
  Status OnTensor(const OnnxTensor& tensor) override;
  Status OnData(std::span<const uint8_t> bytes) override;
  Status OnTensorEnd() override;
  Status OnExternal(const OnnxTensor& info, const OnnxPlace& place) override;

  void Hold(Tensor& tensor, std::span<const uint8_t> bytes);
  Parameter* Find(std::string_view name);
  bool ParametersKnown(const Tensor& tensor);
  Status CheckSource(const Use& use, Tensor& tensor) const;
  Status CheckParameter(const Tensor& tensor, const GraphWeight& weight, std::string_view name);
  Status Begin(Tensor& tensor);
  Status Feed(Tensor& tensor, std::span<const uint8_t> bytes);
  Status WriteRow(Tensor& tensor, std::span<const uint8_t> bytes);
  Status End(Tensor& tensor);
  Status SortExternals();
  Status KeepParameter(Tensor& tensor);
  Status WriteWaiting();
  void Dequantize(const GraphWeight& weight, size_t row, std::span<float> values);
  TensorPlace Place(const Use& use) const;
  Message About(std::string_view tensor) const;

  const SourceFile& file_;
  const ImportPlan& plan_;
  TensorWriter& writer_;
  MemoryMeter& meter_;
  OnnxReader reader_;
  std::vector<Use> uses_;              // sorted by initializer
  std::vector<Parameter> parameters_;  // sorted by name
  Tensor tensor_;
  std::vector<Tensor> waiting_;
  // Values in the other file, of what is used.
  struct External {
    OnnxTensor info;
    uint64_t offset;
  };
  std::vector<External> externals_;  // sorted once the other file begins
  size_t external_ = 0;              // of externals_, the one that comes next or is being read
  uint64_t values_position_ = 0;     // in the other file
  bool values_begun_ = false;
  std::vector<float> row_;
};

}  // namespace pocketbert
