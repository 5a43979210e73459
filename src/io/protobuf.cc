#include "io/protobuf.h"

namespace pocketbert {
namespace {

constexpr uint64_t kMaxFieldNumber = (uint64_t{1} << 29) - 1;

ProtoStatus ReadFixed(std::span<const uint8_t>& bytes, size_t size, uint64_t& value) {
  if (bytes.size() < size) return ProtoStatus::kEnds;
  value = 0;
  for (size_t i = 0; i < size; ++i) value |= uint64_t{bytes[i]} << (8 * i);
  bytes = bytes.subspan(size);
  return ProtoStatus::kRead;
}

}  // namespace

ProtoStatus ReadVarint(std::span<const uint8_t>& bytes, uint64_t& value) {
  uint64_t read = 0;
  for (size_t i = 0; i < 10; ++i) {
    if (i == bytes.size()) return ProtoStatus::kEnds;
    const uint64_t part = bytes[i] & 0x7F;
    if (i == 9 && part > 1) return ProtoStatus::kBroken;
    read |= part << (7 * i);
    if (bytes[i] < 0x80) {
      value = read;
      bytes = bytes.subspan(i + 1);
      return ProtoStatus::kRead;
    }
  }
  return ProtoStatus::kBroken;
}

ProtoStatus ReadProtoHead(std::span<const uint8_t>& bytes, ProtoField& field) {
  std::span<const uint8_t> rest = bytes;
  uint64_t key = 0;
  ProtoStatus status = ReadVarint(rest, key);
  if (status != ProtoStatus::kRead) return status;
  if (key >> 3 == 0 || key >> 3 > kMaxFieldNumber) return ProtoStatus::kBroken;
  field.number = static_cast<uint32_t>(key >> 3);
  field.type = static_cast<WireType>(key & 7);
  field.bytes = {};
  switch (field.type) {
    case WireType::kVarint:
    case WireType::kBytes:
      status = ReadVarint(rest, field.value);
      break;
    case WireType::kFixed64:
      status = ReadFixed(rest, 8, field.value);
      break;
    case WireType::kFixed32:
      status = ReadFixed(rest, 4, field.value);
      break;
    default:
      return ProtoStatus::kBroken;
  }
  if (status == ProtoStatus::kRead) bytes = rest;
  return status;
}

bool ProtoReader::Next(ProtoField& field) {
  if (rest_.empty() || broken_) return false;
  broken_ = ReadProtoHead(rest_, field) != ProtoStatus::kRead;
  if (broken_ || field.type != WireType::kBytes) return !broken_;
  broken_ = field.value > rest_.size();
  if (broken_) return false;
  field.bytes = rest_.first(static_cast<size_t>(field.value));
  rest_ = rest_.subspan(field.bytes.size());
  return true;
}

}  // namespace pocketbert
