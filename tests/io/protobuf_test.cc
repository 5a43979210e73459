// The wire format, by the examples and limits of protobuf.dev, "Encoding".

#include "io/protobuf.h"

#include <catch2/catch_amalgamated.hpp>

#include <string>
#include <vector>

namespace pocketbert {
namespace {

using Bytes = std::vector<uint8_t>;

ProtoStatus Varint(const Bytes& bytes, uint64_t& value) {
  std::span<const uint8_t> rest = bytes;
  return ReadVarint(rest, value);
}

TEST_CASE("varints") {
  uint64_t value = 0;
  CHECK((Varint({0x00}, value) == ProtoStatus::kRead && value == 0));
  CHECK((Varint({0x96, 0x01}, value) == ProtoStatus::kRead && value == 150));
  const Bytes minus_two = {0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01};
  CHECK((Varint(minus_two, value) == ProtoStatus::kRead && value == uint64_t(-2)));
  CHECK(Varint({}, value) == ProtoStatus::kEnds);
  CHECK(Varint({0x96}, value) == ProtoStatus::kEnds);
  CHECK(Varint(Bytes(9, 0xFF), value) == ProtoStatus::kEnds);
  CHECK(Varint(Bytes(10, 0xFF), value) == ProtoStatus::kBroken);
  CHECK(Varint({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}, value) ==
        ProtoStatus::kBroken);
}

TEST_CASE("a varint leaves the bytes behind it") {
  const Bytes bytes = {0x96, 0x01, 0x07};
  std::span<const uint8_t> rest = bytes;
  uint64_t value = 0;
  REQUIRE(ReadVarint(rest, value) == ProtoStatus::kRead);
  CHECK(rest.size() == 1);
  CHECK(rest[0] == 7);
}

TEST_CASE("fields of all wire types") {
  const Bytes message = {0x08, 0x96, 0x01,                                     // 1: 150
                         0x12, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g',        // 2: "testing"
                         0x1D, 0x01, 0x02, 0x03, 0x04,                         // 3: 0x04030201
                         0x21, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80};  // 4: 2^63 + 1
  ProtoReader reader(message);
  ProtoField field;
  REQUIRE(reader.Next(field));
  CHECK((field.number == 1 && field.value == 150));
  REQUIRE(reader.Next(field));
  CHECK(field.number == 2);
  CHECK(std::string(field.bytes.begin(), field.bytes.end()) == "testing");
  REQUIRE(reader.Next(field));
  CHECK((field.number == 3 && field.value == 0x04030201));
  REQUIRE(reader.Next(field));
  CHECK((field.number == 4 && field.value == (uint64_t{1} << 63) + 1));
  CHECK_FALSE(reader.Next(field));
  CHECK_FALSE(reader.broken());
}

TEST_CASE("broken messages end with broken()") {
  const Bytes messages[] = {
      {0x00, 0x01},              // field 0
      {0x0B},                    // a group begins
      {0x0F, 0x00},              // wire type 7
      {0x12, 0x03, 'a', 'b'},    // shorter than it says
      {0x12},                    // no length
      {0x1D, 0x01, 0x02, 0x03},  // 3 bytes of 4
      {0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01},
      {0xF8, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x00},  // a field number above 2^29 - 1
  };
  for (const Bytes& message : messages) {
    ProtoReader reader(message);
    ProtoField field;
    CHECK_FALSE(reader.Next(field));
    CHECK(reader.broken());
    CHECK_FALSE(reader.Next(field));
  }
}

}  // namespace
}  // namespace pocketbert
