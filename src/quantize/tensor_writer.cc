#include "quantize/tensor_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/json.h"

namespace pocketbert {
namespace {

// Room that convert may use to add figures it measured to the metadata without moving the data.
constexpr size_t kSpareHeaderBytes = 512;
// Most bytes that one number of the fidelity text takes with quotes, colon and comma around name and
// number.
constexpr size_t kFidelityEntryBytes = 24;

std::string ScaleName(const TensorSpec& spec) {
  return spec.name + std::string(one_file::kScaleSuffix);
}

// The name of every equalized input that a staged matrix of the plan reads, each once.
std::vector<const TensorSpec*> InputScaleOwners(const ImportPlan& plan) {
  std::vector<const TensorSpec*> owners;
  for (const Target& target : plan.targets) {
    if (target.form != TargetForm::kStaged) continue;
    const bool known = std::any_of(owners.begin(), owners.end(), [&](const TensorSpec* owner) {
      return owner->input_scale_name == target.spec.input_scale_name;
    });
    if (!known) owners.push_back(&target.spec);
  }
  return owners;
}

std::vector<TensorInfo> OutputTensors(const ImportPlan& plan, size_t vocabulary_bytes) {
  std::vector<TensorInfo> tensors;
  const auto add = [&](std::string name, DType dtype, std::vector<uint64_t> shape) {
    tensors.push_back({std::move(name), dtype, std::move(shape), 0, 0});
  };
  for (const Target& target : plan.targets) {
    const TensorSpec& spec = target.spec;
    std::vector<uint64_t> shape = {spec.cols};
    if (!spec.is_vector()) shape.insert(shape.begin(), spec.rows);
    const bool quantized = target.form != TargetForm::kFloat;
    add(spec.name, quantized ? DType::kI8 : DType::kF32, std::move(shape));
    if (quantized) add(ScaleName(spec), DType::kF32, {spec.rows});
  }
  for (const TensorSpec* owner : InputScaleOwners(plan)) {
    add(owner->input_scale_name, DType::kF32, {owner->cols});
  }
  add(std::string(one_file::kVocabularyTensor), DType::kU8, {vocabulary_bytes});
  return tensors;
}

std::string QuantizationJson(Precision precision, const ImportPlan& plan) {
  JsonWriter writer;
  writer.BeginObject().Key("precision").String(PrecisionName(precision));
  if (precision == Precision::kInt8) {
    writer.Key("group_size").Int(static_cast<int64_t>(kGroupSize));
    writer.Key("equalized").Bool(!InputScaleOwners(plan).empty());
  }
  writer.EndObject();
  return writer.TakeText();
}

std::string IgnoredJson(const ImportPlan& plan) {
  JsonWriter writer;
  writer.BeginArray();
  for (const std::string& name : plan.ignored) writer.String(name);
  writer.EndArray();
  return writer.TakeText();
}

size_t FidelityBytes(const ImportPlan& plan) {
  size_t bytes = kFidelityEntryBytes;
  for (const Target& target : plan.targets) {
    if (target.form != TargetForm::kFloat) bytes += target.spec.name.size() + kFidelityEntryBytes;
  }
  return 2 * bytes;  // quotes are escaped inside the header
}

// Four digits are plenty for an error estimate.
double Rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return std::strtod(text, nullptr);
}

}  // namespace

TensorWriter::TensorWriter(const ImportPlan& plan, OneFileWriter writer, Equalizer equalizer,
                           MemoryMeter& meter)
    : plan_(&plan),
      meter_(&meter),
      writer_(std::move(writer)),
      equalizer_(std::move(equalizer)) {}

Result<TensorWriter> TensorWriter::Create(FolderDescription& folder, const ImportPlan& plan,
                                          const ImportOptions& options, MemoryMeter& meter) {
  SafetensorsHeader header;
  header.tensors = OutputTensors(plan, folder.vocabulary.size());
  const auto add = [&](std::string_view key, std::string text) {
    header.metadata.emplace_back(key, std::move(text));
  };
  add(one_file::kFormatKey, std::string(one_file::kFormat));
  add(one_file::kFormatVersionKey, std::string(one_file::kFormatVersion));
  add(one_file::kSourceKey, options.source);
  add(one_file::kConfigKey, std::move(folder.config_text));
  add(one_file::kTokenizerKey, std::move(folder.tokenizer_text));
  add(one_file::kSentenceKey, WriteSentenceConfig(folder.model.sentence));
  add(one_file::kHeadsKey, WriteHeads(plan.heads));
  add(one_file::kQuantizationKey, QuantizationJson(options.precision, plan));
  if (!plan.ignored.empty()) add(one_file::kIgnoredTensorsKey, IgnoredJson(plan));
  PB_ASSIGN_OR_RETURN(OneFileWriter file,
                      OneFileWriter::Create(std::move(header),
                                            FidelityBytes(plan) + kSpareHeaderBytes));
  meter.Add(file.size());
  const std::span<uint8_t> vocabulary = file.Bytes(one_file::kVocabularyTensor);
  std::copy(folder.vocabulary.begin(), folder.vocabulary.end(), vocabulary.begin());
  const EncoderConfig& encoder = folder.model.config.encoder;
  TensorWriter writer(plan, std::move(file), Equalizer(encoder), meter);
  writer.source_ = options.source;
  writer.BindOutputs();
  writer.BindGroups(encoder);
  return writer;
}

void TensorWriter::BindOutputs() {
  size_t longest = 0;
  outputs_.resize(plan_->targets.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Target& target = plan_->targets[i];
    longest = std::max(longest, target.spec.cols);
    if (target.form == TargetForm::kFloat) {
      outputs_[i].floats = writer_.Floats(target.spec.name);
      continue;
    }
    const std::span<uint8_t> bytes = writer_.Bytes(target.spec.name);
    outputs_[i].values = {reinterpret_cast<int8_t*>(bytes.data()), bytes.size()};
    outputs_[i].scales = writer_.Floats(ScaleName(target.spec));
  }
  row_.resize(longest);
  meter_->Add(longest * sizeof(float));
}

size_t TensorWriter::TargetNamed(std::string_view name) const {
  for (size_t i = 0; i < plan_->targets.size(); ++i) {
    if (plan_->targets[i].spec.name == name) return i;
  }
  PB_CHECK(false && "the plan lacks a tensor of the encoder");
}

void TensorWriter::BindGroups(const EncoderConfig& config) {
  for (const auto& [scale_name, input] : Equalizer::Inputs(config)) {
    Group group;
    group.input = input;
    for (size_t i = 0; i < plan_->targets.size(); ++i) {
      const Target& target = plan_->targets[i];
      if (target.form == TargetForm::kStaged && target.spec.input_scale_name == scale_name) {
        group.matrices.push_back(i);
      }
    }
    if (group.matrices.empty()) continue;
    for (const std::string& name : equalizer_.Vectors(input)) {
      group.vectors.push_back(TargetNamed(name));
    }
    group.input_scale = writer_.Floats(scale_name);
    groups_.push_back(std::move(group));
  }
}

std::span<float> TensorWriter::Decode(const Output& output, std::span<const uint8_t> bytes,
                                      size_t cols) {
  const std::span<float> row = std::span(row_).first(cols);
  DecodeFloats(output.dtype, bytes.data(), row);
  return row;
}

Status TensorWriter::WriteRow(size_t target, size_t row, std::span<const uint8_t> bytes,
                              const TensorPlace& place) {
  const TensorSpec& spec = plan_->targets[target].spec;
  Output& output = outputs_[target];
  output.dtype = place.dtype;
  const std::span<float> values = Decode(output, bytes, spec.cols);
  if (!AllFinite(values)) {
    return FormatError(std::string(place.file) + ": tensor " + std::string(place.tensor) +
                       " holds an infinity or a value that is not a number in row " +
                       std::to_string(row));
  }
  switch (plan_->targets[target].form) {
    case TargetForm::kFloat:
      std::copy(values.begin(), values.end(),
                output.floats.begin() + static_cast<ptrdiff_t>(row * spec.cols));
      break;
    case TargetForm::kInt8: {
      const std::span<int8_t> quantized = output.values.subspan(row * spec.cols, spec.cols);
      output.scales[row] = QuantizeRow(values, quantized);
      AddLoss(values, quantized, output.scales[row], output.loss);
      break;
    }
    case TargetForm::kStaged:
      if (output.staged.empty()) {
        output.staged.resize(spec.rows * bytes.size());
        meter_->Add(output.staged.size());
      }
      std::memcpy(output.staged.data() + row * bytes.size(), bytes.data(), bytes.size());
      break;
  }
  return Done{};
}

Status TensorWriter::TensorComplete(size_t target, const TensorPlace&) {
  outputs_[target].complete = true;
  while (next_group_ < groups_.size() && IsReady(groups_[next_group_])) {
    QuantizeGroup(groups_[next_group_++]);
  }
  return Done{};
}

bool TensorWriter::IsReady(const Group& group) const {
  const auto complete = [&](size_t target) { return outputs_[target].complete; };
  return std::all_of(group.matrices.begin(), group.matrices.end(), complete) &&
         std::all_of(group.vectors.begin(), group.vectors.end(), complete);
}

// Root mean square of every column over all matrices of the group, [in].
std::vector<float> TensorWriter::ColumnRms(const Group& group) {
  const size_t cols = plan_->targets[group.matrices[0]].spec.cols;
  std::vector<float> energy(cols);
  size_t rows = 0;
  for (const size_t matrix : group.matrices) {
    const Output& output = outputs_[matrix];
    const size_t row_bytes = cols * DTypeSize(output.dtype);
    for (size_t at = 0; at < output.staged.size(); at += row_bytes, ++rows) {
      const std::span<float> row = Decode(output, std::span(output.staged).subspan(at, row_bytes), cols);
      for (size_t k = 0; k < cols; ++k) energy[k] += row[k] * row[k];
    }
  }
  for (float& value : energy) value = std::sqrt(value / static_cast<float>(rows));
  return energy;
}

void TensorWriter::QuantizeGroup(const Group& group) {
  std::vector<std::span<const float>> vectors;
  for (const size_t vector : group.vectors) vectors.push_back(outputs_[vector].floats);
  const std::vector<float> column_rms = ColumnRms(group);
  equalizer_.InputScale(group.input, vectors, column_rms, group.input_scale);
  for (const size_t matrix : group.matrices) QuantizeStaged(group, matrix);
}

void TensorWriter::QuantizeStaged(const Group& group, size_t matrix) {
  const TensorSpec& spec = plan_->targets[matrix].spec;
  Output& output = outputs_[matrix];
  const size_t row_bytes = spec.cols * DTypeSize(output.dtype);
  for (size_t r = 0; r < spec.rows; ++r) {
    const std::span<const uint8_t> bytes = std::span(output.staged).subspan(r * row_bytes, row_bytes);
    const std::span<float> row = Decode(output, bytes, spec.cols);
    for (size_t k = 0; k < spec.cols; ++k) row[k] /= group.input_scale[k];
    const std::span<int8_t> quantized = output.values.subspan(r * spec.cols, spec.cols);
    output.scales[r] = QuantizeRow(row, quantized);
    AddLoss(row, quantized, output.scales[r], output.loss);
  }
  meter_->Remove(output.staged.size());
  output.staged = {};
}

// {"weights":{"encoder.layer.0.attention.self.query.weight":0.00712, …}}: relative error of each
// quantized tensor.
std::string TensorWriter::FidelityJson() const {
  JsonWriter writer;
  writer.BeginObject().Key("weights").BeginObject();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (plan_->targets[i].form == TargetForm::kFloat) continue;
    writer.Key(plan_->targets[i].spec.name).Double(Rounded(outputs_[i].loss.RelativeError()));
  }
  writer.EndObject().EndObject();
  return writer.TakeText();
}

Result<TensorFile> TensorWriter::Finish() && {
  PB_CHECK(next_group_ == groups_.size());
  for (const Output& output : outputs_) PB_CHECK(output.complete);
  std::vector<std::pair<std::string, std::string>> metadata;
  const bool quantized = std::any_of(outputs_.begin(), outputs_.end(),
                                     [](const Output& output) { return !output.scales.empty(); });
  if (quantized) metadata.emplace_back(one_file::kFidelityKey, FidelityJson());
  return std::move(writer_).Finish(source_.empty() ? "the imported model" : source_,
                                   std::move(metadata));
}

}  // namespace pocketbert
