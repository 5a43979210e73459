#pragma once
// TensorWriter: rows of source tensors into the tensors of the one-file model, quantized on the way.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/dtype.h"
#include "quantize/equalize.h"
#include "quantize/folder_description.h"
#include "quantize/import_model.h"
#include "quantize/import_plan.h"
#include "quantize/memory_meter.h"
#include "quantize/one_file_writer.h"
#include "quantize/quantize_row.h"

namespace pocketbert {

// Where a row comes from, for messages and decoding.
struct TensorPlace {
  std::string_view file, tensor;
  DType dtype;
};

class TensorWriter {
 public:
  // Fixes the layout and allocates the file. `plan` and `meter` must outlive the writer; texts that
  // the file's metadata hold are moved out of `folder`.
  static Result<TensorWriter> Create(FolderDescription& folder, const ImportPlan& plan,
                                     const ImportOptions& options, MemoryMeter& meter);

  // Row `row` of target `target` of the plan, as bytes of the source's type. Rows of a target come in
  // order. An error names a tensor that holds an infinity or a value that is not a number.
  Status WriteRow(size_t target, size_t row, std::span<const uint8_t> bytes,
                  const TensorPlace& place);
  // To be called after a target's last row: quantizes what has waited for it.
  Status TensorComplete(size_t target, const TensorPlace& place);

  // All targets must be complete.
  Result<TensorFile> Finish() &&;

 private:
  struct Output {
    std::span<float> floats;    // kFloat
    std::span<int8_t> values;   // kInt8, kStaged
    std::span<float> scales;    // [rows] of them
    QuantizationLoss loss;
    bool complete = false;
    DType dtype = DType::kF32;  // of the source
    std::vector<uint8_t> staged;  // kStaged: the source's bytes until they are quantized
  };
  // The matrices of one equalized input; `vectors` are the targets that its scale is made from.
  struct Group {
    EqualizedInput input;
    std::span<float> input_scale;  // [in]
    std::vector<size_t> matrices;
    std::vector<size_t> vectors;
  };

  TensorWriter(const ImportPlan& plan, OneFileWriter writer, Equalizer equalizer,
               MemoryMeter& meter);
  void BindOutputs();
  void BindGroups(const EncoderConfig& config);
  size_t TargetNamed(std::string_view name) const;

  std::span<float> Decode(const Output& output, std::span<const uint8_t> bytes, size_t cols);
  bool IsReady(const Group& group) const;
  void QuantizeGroup(const Group& group);
  std::vector<float> ColumnRms(const Group& group);
  void QuantizeStaged(const Group& group, size_t matrix);
  std::string FidelityJson() const;

  const ImportPlan* plan_;
  MemoryMeter* meter_;
  OneFileWriter writer_;
  Equalizer equalizer_;
  std::string source_;
  std::vector<Output> outputs_;  // [targets]
  std::vector<Group> groups_;    // in the order of the computation
  size_t next_group_ = 0;
  std::vector<float> row_;       // one decoded row
};

}  // namespace pocketbert
