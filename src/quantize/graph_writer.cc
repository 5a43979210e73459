#include "quantize/graph_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/sort.h"
#include "model/source_names.h"

namespace pocketbert {
namespace {

// Most bytes of a scale or zero point: one for each row of a large table.
constexpr uint64_t kMaxParameterBytes = 16'000'000;
// A matrix that is turned over is held whole; in wasm sizes have 32 bits.
constexpr uint64_t kMaxHeldElements = uint64_t{1} << 29;

template <typename T>
void DecodeIntegers(const uint8_t* bytes, std::span<float> out) {
  for (size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    out[i] = static_cast<float>(value);
  }
}

bool IsQuantized(DType dtype) {
  return dtype == DType::kI8 || dtype == DType::kU8 || dtype == DType::kI32;
}

void DecodeValues(DType dtype, const uint8_t* bytes, std::span<float> out) {
  if (dtype == DType::kI8) return DecodeIntegers<int8_t>(bytes, out);
  if (dtype == DType::kU8) return DecodeIntegers<uint8_t>(bytes, out);
  if (dtype == DType::kI32) return DecodeIntegers<int32_t>(bytes, out);
  DecodeFloats(dtype, bytes, out);
}

std::span<const uint8_t> AsBytes(std::span<const float> values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()};
}

}  // namespace

GraphWriter::GraphWriter(const SourceFile& file, size_t file_index, const ImportPlan& plan,
                         TensorWriter& writer, MemoryMeter& meter)
    : file_(file), plan_(plan), writer_(writer), meter_(meter), reader_(file.path, *this) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < plan.targets.size(); ++i) {
    if (plan.targets[i].file != file_index) continue;
    const GraphWeight& weight = file.graph->weights[plan.targets[i].tensor];
    uses_.push_back({i, &weight, SplitFusedName(weight.name).size()});
    if (!weight.scale.empty()) names.push_back(weight.scale);
    if (!weight.zero_point.empty()) names.push_back(weight.zero_point);
  }
  SortStably(uses_, [](const Use& a, const Use& b) {
    return a.weight->initializer < b.weight->initializer;
  });
  SortStably(names, [](std::string_view a, std::string_view b) { return a < b; });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string_view name : names) parameters_.push_back({name, false, {}, {}});
}

Message GraphWriter::About(std::string_view tensor) const {
  return Message(file_.path) + ": tensor " + tensor + " ";
}

TensorPlace GraphWriter::Place(const Use& use) const {
  return {file_.path, use.weight->initializer, DType::kF32};
}

Status GraphWriter::Write(std::span<const uint8_t> bytes) { return reader_.Feed(bytes); }

Status GraphWriter::Finish() {
  PB_RETURN_IF_ERROR(reader_.Finish());
  if (external_ < externals_.size()) {
    return FormatError(About(externals_[external_].info.name) + "is missing: its values are in " +
                       file_.path + "_data, which was not found or ends after " +
                       values_position_ + " bytes");
  }
  for (const Use& use : uses_) {
    if (use.done) continue;
    const GraphWeight& weight = *use.weight;
    for (const std::string& name : {weight.initializer, weight.scale, weight.zero_point}) {
      const Parameter* parameter = Find(name);
      const bool waits = std::any_of(waiting_.begin(), waiting_.end(), [&](const Tensor& tensor) {
        return tensor.info.name == name;
      });
      if (name.empty() || waits || (parameter != nullptr && parameter->known)) continue;
      return FormatError(About(weight.name) + "is missing: the graph takes it from " + name +
                         ", which is no initializer");
    }
  }
  return Done{};
}

GraphWriter::Parameter* GraphWriter::Find(std::string_view name) {
  const auto found = std::lower_bound(
      parameters_.begin(), parameters_.end(), name,
      [](const Parameter& parameter, std::string_view key) { return parameter.name < key; });
  return found != parameters_.end() && found->name == name ? &*found : nullptr;
}

bool GraphWriter::ParametersKnown(const Tensor& tensor) {
  return std::all_of(tensor.uses.begin(), tensor.uses.end(), [&](size_t use) {
    const GraphWeight& weight = *uses_[use].weight;
    const Parameter* scale = Find(weight.scale);
    const Parameter* zero_point = Find(weight.zero_point);
    return (scale == nullptr || scale->known) && (zero_point == nullptr || zero_point->known);
  });
}

// Checks shape and type, and tells how the values lie.
Status GraphWriter::CheckSource(const Use& use, Tensor& tensor) const {
  const TensorSpec& spec = plan_.targets[use.target].spec;
  const GraphWeight& weight = *use.weight;
  const uint64_t rows = spec.is_vector() ? use.parts : spec.rows * use.parts;
  std::vector<uint64_t> shape = {rows, spec.cols};
  if (spec.is_vector()) shape = {spec.cols * use.parts};
  tensor.rows = static_cast<size_t>(weight.transposed ? spec.cols : rows);
  tensor.cols = static_cast<size_t>(weight.transposed ? rows : spec.cols);
  if (weight.transposed) std::reverse(shape.begin(), shape.end());
  if (tensor.info.dims != shape || (weight.transposed && spec.is_vector())) {
    return FormatError(About(tensor.info.name) + "(" + weight.name + ") has shape " +
                       ShapeText(tensor.info.dims) + ", expected " + ShapeText(shape) +
                       " from the sizes in the configuration");
  }
  const bool quantized = IsQuantized(tensor.info.dtype);
  if (quantized != !weight.scale.empty() ||
      (!quantized && !IsDecodableFloat(tensor.info.dtype))) {
    return UnsupportedError(
        About(tensor.info.name) + "(" + weight.name + ") has dtype " +
        DTypeName(tensor.info.dtype) +
        (weight.scale.empty() ? ", expected F32, F16, BF16 or F64, or a scale that the graph "
                                "multiplies it with"
                              : ", expected I8 or U8, since the graph scales it"));
  }
  if (weight.transposed && uint64_t{tensor.rows} * tensor.cols > kMaxHeldElements) {
    return OutOfMemoryError(About(tensor.info.name) + "has shape " +
                            ShapeText(tensor.info.dims) +
                            ", too large to be turned over in memory");
  }
  return Done{};
}

Status GraphWriter::OnTensor(const OnnxTensor& info) {
  tensor_ = {};
  tensor_.info = info;
  const auto first = std::lower_bound(
      uses_.begin(), uses_.end(), info.name,
      [](const Use& use, const std::string& name) { return use.weight->initializer < name; });
  for (auto use = first; use != uses_.end() && use->weight->initializer == info.name; ++use) {
    PB_RETURN_IF_ERROR(CheckSource(*use, tensor_));
    if (use->done) return FormatError(About(info.name) + "is there twice");
    tensor_.uses.push_back(static_cast<size_t>(use - uses_.begin()));
  }
  if (!tensor_.uses.empty()) {
    tensor_.waits = !ParametersKnown(tensor_);
    return tensor_.waits ? Status(Done{}) : Begin(tensor_);
  }
  tensor_.parameter = Find(info.name);
  if (tensor_.parameter != nullptr && info.bytes > kMaxParameterBytes) {
    return FormatError(About(info.name) + "has " + info.bytes + " bytes, too many for a scale");
  }
  return Done{};
}

void GraphWriter::Hold(Tensor& tensor, std::span<const uint8_t> bytes) {
  meter_.Remove(tensor.carry.capacity());
  if (tensor.carry.empty() && (tensor.waits || tensor.parameter != nullptr)) {
    tensor.carry.reserve(static_cast<size_t>(tensor.info.bytes));
  }
  tensor.carry.insert(tensor.carry.end(), bytes.begin(), bytes.end());
  meter_.Add(tensor.carry.capacity());
}

Status GraphWriter::OnData(std::span<const uint8_t> bytes) {
  if (tensor_.parameter != nullptr || tensor_.waits) {
    Hold(tensor_, bytes);
    return Done{};
  }
  return tensor_.uses.empty() ? Status(Done{}) : Feed(tensor_, bytes);
}

Status GraphWriter::OnTensorEnd() {
  if (tensor_.waits) {
    const bool twice = std::any_of(waiting_.begin(), waiting_.end(), [&](const Tensor& other) {
      return other.info.name == tensor_.info.name;
    });
    if (twice) return FormatError(About(tensor_.info.name) + "is there twice");
    waiting_.push_back(std::move(tensor_));
    return Done{};
  }
  if (!tensor_.uses.empty()) PB_RETURN_IF_ERROR(End(tensor_));
  if (tensor_.parameter != nullptr) {
    PB_RETURN_IF_ERROR(KeepParameter(tensor_));
    PB_RETURN_IF_ERROR(WriteWaiting());
  }
  return Done{};
}

Status GraphWriter::OnExternal(const OnnxTensor& info, const OnnxPlace& place) {
  const bool used = Find(info.name) != nullptr ||
                    std::any_of(uses_.begin(), uses_.end(), [&](const Use& use) {
                      return use.weight->initializer == info.name;
                    });
  if (!used) return Done{};
  const std::string_view own = std::string_view(file_.path).substr(file_.path.rfind('/') + 1);
  if (place.location != std::string(own).append("_data")) {
    return UnsupportedError(About(info.name) + "keeps its values in the file " + place.location +
                            ", expected them in " + own + " or " + own + "_data");
  }
  externals_.push_back({info, place.offset});
  return Done{};
}

Status GraphWriter::SortExternals() {
  if (!reader_.nodes_complete() || !reader_.Finish().ok()) {
    return InvalidArgumentError(Message(file_.path) + ": values beside it came before its end");
  }
  SortStably(externals_,
             [](const External& a, const External& b) { return a.offset < b.offset; });
  for (size_t i = 1; i < externals_.size(); ++i) {
    const External& before = externals_[i - 1];
    if (externals_[i].offset - before.offset < before.info.bytes) {
      return UnsupportedError(About(externals_[i].info.name) + "shares values with tensor " +
                              before.info.name + ", which is not read");
    }
  }
  return Done{};
}

Status GraphWriter::WriteValues(std::span<const uint8_t> bytes) {
  if (values_position_ == 0) PB_RETURN_IF_ERROR(SortExternals());
  while (!bytes.empty() && external_ < externals_.size()) {
    const External& next = externals_[external_];
    const uint64_t end = values_begun_ ? next.offset + next.info.bytes : next.offset;
    const auto piece = bytes.first(
        static_cast<size_t>(std::min<uint64_t>(end - values_position_, bytes.size())));
    if (values_begun_) PB_RETURN_IF_ERROR(OnData(piece));
    bytes = bytes.subspan(piece.size());
    values_position_ += piece.size();
    if (values_position_ < end) continue;
    if (values_begun_) {
      PB_RETURN_IF_ERROR(OnTensorEnd());
      ++external_;
    } else {
      PB_RETURN_IF_ERROR(OnTensor(next.info));
    }
    values_begun_ = !values_begun_;
  }
  values_position_ += bytes.size();
  return Done{};
}

Status GraphWriter::KeepParameter(Tensor& tensor) {
  const DType dtype = tensor.info.dtype;
  if (!IsQuantized(dtype) && !IsDecodableFloat(dtype)) {
    return UnsupportedError(About(tensor.info.name) + "has dtype " + DTypeName(dtype) +
                            ", which no scale or zero point has here");
  }
  Parameter& parameter = *tensor.parameter;
  if (parameter.known) return FormatError(About(tensor.info.name) + "is there twice");
  parameter.known = true;
  parameter.dims = tensor.info.dims;
  parameter.values.resize(tensor.carry.size() / DTypeSize(dtype));
  DecodeValues(dtype, tensor.carry.data(), parameter.values);
  meter_.Add(parameter.values.size() * sizeof(float));
  meter_.Remove(tensor.carry.capacity());
  tensor.carry = std::vector<uint8_t>();
  return Done{};
}

// Writes what the parameter that has just come was missing for.
Status GraphWriter::WriteWaiting() {
  for (size_t i = 0; i < waiting_.size();) {
    if (!ParametersKnown(waiting_[i])) {
      ++i;
      continue;
    }
    Tensor tensor = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<ptrdiff_t>(i));
    const std::vector<uint8_t> bytes = std::move(tensor.carry);
    tensor.carry = {};
    PB_RETURN_IF_ERROR(Begin(tensor));
    PB_RETURN_IF_ERROR(Feed(tensor, bytes));
    PB_RETURN_IF_ERROR(End(tensor));
    meter_.Remove(bytes.capacity());
  }
  return Done{};
}

// A scale or zero point is one number, or one for each row or column of the values.
Status GraphWriter::CheckParameter(const Tensor& tensor, const GraphWeight& weight,
                                   std::string_view name) {
  Parameter* parameter = Find(name);
  if (parameter == nullptr || parameter->values.size() == 1) return Done{};
  std::vector<uint64_t>& dims = parameter->dims;
  const bool column = weight.axis == 0;
  if (dims.size() == 1) dims.insert(column ? dims.end() : dims.begin(), 1);
  const uint64_t rows = tensor.rows, cols = tensor.cols;
  const bool fits = dims.size() == 2 && tensor.info.dims.size() == 2 &&
                    ((dims[0] == rows && dims[1] == 1) || (dims[0] == 1 && dims[1] == cols));
  if (fits) return Done{};
  return UnsupportedError(About(name) + "has shape " + ShapeText(dims) + " for values of shape " +
                          ShapeText(tensor.info.dims) +
                          "; expected one scale, or one a row or column");
}

Status GraphWriter::Begin(Tensor& tensor) {
  for (const size_t index : tensor.uses) {
    Use& use = uses_[index];
    for (const std::string_view name : {use.weight->scale, use.weight->zero_point}) {
      PB_RETURN_IF_ERROR(CheckParameter(tensor, *use.weight, name));
    }
    if (!use.weight->transposed) continue;
    const TensorSpec& spec = plan_.targets[use.target].spec;
    use.turned.resize(spec.rows * spec.cols * sizeof(float));
    meter_.Add(use.turned.size());
  }
  row_.resize(std::max(row_.size(), tensor.cols));
  return Done{};
}

Status GraphWriter::Feed(Tensor& tensor, std::span<const uint8_t> bytes) {
  const size_t row_bytes = tensor.cols * DTypeSize(tensor.info.dtype);
  while (!bytes.empty()) {
    if (tensor.carry.empty() && bytes.size() >= row_bytes) {
      PB_RETURN_IF_ERROR(WriteRow(tensor, bytes.first(row_bytes)));
      bytes = bytes.subspan(row_bytes);
      continue;
    }
    const auto part = bytes.first(std::min(row_bytes - tensor.carry.size(), bytes.size()));
    Hold(tensor, part);
    bytes = bytes.subspan(part.size());
    if (tensor.carry.size() < row_bytes) return Done{};
    PB_RETURN_IF_ERROR(WriteRow(tensor, tensor.carry));
    tensor.carry.clear();
  }
  return Done{};
}

void GraphWriter::Dequantize(const GraphWeight& weight, size_t row, std::span<float> values) {
  const auto of = [&](const Parameter* parameter, size_t col) {
    if (parameter->values.size() == 1) return parameter->values[0];
    return parameter->values[parameter->dims[0] == 1 ? col : row];
  };
  const Parameter* scale = Find(weight.scale);
  const Parameter* zero_point = Find(weight.zero_point);
  for (size_t k = 0; k < values.size(); ++k) {
    if (zero_point != nullptr) values[k] -= of(zero_point, k);
    values[k] *= of(scale, k);
  }
}

Status GraphWriter::WriteRow(Tensor& tensor, std::span<const uint8_t> bytes) {
  const size_t row = tensor.row++;
  const std::span<float> values = std::span(row_).first(tensor.cols);
  for (const size_t index : tensor.uses) {
    Use& use = uses_[index];
    const Target& target = plan_.targets[use.target];
    const size_t rows = target.spec.rows, cols = target.spec.cols;
    DecodeValues(tensor.info.dtype, bytes.data(), values);
    if (!use.weight->scale.empty()) Dequantize(*use.weight, row, values);
    if (use.weight->transposed) {
      for (size_t n = 0; n < rows; ++n) {
        std::memcpy(use.turned.data() + (n * cols + row) * sizeof(float),
                    &values[target.part * rows + n], sizeof(float));
      }
    } else if (row / rows == target.part) {
      PB_RETURN_IF_ERROR(
          writer_.WriteRow(use.target, row % rows, AsBytes(values), Place(use)));
    }
  }
  return Done{};
}

Status GraphWriter::End(Tensor& tensor) {
  for (const size_t index : tensor.uses) {
    Use& use = uses_[index];
    if (use.weight->transposed) {
      PB_RETURN_IF_ERROR(writer_.WriteMatrix(use.target, std::move(use.turned), Place(use)));
    }
    use.done = true;
    PB_RETURN_IF_ERROR(writer_.TensorComplete(use.target));
  }
  meter_.Remove(tensor.carry.capacity());
  return Done{};
}

}  // namespace pocketbert
