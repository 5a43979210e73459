#include "model/bind_weights.h"

#include <algorithm>
#include <string>

#include "base/sort.h"
#include "base/workspace.h"
#include "kernels/pack_i8.h"
#include "model/one_file.h"

namespace pocketbert {
namespace {

// `count` elements of T at the next aligned place of `block` after `offset`, which moves behind
// them.
template <typename T>
std::span<T> Carve(ByteBlock& block, size_t& offset, size_t count) {
  const std::span<T> part(reinterpret_cast<T*>(block.data() + offset), count);
  offset += Workspace::BytesFor<T>(count);
  PB_CHECK(offset <= block.size());
  return part;
}

// False for values that are no number, too.
bool AllWithin(std::span<const float> values, float bound) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  bool within = true;
  for (const float value : values) within &= value > bound && value < kInfinity;
  return within;
}

}  // namespace

WeightBinder::WeightBinder(TensorFile& file, size_t group_size)
    : file_(file), group_size_(group_size) {
  for (const TensorInfo& tensor : file.header().tensors) entries_.push_back({&tensor});
  SortStably(entries_,
             [](const Entry& a, const Entry& b) { return a.tensor->name < b.tensor->name; });
}

WeightBinder::Entry* WeightBinder::FindEntry(std::string_view name) {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), name,
      [](const Entry& entry, std::string_view key) { return entry.tensor->name < key; });
  return found != entries_.end() && found->tensor->name == name ? &*found : nullptr;
}

Result<WeightBinder::Entry*> WeightBinder::Require(std::string_view name,
                                                   std::span<const uint64_t> shape) {
  Entry* entry = FindEntry(name);
  if (entry == nullptr) {
    return FormatError(Message(file_.name()) + ": tensor " + name + " is missing");
  }
  const TensorInfo& tensor = *entry->tensor;
  if (!std::equal(shape.begin(), shape.end(), tensor.shape.begin(), tensor.shape.end())) {
    return FormatError(Message(file_.name()) + ": tensor " + tensor.name + " has shape " +
                       ShapeText(tensor.shape) + ", expected " + ShapeText(shape));
  }
  entry->used = true;
  return entry;
}

ErrorBox WeightBinder::DTypeError(const TensorInfo& tensor, std::string_view expected) const {
  return FormatError(Message(file_.name()) + ": tensor " + tensor.name + " has dtype " +
                     DTypeName(tensor.dtype) + ", expected " + expected);
}

Result<std::span<float>> WeightBinder::Floats(Entry& entry, float bound) {
  const TensorInfo& tensor = *entry.tensor;
  if (tensor.dtype != DType::kF32) return DTypeError(tensor, "F32");
  if (!entry.floats.empty()) return entry.floats;
  const std::span<uint8_t> bytes = file_.MutableTensorBytes(tensor);
  const size_t count = bytes.size() / sizeof(float);
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(float) == 0) {
    entry.floats = {reinterpret_cast<float*>(bytes.data()), count};
  } else {
    PB_ASSIGN_OR_RETURN(ByteBlock block, ByteBlock::Create(bytes.size(), tensor.name));
    entry.floats = {reinterpret_cast<float*>(block.data()), count};
    DecodeFloats(DType::kF32, bytes.data(), entry.floats);
    blocks_.push_back(std::move(block));
  }
  if (!AllWithin(entry.floats, bound)) {
    return FormatError(Message(file_.name()) + ": tensor " + tensor.name +
                       " has a value that is not finite, or a scale that is not above 0");
  }
  return entry.floats;
}

Result<std::span<float>> WeightBinder::RequireFloats(std::string_view name, size_t count,
                                                     float bound) {
  const uint64_t shape[] = {count};
  PB_ASSIGN_OR_RETURN(Entry * entry, Require(name, shape));
  return Floats(*entry, bound);
}

Result<TensorView<const float>> WeightBinder::RequireScales(const TensorSpec& spec) {
  const size_t groups = PackedI8::GroupCount(spec.cols, group_size_);
  const uint64_t shape[] = {spec.rows, groups};
  PB_ASSIGN_OR_RETURN(Entry * entry,
                      Require(spec.name + std::string(one_file::kScaleSuffix), shape));
  PB_ASSIGN_OR_RETURN(const std::span<float> values, Floats(*entry, 0));
  return TensorView<const float>(values.data(), spec.rows, groups);
}

Status WeightBinder::Bind(const TensorSpec& spec, LinearWeights& slot) {
  const uint64_t shape[] = {spec.rows, spec.cols};
  PB_ASSIGN_OR_RETURN(Entry * entry, Require(spec.name, shape));
  const TensorInfo& tensor = *entry->tensor;
  if (tensor.dtype == DType::kI8) return BindI8(spec, tensor, slot);
  if (tensor.dtype != DType::kF32) return DTypeError(tensor, "I8 or F32");
  PB_ASSIGN_OR_RETURN(const std::span<float> values, Floats(*entry));
  slot.f32 = TensorView<float>(values.data(), spec.rows, spec.cols);
  return Done{};
}

Status WeightBinder::BindI8(const TensorSpec& spec, const TensorInfo& tensor, LinearWeights& slot) {
  PB_ASSIGN_OR_RETURN(const TensorView<const float> scales, RequireScales(spec));
  if (FindEntry(spec.input_scale_name) != nullptr) {
    PB_ASSIGN_OR_RETURN(slot.input_scale, RequireFloats(spec.input_scale_name, spec.cols, 0));
  }
  const std::span<uint8_t> bytes = file_.MutableTensorBytes(tensor);
  int8_t* const values = reinterpret_cast<int8_t*>(bytes.data());
  const bool in_place = CanPackI8InPlace(spec.rows, spec.cols);
  const size_t padded_rows = PackedI8::PaddedRows(spec.rows);
  const size_t panel_bytes = in_place ? 0 : padded_rows * PackedI8::PaddedCols(spec.cols);
  const size_t sums = padded_rows * PackedI8::GroupCount(spec.cols, group_size_);
  PB_ASSIGN_OR_RETURN(ByteBlock block, ByteBlock::Create(Workspace::BytesFor<int8_t>(panel_bytes) +
                                                             2 * Workspace::BytesFor<float>(sums),
                                                         tensor.name));
  size_t offset = 0;
  PackI8Memory memory;
  memory.panels = Carve<int8_t>(block, offset, panel_bytes);
  if (in_place) memory.panels = {values, bytes.size()};
  memory.sums = Carve<float>(block, offset, sums);
  memory.scales = Carve<float>(block, offset, sums);
  if (in_place) scratch_.resize(PackedI8::kPanelRows * spec.cols);
  slot.i8 = PackI8(TensorView<const int8_t>(values, spec.rows, spec.cols), scales, group_size_,
                   memory, scratch_);
  blocks_.push_back(std::move(block));
  return Done{};
}

Status WeightBinder::Bind(const TensorSpec& spec, EmbeddingTable& slot) {
  const uint64_t shape[] = {spec.rows, spec.cols};
  PB_ASSIGN_OR_RETURN(Entry * entry, Require(spec.name, shape));
  const TensorInfo& tensor = *entry->tensor;
  if (tensor.dtype == DType::kF32) {
    PB_ASSIGN_OR_RETURN(const std::span<float> values, Floats(*entry));
    slot.f32 = TensorView<float>(values.data(), spec.rows, spec.cols);
    return Done{};
  }
  if (tensor.dtype != DType::kI8) return DTypeError(tensor, "I8 or F32");
  const std::span<const uint8_t> bytes = file_.TensorBytes(tensor);
  slot.i8 =
      TensorView<const int8_t>(reinterpret_cast<const int8_t*>(bytes.data()), spec.rows, spec.cols);
  PB_ASSIGN_OR_RETURN(slot.scales, RequireScales(spec));
  slot.group_size = group_size_;
  return Done{};
}

Status WeightBinder::Bind(const TensorSpec& spec, std::span<float>& slot) {
  PB_ASSIGN_OR_RETURN(slot, RequireFloats(spec.name, spec.cols));
  return Done{};
}

Status WeightBinder::Bind(const TensorSpec& spec, TensorView<float>& slot) {
  const uint64_t shape[] = {spec.rows, spec.cols};
  PB_ASSIGN_OR_RETURN(Entry * entry, Require(spec.name, shape));
  PB_ASSIGN_OR_RETURN(const std::span<float> values, Floats(*entry));
  slot = TensorView<float>(values.data(), spec.rows, spec.cols);
  return Done{};
}

ErrorBox WeightBinder::PrecisionError(std::string_view name, Precision precision) {
  return FormatError(Message(file_.name()) + ": tensor " + name + " has dtype " +
                     DTypeName(FindEntry(name)->tensor->dtype) + ", but the file's precision is " +
                     PrecisionName(precision));
}

Result<std::span<const uint8_t>> WeightBinder::Bytes(std::string_view name) {
  Entry* entry = FindEntry(name);
  if (entry == nullptr) {
    return FormatError(Message(file_.name()) + ": tensor " + name + " is missing");
  }
  if (entry->tensor->dtype != DType::kU8) return DTypeError(*entry->tensor, "U8");
  entry->used = true;
  return file_.TensorBytes(*entry->tensor);
}

Status WeightBinder::CheckAllUsed() const {
  for (const Entry& entry : entries_) {
    if (!entry.used) {
      return FormatError(Message(file_.name()) + ": tensor " + entry.tensor->name +
                         " is no part of the model that the file's metadata describe");
    }
  }
  return Done{};
}

}  // namespace pocketbert
