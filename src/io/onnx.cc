#include "io/onnx.h"

#include <algorithm>
#include <utility>

namespace pocketbert {
namespace {

// Field numbers.
constexpr uint32_t kModelGraph = 7;
constexpr uint32_t kGraphNode = 1, kGraphInitializer = 5, kGraphSparseInitializer = 15;
constexpr uint32_t kTensorDims = 1, kTensorDataType = 2, kTensorSegment = 3, kTensorFloats = 4,
                   kTensorInts = 5, kTensorLongs = 7, kTensorName = 8, kTensorRawData = 9,
                   kTensorDoubles = 10, kTensorUnsigned = 11, kTensorExternal = 13, kTensorDataLocation = 14;
constexpr uint32_t kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kNodeOpType = 4,
                   kNodeAttribute = 5, kNodeDomain = 7;
constexpr uint32_t kEntryKey = 1, kEntryValue = 2;
constexpr uint32_t kAttributeName = 1, kAttributeInt = 3, kAttributeInts = 8;

constexpr size_t kMaxDims = 8;
// A tensor's elements and bytes stay far from the limits of 64 bits.
constexpr uint64_t kMaxDim = uint64_t{1} << 40;

// TensorProto.DataType, by its number.
std::optional<DType> DTypeOfOnnx(uint64_t type) {
  switch (type) {
    case 1: return DType::kF32;
    case 2: return DType::kU8;
    case 3: return DType::kI8;
    case 4: return DType::kU16;
    case 5: return DType::kI16;
    case 6: return DType::kI32;
    case 7: return DType::kI64;
    case 9: return DType::kBool;
    case 10: return DType::kF16;
    case 11: return DType::kF64;
    case 12: return DType::kU32;
    case 13: return DType::kU64;
    case 16: return DType::kBF16;
    default: return std::nullopt;
  }
}

std::string TextOf(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

// Values of a repeated integer field: one, or a pack of them.
template <typename Add>
bool ReadIntegers(const ProtoField& field, Add&& add) {
  if (field.type != WireType::kBytes) {
    add(field.value);
    return true;
  }
  std::span<const uint8_t> rest = field.bytes;
  while (!rest.empty()) {
    uint64_t value = 0;
    if (ReadVarint(rest, value) != ProtoStatus::kRead) return false;
    add(value);
  }
  return true;
}

// A whole number in decimal, as in the text of an entry.
std::optional<uint64_t> ReadDecimal(std::string_view text) {
  uint64_t value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9' || value >= kMaxDim) return std::nullopt;
    value = 10 * value + static_cast<uint64_t>(digit - '0');
  }
  return text.empty() ? std::nullopt : std::optional(value);
}

// The few attributes that matter.
bool ReadAttribute(std::span<const uint8_t> message, OnnxNode& node) {
  std::string name;
  std::optional<int64_t> number;
  std::vector<int64_t> numbers;
  ProtoReader reader(message);
  ProtoField field;
  bool sound = true;
  while (sound && reader.Next(field)) {
    if (field.number == kAttributeName) name = TextOf(field.bytes);
    if (field.number == kAttributeInt) number = static_cast<int64_t>(field.value);
    if (field.number == kAttributeInts) {
      sound = ReadIntegers(
          field, [&](uint64_t value) { numbers.push_back(static_cast<int64_t>(value)); });
    }
  }
  if (name == "axis") node.axis = number;
  if (name == "perm") node.perm = std::move(numbers);
  if (name == "transB") node.trans_b = number.value_or(0) != 0;
  return sound && !reader.broken();
}

}  // namespace

Message OnnxReader::About(std::string_view what) const {
  Message message(file_);
  if (level_ == kTensor) {
    return std::move(message) + ": tensor " + tensor_.name + " " + what;
  }
  return std::move(message) + ": " + what;
}

Status OnnxReader::Feed(std::span<const uint8_t> bytes) {
  if (pending_.empty()) {
    PB_ASSIGN_OR_RETURN(const size_t done, Parse(bytes));
    pending_.assign(bytes.begin() + static_cast<ptrdiff_t>(done), bytes.end());
    return Done{};
  }
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  PB_ASSIGN_OR_RETURN(const size_t done, Parse(pending_));
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(done));
  return Done{};
}

Status OnnxReader::Finish() {
  if (level_ != kModel || passing_ != 0 || !pending_.empty()) {
    return FormatError(Message(file_) + ": the file is incomplete: it ends after " +
                       (position_ + pending_.size()) + " bytes, within " +
                       (level_ == kTensor ? "tensor " + tensor_.name : std::string("its graph")));
  }
  if (!has_graph_) return FormatError(Message(file_) + ": no ONNX file: it holds no graph");
  return Done{};
}

// Does whole fields and pieces of long ones; gives the number of bytes that are done.
Result<size_t> OnnxReader::Parse(std::span<const uint8_t> bytes) {
  const size_t size = bytes.size();
  while (true) {
    PB_RETURN_IF_ERROR(CloseLevels());
    if (bytes.empty()) return size;
    if (passing_ > 0) {
      const auto taken =
          bytes.first(static_cast<size_t>(std::min<uint64_t>(passing_, bytes.size())));
      if (streaming_) PB_RETURN_IF_ERROR(visitor_->OnData(taken));
      bytes = bytes.subspan(taken.size());
      position_ += taken.size();
      passing_ -= taken.size();
      continue;
    }
    std::span<const uint8_t> rest = bytes;
    ProtoField field;
    const ProtoStatus status = ReadProtoHead(rest, field);
    if (status == ProtoStatus::kEnds) return size - bytes.size();
    if (status == ProtoStatus::kBroken) {
      return FormatError(Message(file_) + ": no ONNX file: no field begins at byte " + position_);
    }
    const size_t head = bytes.size() - rest.size();
    PB_RETURN_IF_ERROR(CheckHead(field, head));
    const uint64_t length = field.type == WireType::kBytes ? field.value : 0;
    const Use use = UseOf(field);
    if (use == Use::kHold) {
      if (length > kMaxHeldBytes) {
        return UnsupportedError(About("holds ") + length + " bytes in field " + field.number +
                                " at byte " + position_ + ", more than the " + kMaxHeldBytes +
                                " that are read; weights must be initializers with raw_data");
      }
      if (rest.size() < length) return size - bytes.size();
      field.bytes = rest.first(static_cast<size_t>(length));
      PB_RETURN_IF_ERROR(ReadHeld(field));
      rest = rest.subspan(field.bytes.size());
    }
    position_ += head;
    if (use == Use::kHold) position_ += length;
    if (use == Use::kEnter) PB_RETURN_IF_ERROR(Enter(field));
    if (use == Use::kStream) PB_RETURN_IF_ERROR(BeginTensor(length));
    streaming_ = use == Use::kStream;
    passing_ = use == Use::kStream || use == Use::kSkip ? length : 0;
    bytes = rest;
  }
}

Status OnnxReader::CheckHead(const ProtoField& field, size_t head_bytes) const {
  const uint64_t room = ends_[level_] - position_;
  const uint64_t length = field.type == WireType::kBytes ? field.value : 0;
  if (head_bytes <= room && length <= room - head_bytes) return Done{};
  return FormatError(About("has a field of ") + length + " bytes at byte " + position_ +
                     ", which is longer than the " + room + " bytes that are left around it");
}

OnnxReader::Use OnnxReader::UseOf(const ProtoField& field) const {
  const bool bytes = field.type == WireType::kBytes;
  switch (level_) {
    case kModel:
      return bytes && field.number == kModelGraph ? Use::kEnter : Use::kSkip;
    case kGraph:
      if (bytes && field.number == kGraphInitializer) return Use::kEnter;
      return field.number == kGraphNode || field.number == kGraphSparseInitializer ? Use::kHold
                                                                                   : Use::kSkip;
    case kTensor:
      return bytes && field.number == kTensorRawData ? Use::kStream : Use::kHold;
  }
  return Use::kSkip;
}

Status OnnxReader::Enter(const ProtoField& field) {
  if (level_ == kModel && has_graph_) {
    return FormatError(Message(file_) + ": there is a second graph at byte " + position_);
  }
  level_ = level_ == kModel ? kGraph : kTensor;
  ends_[level_] = position_ + field.value;
  has_graph_ = true;
  if (level_ == kTensor) {
    nodes_complete_ = true;
    tensor_ = {};
    data_type_ = 0;
    begun_ = false;
    held_.clear();
    external_ = false;
    place_ = {};
    place_bytes_.reset();
  }
  return Done{};
}

Status OnnxReader::CloseLevels() {
  while (level_ != kModel && passing_ == 0 && position_ == ends_[level_]) {
    if (level_ == kTensor) PB_RETURN_IF_ERROR(EndTensor());
    if (level_ == kGraph) nodes_complete_ = true;
    level_ = level_ == kTensor ? kGraph : kModel;
  }
  return Done{};
}

Status OnnxReader::ReadHeld(const ProtoField& field) {
  if (level_ == kTensor) return ReadTensorField(field);
  if (field.number == kGraphSparseInitializer) {
    return UnsupportedError(Message(file_) + ": sparse initializers are not read");
  }
  if (nodes_complete_) {
    return UnsupportedError(Message(file_) + ": the node at byte " + position_ +
                            " comes after initializers; only files that have all nodes first are "
                            "read");
  }
  return ReadNode(field.bytes);
}

Status OnnxReader::ReadNode(std::span<const uint8_t> bytes) {
  OnnxNode node;
  ProtoReader reader(bytes);
  ProtoField field;
  bool sound = true;
  while (sound && reader.Next(field)) {
    switch (field.number) {
      case kNodeInput: node.inputs.push_back(TextOf(field.bytes)); break;
      case kNodeOutput: node.outputs.push_back(TextOf(field.bytes)); break;
      case kNodeName: node.name = TextOf(field.bytes); break;
      case kNodeOpType: node.op_type = TextOf(field.bytes); break;
      case kNodeDomain: node.domain = TextOf(field.bytes); break;
      case kNodeAttribute: sound = ReadAttribute(field.bytes, node); break;
      default: break;
    }
  }
  if (!sound || reader.broken()) {
    return FormatError(Message(file_) + ": the node at byte " + position_ +
                       " is no protocol buffer");
  }
  if (node.domain == "ai.onnx") node.domain.clear();
  return visitor_->OnNode(std::move(node));
}

Status OnnxReader::ReadTensorField(const ProtoField& field) {
  switch (field.number) {
    case kTensorDims: {
      const bool sound = ReadIntegers(field, [&](uint64_t dim) { tensor_.dims.push_back(dim); });
      if (sound && tensor_.dims.size() <= kMaxDims) return Done{};
      return FormatError(About("has a shape of more than ") + kMaxDims +
                         " dimensions, or a broken one");
    }
    case kTensorDataType:
      data_type_ = field.value;
      return Done{};
    case kTensorName:
      tensor_.name = TextOf(field.bytes);
      return Done{};
    case kTensorSegment:
      return UnsupportedError(About("is divided into segments, which are not read"));
    case kTensorExternal:
      return ReadExternal(field);
    case kTensorDataLocation:
      external_ = field.value != 0;
      return Done{};
    case kTensorFloats:
    case kTensorInts:
    case kTensorLongs:
    case kTensorDoubles:
    case kTensorUnsigned:
      return HoldValues(field);
    default:
      return Done{};
  }
}

// An entry, key and value, of what is said about the other file.
Status OnnxReader::ReadExternal(const ProtoField& field) {
  std::string key, value;
  ProtoReader reader(field.bytes);
  ProtoField entry;
  while (reader.Next(entry)) {
    if (entry.number == kEntryKey) key = TextOf(entry.bytes);
    if (entry.number == kEntryValue) value = TextOf(entry.bytes);
  }
  const std::optional<uint64_t> number = ReadDecimal(value);
  if (key == "location") {
    place_.location = value;
  } else if (key == "offset" || key == "length") {
    if (!number) return FormatError(About("has external data of ") + key + " \"" + value + "\"");
    if (key == "offset") place_.offset = *number;
    if (key == "length") place_bytes_ = number;
  }
  return Done{};
}

// Values that are not in raw_data: floats as they are, integers one varint each.
Status OnnxReader::HoldValues(const ProtoField& field) {
  if (begun_) return FormatError(About("has its values twice"));
  if (field.number == kTensorFloats || field.number == kTensorDoubles) {
    const size_t size = field.number == kTensorFloats ? 4 : 8;
    if (field.type == WireType::kBytes) {
      held_.insert(held_.end(), field.bytes.begin(), field.bytes.end());
    } else {
      for (size_t i = 0; i < size; ++i) {
        held_.push_back(static_cast<uint8_t>(field.value >> (8 * i)));
      }
    }
  } else {
    const std::optional<DType> dtype = DTypeOfOnnx(data_type_);
    const bool sound = dtype && ReadIntegers(field, [&](uint64_t value) {
      for (size_t i = 0; i < DTypeSize(*dtype); ++i) {
        held_.push_back(static_cast<uint8_t>(value >> (8 * i)));
      }
    });
    if (!sound) return FormatError(About("has broken values, or its type comes after them"));
  }
  if (held_.size() <= 8 * kMaxHeldBytes) return Done{};
  return UnsupportedError(About("keeps large values outside raw_data, which is not read"));
}

// All but the values is known: `data_bytes` of them follow.
Status OnnxReader::BeginTensor(uint64_t data_bytes) {
  if (begun_ || !held_.empty()) return FormatError(About("has its values twice"));
  begun_ = true;
  PB_RETURN_IF_ERROR(CheckTensor(data_bytes));
  return visitor_->OnTensor(tensor_);
}

// Finishes tensor_, whose values have `data_bytes`.
Status OnnxReader::CheckTensor(uint64_t data_bytes) {
  const std::optional<DType> dtype = DTypeOfOnnx(data_type_);
  if (tensor_.name.empty() || data_type_ == 0) {
    return UnsupportedError(Message(file_) + ": the tensor at byte " + position_ +
                            " has no name or no type before its values");
  }
  if (!dtype) {
    return UnsupportedError(About("has ONNX data type ") + data_type_ +
                            ", which is not read; expected a float type or 8-bit integers");
  }
  tensor_.dtype = *dtype;
  uint64_t elements = 1;
  for (const uint64_t dim : tensor_.dims) {
    if (dim > kMaxDim || elements > kMaxDim / std::max<uint64_t>(dim, 1)) {
      return FormatError(About("has dimension ") + dim + ", which is too large");
    }
    elements *= dim;
  }
  tensor_.bytes = elements * DTypeSize(*dtype);
  if (tensor_.bytes != data_bytes) {
    return FormatError(About("has ") + data_bytes + " bytes of values, expected " + tensor_.bytes +
                       " from its shape and type");
  }
  return Done{};
}

Status OnnxReader::EndTensor() {
  if (external_ && !begun_) {
    begun_ = true;
    PB_RETURN_IF_ERROR(CheckTensor(place_bytes_.value_or(0)));
    return visitor_->OnExternal(tensor_, place_);
  }
  if (!begun_) {
    const std::vector<uint8_t> values = std::move(held_);
    held_ = {};
    PB_RETURN_IF_ERROR(BeginTensor(values.size()));
    PB_RETURN_IF_ERROR(visitor_->OnData(values));
  }
  return visitor_->OnTensorEnd();
}

}  // namespace pocketbert
