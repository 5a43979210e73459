#include "quantize/tensor_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/decimal.h"
#include "base/json.h"
#include "kernels/elementwise.h"

namespace pocketbert {
namespace {

// Room that convert may use to add figures it measured to the metadata without moving the data.
constexpr size_t kSpareHeaderBytes = 512;
// Most bytes that one number of the fidelity text takes with quotes, colon and comma around name
// and number.
constexpr size_t kFidelityEntryBytes = 24;

constexpr std::string_view kEmbeddingGamma = "embeddings.LayerNorm.weight";
constexpr std::string_view kEmbeddingBeta = "embeddings.LayerNorm.bias";
constexpr std::string_view kProjectionBias = "embeddings_project.bias";

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
    if (quantized) add(ScaleName(spec), DType::kF32, {spec.rows, WeightGroups(spec.cols)});
  }
  for (const TensorSpec* owner : InputScaleOwners(plan)) {
    add(owner->input_scale_name, DType::kF32, {owner->cols});
  }
  add(std::string(one_file::kVocabularyTensor), DType::kU8, {vocabulary_bytes});
  return tensors;
}

std::string QuantizationJson(Precision precision) {
  JsonWriter writer;
  writer.BeginObject().Key("precision").String(PrecisionName(precision));
  if (precision == Precision::kInt8) {
    writer.Key("group_size").Int(static_cast<int64_t>(kGroupSize));
    writer.Key("equalization").String(kEqualizationName).Key("activations").String("u7");
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

size_t SpareBytes(const ImportPlan& plan) { return FidelityBytes(plan) + kSpareHeaderBytes; }

// Tensors and metadata of the one-file model; its texts are moved out of `folder`.
SafetensorsHeader MakeHeader(FolderDescription& folder, const ImportPlan& plan,
                             const ImportOptions& options) {
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
  add(one_file::kQuantizationKey, QuantizationJson(options.precision));
  if (!plan.ignored.empty()) add(one_file::kIgnoredTensorsKey, IgnoredJson(plan));
  return header;
}

// Four digits are plenty for an error estimate.
double Rounded(double value) { return ParseDecimal(FormatDecimal(value, 4)); }

}  // namespace

TensorWriter::TensorWriter(const ImportPlan& plan, OneFileWriter writer, MemoryMeter& meter)
    : plan_(&plan), meter_(&meter), writer_(std::move(writer)) {}

Result<TensorWriter> TensorWriter::Create(FolderDescription& folder, const ImportPlan& plan,
                                          const ImportOptions& options, MemoryMeter& meter) {
  PB_ASSIGN_OR_RETURN(OneFileWriter file,
                      OneFileWriter::Create(MakeHeader(folder, plan, options), SpareBytes(plan)));
  meter.Add(file.size());
  const std::span<uint8_t> vocabulary = file.Bytes(one_file::kVocabularyTensor);
  std::copy(folder.vocabulary.begin(), folder.vocabulary.end(), vocabulary.begin());
  const EncoderConfig& encoder = folder.model.config.encoder;
  TensorWriter writer(plan, std::move(file), meter);
  writer.source_ = options.source;
  writer.BindOutputs();
  writer.BindGroups(encoder);
  return writer;
}

uint64_t TensorWriter::FileBytes(FolderDescription& folder, const ImportPlan& plan,
                                 const ImportOptions& options) {
  SafetensorsHeader header = MakeHeader(folder, plan, options);
  return OneFileWriter::PlanLayout(header, SpareBytes(plan));
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
  has_projection_ = config.has_projection();
  for (EqualizedInput& input : EqualizedInputs(config)) {
    Group group;
    for (size_t i = 0; i < plan_->targets.size(); ++i) {
      const Target& target = plan_->targets[i];
      if (target.form == TargetForm::kStaged &&
          target.spec.input_scale_name == input.input_scale_name) {
        group.matrices.push_back(i);
      }
    }
    if (group.matrices.empty()) continue;
    for (const std::string& name : input.tensors) {
      const size_t target = TargetNamed(name);
      group.needs.push_back(target);
      const TensorSpec& spec = plan_->targets[target].spec;
      if (spec.kind == TensorKind::kMatrix) outputs_[target].row_norms.resize(spec.rows);
    }
    if (input.kind == EqualizedInput::Kind::kProjection) {
      group.needs.push_back(TargetNamed(kProjectionBias));
    } else if (input.needs_encoder_input && !has_projection_) {
      group.needs.push_back(TargetNamed(kEmbeddingGamma));
      group.needs.push_back(TargetNamed(kEmbeddingBeta));
    }
    group.input_scale = writer_.Floats(input.input_scale_name);
    group.input = std::move(input);
    groups_.push_back(std::move(group));
  }
}

std::span<const float> TensorWriter::Vector(std::string_view name) const {
  return outputs_[TargetNamed(name)].floats;
}

std::span<const double> TensorWriter::RowNorms(std::string_view name) const {
  return outputs_[TargetNamed(name)].row_norms;
}

Status TensorWriter::QuantizeInto(Output& output, const TensorSpec& spec, size_t row,
                                  std::span<const float> values) {
  const size_t groups = WeightGroups(spec.cols);
  const RowUse use = spec.kind == TensorKind::kMatrix ? RowUse::kProduct : RowUse::kLookup;
  const std::span<float> scales = output.scales.subspan(row * groups, groups);
  QuantizeRow(values, use, output.values.subspan(row * spec.cols, spec.cols), scales, output.loss);
  if (AllFinite(scales)) return Done{};
  return FormatError(Message("tensor ") + spec.name + " holds values too large for int8 in row " +
                     row + ": their scale overflows");
}

Status TensorWriter::WriteRow(size_t target, size_t row, std::span<const uint8_t> bytes,
                              const TensorPlace& place) {
  const TensorSpec& spec = plan_->targets[target].spec;
  Output& output = outputs_[target];
  output.dtype = place.dtype;
  const std::span<float> values = std::span(row_).first(spec.cols);
  DecodeFloats(place.dtype, bytes.data(), values);
  if (!AllFinite(values)) {
    return FormatError(Message(place.file) + ": tensor " + place.tensor +
                       " holds an infinity or a value that is not a number in row " + row);
  }
  if (!output.row_norms.empty()) output.row_norms[row] = RowNorm(values);
  switch (plan_->targets[target].form) {
    case TargetForm::kFloat:
      std::copy(values.begin(), values.end(),
                output.floats.begin() + static_cast<ptrdiff_t>(row * spec.cols));
      break;
    case TargetForm::kInt8:
      return QuantizeInto(output, spec, row, values);
    case TargetForm::kStaged:
      if (output.staged.empty()) {
        output.staged.resize(spec.rows * bytes.size());
        meter_->Add(output.staged.size());
      }
      // WriteMatrix has them there already.
      std::memmove(output.staged.data() + row * bytes.size(), bytes.data(), bytes.size());
      break;
  }
  return Done{};
}

Status TensorWriter::WriteMatrix(size_t target, std::vector<uint8_t> rows,
                                 const TensorPlace& place) {
  const TensorSpec& spec = plan_->targets[target].spec;
  const size_t row_bytes = spec.cols * sizeof(float);
  const bool stays = plan_->targets[target].form == TargetForm::kStaged;
  if (stays) outputs_[target].staged = std::move(rows);
  const std::vector<uint8_t>& source = stays ? outputs_[target].staged : rows;
  for (size_t row = 0; row < spec.rows; ++row) {
    PB_RETURN_IF_ERROR(
        WriteRow(target, row, std::span(source).subspan(row * row_bytes, row_bytes), place));
  }
  if (!stays) meter_->Remove(rows.size());
  return Done{};
}

Status TensorWriter::TensorComplete(size_t target) {
  outputs_[target].complete = true;
  // A group that is done may be what a later one waits for, never an earlier one.
  for (Group& group : groups_) {
    if (group.done || !IsReady(group)) continue;
    PB_RETURN_IF_ERROR(QuantizeGroup(group));
    group.done = true;
  }
  return Done{};
}

bool TensorWriter::IsReady(const Group& group) const {
  const auto complete = [&](size_t target) { return outputs_[target].complete; };
  return std::all_of(group.matrices.begin(), group.matrices.end(), complete) &&
         std::all_of(group.needs.begin(), group.needs.end(), complete) &&
         !(group.input.needs_encoder_input && has_projection_ && encoder_input_.empty());
}

std::span<float> TensorWriter::StagedRow(const Output& output, const TensorSpec& spec, size_t row) {
  const std::span<float> values = std::span(row_).first(spec.cols);
  const size_t row_bytes = spec.cols * DTypeSize(output.dtype);
  DecodeFloats(output.dtype, output.staged.data() + row * row_bytes, values);
  return values;
}

// The profile of the first layer's input, made from the projection's rows while they are there.
void TensorWriter::ProjectEncoderInput(const Group& group) {
  const TensorSpec& spec = plan_->targets[group.matrices[0]].spec;
  const std::span<const float> bias = Vector(kProjectionBias);
  encoder_input_.resize(spec.rows);
  for (size_t n = 0; n < spec.rows; ++n) {
    encoder_input_[n] = ProjectedProfile(StagedRow(outputs_[group.matrices[0]], spec, n),
                                         Vector(kEmbeddingGamma), Vector(kEmbeddingBeta), bias[n]);
  }
}

std::vector<float> TensorWriter::Factors(const Group& group) {
  const size_t cols = plan_->targets[group.matrices[0]].spec.cols;
  std::vector<double> column_energy(cols);
  size_t rows = 0;
  for (const size_t matrix : group.matrices) {
    const TensorSpec& spec = plan_->targets[matrix].spec;
    std::vector<double> energy(cols);
    for (size_t n = 0; n < spec.rows; ++n) {
      const std::span<const float> row = StagedRow(outputs_[matrix], spec, n);
      for (size_t k = 0; k < cols; ++k) {
        energy[k] += static_cast<double>(row[k]) * static_cast<double>(row[k]);
      }
    }
    for (size_t k = 0; k < cols; ++k) column_energy[k] += energy[k];
    rows += spec.rows;
  }
  const std::vector<double> profile = InputProfile(group.input, *this, encoder_input_);
  std::vector<float> factors(cols);
  EqualizationFactors(profile, column_energy, rows, factors);
  if (group.input.gentle) {
    for (float& factor : factors) factor = std::sqrt(factor) * std::sqrt(std::sqrt(factor));
  }
  return factors;
}

Status TensorWriter::QuantizeGroup(const Group& group) {
  if (group.input.kind == EqualizedInput::Kind::kProjection) {
    ProjectEncoderInput(group);
  } else if (group.input.needs_encoder_input && encoder_input_.empty()) {
    encoder_input_ = LayerNormProfile(Vector(kEmbeddingGamma), Vector(kEmbeddingBeta));
  }
  const std::vector<float> factors = Factors(group);
  for (size_t k = 0; k < factors.size(); ++k) group.input_scale[k] = 1.0f / factors[k];
  for (const size_t matrix : group.matrices) PB_RETURN_IF_ERROR(QuantizeStaged(matrix, factors));
  return Done{};
}

Status TensorWriter::QuantizeStaged(size_t matrix, std::span<const float> factors) {
  const TensorSpec& spec = plan_->targets[matrix].spec;
  Output& output = outputs_[matrix];
  for (size_t n = 0; n < spec.rows; ++n) {
    const std::span<float> row = StagedRow(output, spec, n);
    for (size_t k = 0; k < spec.cols; ++k) row[k] *= factors[k];
    PB_RETURN_IF_ERROR(QuantizeInto(output, spec, n, row));
  }
  meter_->Remove(output.staged.size());
  output.staged = std::vector<uint8_t>();  // `= {}` would keep the memory
  return Done{};
}

// {"weights":{"encoder.layer.0.attention.self.query.weight":0.00712, …}}: relative error of each
// quantized tensor (of an equalized one after its columns were multiplied).
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
  for (const Output& output : outputs_) PB_CHECK(output.complete);
  for (const Group& group : groups_) PB_CHECK(group.done);
  std::vector<std::pair<std::string, std::string>> metadata;
  const bool quantized = std::any_of(outputs_.begin(), outputs_.end(),
                                     [](const Output& output) { return !output.scales.empty(); });
  if (quantized) metadata.emplace_back(one_file::kFidelityKey, FidelityJson());
  return std::move(writer_).Finish(source_.empty() ? "the imported model" : source_,
                                   std::move(metadata));
}

}  // namespace pocketbert
