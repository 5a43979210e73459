#include "io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/json.h"
#include "base/sort.h"

namespace pocketbert {
namespace {

// The format's own limit for N.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kMaxRank = 16;
constexpr size_t kDataAlignment = 64;

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string OffsetsText(const TensorInfo& tensor) {
  return "[" + std::to_string(tensor.begin) + ", " + std::to_string(tensor.end) + "]";
}

// `file: tensor NAME: ` in front of what is wrong with it.
std::string TensorPrefix(std::string_view file, std::string_view tensor) {
  return std::string(file) + ": tensor " + std::string(tensor) + ": ";
}

uint64_t ReadLength(std::span<const uint8_t> bytes) {
  uint64_t length;
  std::memcpy(&length, bytes.data(), sizeof(length));
  return length;
}

// A page of a server that answers "not found" with success begins like this.
bool LooksLikeMarkup(std::span<const uint8_t> bytes) {
  size_t i = 0;
  while (i < bytes.size() && (bytes[i] == ' ' || bytes[i] == '\n' || bytes[i] == '\r')) ++i;
  return i + 1 < bytes.size() && bytes[i] == '<' && (bytes[i + 1] == '!' || bytes[i + 1] >= 'A');
}

// a * b, or nothing if it does not fit.
std::optional<uint64_t> Product(uint64_t a, uint64_t b) {
  uint64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

Status ReadShape(std::string_view prefix, Json entry, TensorInfo& tensor) {
  PB_ASSIGN_OR_RETURN(const Json shape, entry.GetArray("shape"));
  if (shape.size() > kMaxRank) {
    return FormatError(Message(prefix) + "shape has " + shape.size() +
                       " dimensions, expected at most " + kMaxRank);
  }
  for (const Json dimension : shape.Items()) {
    PB_ASSIGN_OR_RETURN(const int64_t value, dimension.AsInt(0));
    tensor.shape.push_back(static_cast<uint64_t>(value));
  }
  return Done{};
}

Status ReadOffsets(std::string_view prefix, Json entry, TensorInfo& tensor) {
  PB_ASSIGN_OR_RETURN(const Json offsets, entry.GetArray("data_offsets"));
  uint64_t* const targets[] = {&tensor.begin, &tensor.end};
  if (offsets.size() != 2) {
    return FormatError(Message(prefix) + "data_offsets has " + offsets.size() +
                       " numbers, expected 2");
  }
  size_t i = 0;
  for (const Json offset : offsets.Items()) {
    PB_ASSIGN_OR_RETURN(const int64_t value, offset.AsInt(0));
    *targets[i++] = static_cast<uint64_t>(value);
  }
  if (tensor.begin > tensor.end) {
    return FormatError(Message(prefix) + "data_offsets " + OffsetsText(tensor) +
                       " end before they begin");
  }
  return Done{};
}

Result<TensorInfo> ReadTensor(std::string_view file, std::string_view name, Json entry) {
  const std::string prefix = TensorPrefix(file, name);
  if (!entry.is_object()) return entry.ErrorExpected("an object with dtype, shape, data_offsets");
  TensorInfo tensor;
  tensor.name = std::string(name);
  PB_ASSIGN_OR_RETURN(const std::string_view dtype_name, entry.GetString("dtype"));
  const std::optional<DType> dtype = DTypeFromName(dtype_name);
  if (!dtype) {
    return UnsupportedError(Message(prefix) + "dtype is " + Quoted(dtype_name) +
                            ", expected one of " + DTypeNames());
  }
  tensor.dtype = *dtype;
  PB_RETURN_IF_ERROR(ReadShape(prefix, entry, tensor));
  PB_RETURN_IF_ERROR(ReadOffsets(prefix, entry, tensor));
  std::optional<uint64_t> bytes = DTypeSize(*dtype);
  for (const uint64_t dimension : tensor.shape) {
    if (bytes) bytes = Product(*bytes, dimension);
  }
  if (!bytes || *bytes != tensor.bytes()) {
    return FormatError(Message(prefix) + "shape " + ShapeText(tensor.shape) + " of " + dtype_name +
                       " is " + (bytes ? std::to_string(*bytes) : "more than 2^64") +
                       " bytes, but data_offsets " + OffsetsText(tensor) + " hold " +
                       tensor.bytes());
  }
  return tensor;
}

Status ReadMetadata(Json value, SafetensorsHeader& header) {
  if (!value.is_object()) return value.ErrorExpected("an object of strings");
  for (const auto [key, text] : value.Members()) {
    PB_ASSIGN_OR_RETURN(const std::string_view string, text.AsString());
    header.metadata.emplace_back(key, string);
  }
  return Done{};
}

// The tensors must follow each other without gap or overlap and fill the data section.
Status CheckCover(std::string_view file, const SafetensorsHeader& header,
                  std::optional<uint64_t> file_bytes) {
  uint64_t position = 0;
  const TensorInfo* previous = nullptr;
  for (const TensorInfo& tensor : header.tensors) {
    if (tensor.begin != position) {
      const bool overlap = tensor.begin < position;
      return FormatError(Message(TensorPrefix(file, tensor.name)) + "data_offsets " +
                         OffsetsText(tensor) + (overlap ? " overlap " : " leave a gap after ") +
                         (previous == nullptr ? std::string("the beginning of the data")
                                              : "tensor " + previous->name + " with data_offsets " +
                                                    OffsetsText(*previous)));
    }
    position = tensor.end;
    previous = &tensor;
  }
  if (!file_bytes) return Done{};
  const uint64_t available = *file_bytes - header.data_start;
  if (position > available) {
    return FormatError(Message(file) + ": the file is truncated: its tensors end at byte " +
                       (header.data_start + position) + ", but its size is " + *file_bytes +
                       " bytes (the first tensor beyond: " +
                       std::find_if(header.tensors.begin(), header.tensors.end(),
                                    [&](const TensorInfo& t) { return t.end > available; })
                           ->name +
                       ")");
  }
  if (position < available) {
    return FormatError(Message(file) + ": the size is " + *file_bytes +
                       " bytes, but its tensors end at byte " + (header.data_start + position));
  }
  return Done{};
}

}  // namespace

std::string ShapeText(std::span<const uint64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

const TensorInfo* SafetensorsHeader::Find(std::string_view name) const {
  for (const TensorInfo& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

std::optional<std::string_view> SafetensorsHeader::Metadata(std::string_view key) const {
  for (const auto& [name, value] : metadata) {
    if (name == key) return value;
  }
  return std::nullopt;
}

Result<uint64_t> SafetensorsDataStart(std::string_view file, std::span<const uint8_t> first_bytes,
                                      std::optional<uint64_t> file_bytes) {
  const std::string prefix = std::string(file) + ": not a safetensors file: ";
  if (LooksLikeMarkup(first_bytes)) {
    return FormatError(Message(prefix) +
                       "it begins like a web page, not with the length of a header");
  }
  if (first_bytes.size() < kSafetensorsLengthBytes) {
    return FormatError(Message(prefix) + "its size is " + first_bytes.size() +
                       " bytes, too short for a header");
  }
  const uint64_t length = ReadLength(first_bytes);
  const std::string found = prefix + "the length of its header is " + std::to_string(length);
  if (length < 2 || length > kMaxHeaderBytes) {
    return FormatError(Message(found) + ", expected 2 to " + kMaxHeaderBytes);
  }
  if (file_bytes &&
      (*file_bytes < kSafetensorsLengthBytes || length > *file_bytes - kSafetensorsLengthBytes)) {
    return FormatError(Message(found) + ", but the size of the file is " + *file_bytes + " bytes");
  }
  return kSafetensorsLengthBytes + length;
}

Result<SafetensorsHeader> ParseSafetensorsHeader(std::string_view file,
                                                 std::span<const uint8_t> bytes,
                                                 std::optional<uint64_t> file_bytes) {
  SafetensorsHeader header;
  PB_ASSIGN_OR_RETURN(header.data_start, SafetensorsDataStart(file, bytes, file_bytes));
  if (bytes.size() < header.data_start) {
    return FormatError(Message(file) + ": the header is cut off: it is " + header.data_start +
                       " bytes long, found " + bytes.size());
  }
  const std::string_view json_text(
      reinterpret_cast<const char*>(bytes.data()) + kSafetensorsLengthBytes,
      static_cast<size_t>(header.data_start) - kSafetensorsLengthBytes);
  PB_ASSIGN_OR_RETURN(const JsonDocument document,
                      ParseJson(json_text, std::string(file) + " header"));
  const Json root = document.root();
  if (!root.is_object()) return root.ErrorExpected("an object of tensors");
  if (const auto duplicate = root.DuplicateKey()) {
    return FormatError(Message(file) + ": the header names tensor " + *duplicate + " twice");
  }
  for (const auto [name, entry] : root.Members()) {
    if (name == "__metadata__") {
      PB_RETURN_IF_ERROR(ReadMetadata(entry, header));
      continue;
    }
    PB_ASSIGN_OR_RETURN(TensorInfo tensor, ReadTensor(file, name, entry));
    header.tensors.push_back(std::move(tensor));
  }
  SortStably(header.tensors, [](const TensorInfo& a, const TensorInfo& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  PB_RETURN_IF_ERROR(CheckCover(file, header, file_bytes));
  header.data_bytes = header.tensors.empty() ? 0 : header.tensors.back().end;
  return header;
}

std::vector<uint8_t> EncodeSafetensorsHeader(const SafetensorsHeader& header, size_t min_bytes) {
  JsonWriter writer;
  writer.BeginObject();
  if (!header.metadata.empty()) {
    writer.Key("__metadata__").BeginObject();
    for (const auto& [key, value] : header.metadata) writer.Key(key).String(value);
    writer.EndObject();
  }
  for (const TensorInfo& tensor : header.tensors) {
    writer.Key(tensor.name).BeginObject();
    writer.Key("dtype").String(DTypeName(tensor.dtype));
    writer.Key("shape").BeginArray();
    for (const uint64_t dimension : tensor.shape) writer.Int(static_cast<int64_t>(dimension));
    writer.EndArray().Key("data_offsets").BeginArray();
    writer.Int(static_cast<int64_t>(tensor.begin)).Int(static_cast<int64_t>(tensor.end));
    writer.EndArray().EndObject();
  }
  writer.EndObject();
  const std::string& text = writer.text();
  size_t total = std::max(kSafetensorsLengthBytes + text.size(), min_bytes);
  total = (total + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
  std::vector<uint8_t> bytes(total, static_cast<uint8_t>(' '));
  const uint64_t length = total - kSafetensorsLengthBytes;
  std::memcpy(bytes.data(), &length, sizeof(length));
  std::memcpy(bytes.data() + kSafetensorsLengthBytes, text.data(), text.size());
  return bytes;
}

void PlanSafetensorsOffsets(SafetensorsHeader& header) {
  // 0 for whole cache lines, then by falling element size.
  const auto rank = [](const TensorInfo& tensor) {
    return tensor.end % kDataAlignment == 0 ? size_t{0} : 16 - DTypeSize(tensor.dtype);
  };
  for (TensorInfo& tensor : header.tensors) {
    tensor.begin = 0;
    tensor.end = DTypeSize(tensor.dtype);
    for (const uint64_t dimension : tensor.shape) tensor.end *= dimension;
  }
  SortStably(header.tensors,
             [&](const TensorInfo& a, const TensorInfo& b) { return rank(a) < rank(b); });
  uint64_t position = 0;
  for (TensorInfo& tensor : header.tensors) {
    tensor.begin = position;
    tensor.end += position;
    position = tensor.end;
  }
  header.data_bytes = position;
}

Result<TensorFile> TensorFile::FromBytes(std::string name, ByteBlock bytes) {
  TensorFile file;
  file.name_ = std::move(name);
  file.block_ = std::move(bytes);
  PB_ASSIGN_OR_RETURN(file.header_,
                      ParseSafetensorsHeader(file.name_, file.block_.bytes(), file.block_.size()));
  return file;
}

std::span<const uint8_t> TensorFile::TensorBytes(const TensorInfo& tensor) const {
  PB_CHECK(tensor.end <= header_.data_bytes);
  return block_.bytes().subspan(static_cast<size_t>(header_.data_start + tensor.begin),
                                static_cast<size_t>(tensor.bytes()));
}

std::span<uint8_t> TensorFile::MutableTensorBytes(const TensorInfo& tensor) {
  PB_CHECK(tensor.end <= header_.data_bytes);
  return block_.bytes().subspan(static_cast<size_t>(header_.data_start + tensor.begin),
                                static_cast<size_t>(tensor.bytes()));
}

}  // namespace pocketbert
