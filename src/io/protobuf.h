#pragma once
// Protocol buffers: the fields of a message, out of bytes that may end anywhere.
//
//   08 96 01        field 1, a varint: 150
//   12 03 61 62 63  field 2, 3 bytes: "abc"
//
// (format: protobuf.dev, "Encoding".) Groups, which nothing writes any more, are refused. There is a
// reader here because libraries want the whole message in memory, and an exception to report a broken
// one; an ONNX file has hundreds of megabytes and comes from anywhere.

#include <cstddef>
#include <cstdint>
#include <span>

namespace pocketbert {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// The longest beginning of a field: its key and a varint.
inline constexpr size_t kMaxProtoHeadBytes = 20;

struct ProtoField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  // The number itself; of kBytes their length.
  uint64_t value = 0;
  // kBytes, from ProtoReader only.
  std::span<const uint8_t> bytes;
};

enum class ProtoStatus {
  kRead,
  kEnds,    // the bytes end within it
  kBroken,  // no protocol buffer: a varint beyond 64 bits, field number 0, an unknown wire type
};

// Reads a varint at the front of `bytes` and, if it is there, moves past it.
ProtoStatus ReadVarint(std::span<const uint8_t>& bytes, uint64_t& value);

// The same for the beginning of a field: all of it, except the bytes of kBytes.
ProtoStatus ReadProtoHead(std::span<const uint8_t>& bytes, ProtoField& field);

// The fields of a message that is in memory, in order:
//   ProtoReader reader(message);
//   while (reader.Next(field)) …
//   if (reader.broken()) …
class ProtoReader {
 public:
  explicit ProtoReader(std::span<const uint8_t> message) : rest_(message) {}

  // False at the end, or where the message is broken.
  bool Next(ProtoField& field);
  bool broken() const { return broken_; }

 private:
  std::span<const uint8_t> rest_;
  bool broken_ = false;
};

}  // namespace pocketbert
