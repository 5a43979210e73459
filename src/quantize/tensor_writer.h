#pragma once
// TensorWriter: rows of source tensors into the tensors of the one-file model, quantized on the
// way.

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

class TensorWriter final : private ProfileTensors {
 public:
  // Fixes the layout and allocates the file. `plan` and `meter` must outlive the writer; texts that
  // the file's metadata hold are moved out of `folder`.
  static Result<TensorWriter> Create(FolderDescription& folder, const ImportPlan& plan,
                                     const ImportOptions& options, MemoryMeter& meter);

  // Size of the file that Create would allocate; takes the same texts.
  static uint64_t FileBytes(FolderDescription& folder, const ImportPlan& plan,
                            const ImportOptions& options);

  // Row `row` of target `target` of the plan, as bytes of the source's type. Rows of a target come
  // in order. An error (kFormat) names a tensor that holds an infinity, a value that is not a
  // number, or values whose scale would be one.
  Status WriteRow(size_t target, size_t row, std::span<const uint8_t> bytes,
                  const TensorPlace& place);
  // All rows of a matrix at once, F32; place.dtype is that, and the meter has counted them.
  Status WriteMatrix(size_t target, std::vector<uint8_t> rows, const TensorPlace& place);
  // To be called after a target's last row: quantizes what has waited for it. Errors as WriteRow's.
  Status TensorComplete(size_t target);

  // All targets must be complete.
  Result<TensorFile> Finish() &&;

 private:
  struct Output {
    std::span<float> floats;   // kFloat
    std::span<int8_t> values;  // kInt8, kStaged
    std::span<float> scales;   // [rows, groups] of them
    QuantizationLoss loss;
    std::vector<double> row_norms;  // [rows], of those that profiles are made of
    bool complete = false;
    DType dtype = DType::kF32;    // of the source
    std::vector<uint8_t> staged;  // kStaged: the source's bytes until they are quantized
  };
  // The matrices of one equalized input.
  struct Group {
    EqualizedInput input;
    std::span<float> input_scale;  // [in]
    std::vector<size_t> matrices;
    std::vector<size_t> needs;  // targets that its profile is made from
    bool done = false;
  };

  TensorWriter(const ImportPlan& plan, OneFileWriter writer, MemoryMeter& meter);
  void BindOutputs();
  void BindGroups(const EncoderConfig& config);
  size_t TargetNamed(std::string_view name) const;
  std::span<const float> Vector(std::string_view name) const override;
  std::span<const double> RowNorms(std::string_view name) const override;

  Status QuantizeInto(Output& output, const TensorSpec& spec, size_t row,
                      std::span<const float> values);
  // Row `row` of a staged matrix, in row_.
  std::span<float> StagedRow(const Output& output, const TensorSpec& spec, size_t row);
  bool IsReady(const Group& group) const;
  Status QuantizeGroup(const Group& group);
  void ProjectEncoderInput(const Group& group);
  std::vector<float> Factors(const Group& group);
  Status QuantizeStaged(size_t matrix, std::span<const float> factors);
  std::string FidelityJson() const;

  const ImportPlan* plan_;
  MemoryMeter* meter_;
  OneFileWriter writer_;
  std::string source_;
  std::vector<Output> outputs_;  // [targets]
  std::vector<Group> groups_;    // in the order of the computation
  bool has_projection_ = false;
  std::vector<double> encoder_input_;  // profile [hidden_size], once it is known
  std::vector<float> row_;             // one decoded row
};

}  // namespace pocketbert
