#include "io/safetensors.h"

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch_amalgamated.hpp>
#include "support/safetensors_builder.h"

namespace pocketbert {
namespace {

using testing::Bytes;
using testing::SafetensorsBuilder;
using testing::SafetensorsFile;

Result<SafetensorsHeader> Parse(const Bytes& file) {
  return ParseSafetensorsHeader("model.safetensors", file, file.size());
}

// The message of the error that parsing gives; it always names the file.
std::string Message(const Bytes& file) {
  const auto header = Parse(file);
  REQUIRE_FALSE(header.ok());
  CHECK(header.error().message.find("model.safetensors") == 0);
  return header.error().message;
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

#define CHECK_MESSAGE_HAS(file, part)          \
  do {                                         \
    const std::string message = Message(file); \
    INFO(message);                             \
    CHECK(Has(message, part));                 \
  } while (false)

// One tensor "a" with these three members, over `data_bytes` bytes.
Bytes OneTensor(std::string_view dtype, std::string_view shape, std::string_view offsets,
                size_t data_bytes) {
  return SafetensorsFile("{\"a\":{\"dtype\":" + std::string(dtype) +
                             ",\"shape\":" + std::string(shape) +
                             ",\"data_offsets\":" + std::string(offsets) + "}}",
                         Bytes(data_bytes));
}

Bytes ReadFixture(const std::string& path) {
  std::ifstream file(POCKETBERT_SOURCE_DIR "/tests/cases/hand/fixtures/" + path, std::ios::binary);
  REQUIRE(file.good());
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

TEST_CASE("a sound header gives its tensors in the order of their bytes") {
  const Bytes file =
      SafetensorsFile(R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[3,11]},)"
                      R"("__metadata__":{"format":"pt","x":"y"},)"
                      R"("a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                      R"("empty":{"dtype":"F16","shape":[0,7],"data_offsets":[11,11]},)"
                      R"("scalar":{"dtype":"F64","shape":[],"data_offsets":[11,19]}}  )",
                      Bytes(19));
  const auto header = Parse(file);
  REQUIRE(header.ok());
  const auto& tensors = header.value().tensors;
  REQUIRE(tensors.size() == 4);
  CHECK(tensors[0].name == "a");
  CHECK(tensors[1].name == "b");
  CHECK(tensors[2].name == "empty");
  CHECK(tensors[3].name == "scalar");
  CHECK(tensors[1].dtype == DType::kF32);
  CHECK(tensors[1].shape == std::vector<uint64_t>{2});
  CHECK(tensors[1].elements() == 2);
  CHECK(tensors[3].elements() == 1);
  CHECK(header.value().data_start == file.size() - 19);
  CHECK(header.value().data_bytes == 19);
  CHECK(header.value().Metadata("x") == "y");
  CHECK_FALSE(header.value().Metadata("z").has_value());
  CHECK(header.value().Find("b") == &tensors[1]);
  CHECK(header.value().Find("c") == nullptr);
}

TEST_CASE("the fixtures' files are sound") {
  for (const char* path :
       {"enc/model.safetensors", "enc-weights/unaligned.safetensors",
        "enc-weights/half.safetensors", "enc-weights/model-00001-of-00002.safetensors"}) {
    const Bytes file = ReadFixture(path);
    const auto header = ParseSafetensorsHeader(path, file, file.size());
    REQUIRE(header.ok());
    CHECK(header.value().file_bytes() == file.size());
  }
}

TEST_CASE("the length of the header is checked before anything is read") {
  CHECK_MESSAGE_HAS(Bytes{}, "size is 0 bytes, too short for a header");
  CHECK_MESSAGE_HAS(Bytes(7), "size is 7 bytes, too short for a header");
  CHECK_MESSAGE_HAS(Bytes(8), "length of its header is 0");
  Bytes file = SafetensorsFile("{}", {});
  file[0] = 3;
  CHECK_MESSAGE_HAS(file, "length of its header is 3, but the size of the file is 10 bytes");
  file[7] = 0xFF;
  CHECK_MESSAGE_HAS(file, "expected 2 to 100000000");
  const std::string page = "<!DOCTYPE html><html><body>404 not found</body></html>\n";
  CHECK_MESSAGE_HAS(Bytes(page.begin(), page.end()), "web page");
  CHECK_MESSAGE_HAS((Bytes{'\n', ' ', '<', 'h', 't', 'm', 'l', '>'}), "web page");
}

TEST_CASE("a header that is no JSON object of tensors is refused") {
  CHECK_MESSAGE_HAS(SafetensorsFile("X}", {}), "header");
  CHECK_MESSAGE_HAS(SafetensorsFile("[]", {}), "expected an object of tensors");
  CHECK_MESSAGE_HAS(SafetensorsFile("{} x", {}), "header");
  CHECK_MESSAGE_HAS(SafetensorsFile("{\"\xFF\":1}", {}), "header");
  CHECK_MESSAGE_HAS(SafetensorsFile("{\"a\":1}", {}), "expected an object with dtype");
  CHECK_MESSAGE_HAS(SafetensorsFile("{\"__metadata__\":{\"a\":1}}", {}), "expected a string");
  CHECK_MESSAGE_HAS(SafetensorsFile("{\"__metadata__\":[]}", {}), "expected an object of strings");
  std::string deep = "{\"a\":";
  deep.append(5000, '[');
  CHECK_MESSAGE_HAS(SafetensorsFile(deep, {}), "header");
}

TEST_CASE("two tensors of one name are refused") {
  CHECK_MESSAGE_HAS(SafetensorsFile(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                    R"("a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                                    Bytes(2)),
                    "tensor a twice");
}

TEST_CASE("dtype, shape and offsets of a tensor are checked against each other") {
  CHECK(Parse(OneTensor("\"F32\"", "[2,1]", "[0,8]", 8)).ok());
  CHECK_MESSAGE_HAS(OneTensor("\"F99\"", "[2]", "[0,8]", 8),
                    "dtype is \"F99\", expected one of BOOL");
  CHECK_MESSAGE_HAS(OneTensor("7", "[2]", "[0,8]", 8), "dtype");
  CHECK_MESSAGE_HAS(OneTensor("\"F32\"", "[3]", "[0,8]", 8),
                    "tensor a: shape [3] of F32 is 12 bytes, but data_offsets [0, 8] hold 8");
  CHECK_MESSAGE_HAS(OneTensor("\"F32\"", "2", "[0,8]", 8), "shape");
  CHECK_MESSAGE_HAS(OneTensor("\"F32\"", "[-2]", "[0,8]", 8), "shape");
  CHECK_MESSAGE_HAS(OneTensor("\"F32\"", "[2.5]", "[0,8]", 8), "shape");
  CHECK_MESSAGE_HAS(OneTensor("\"F32\"", "[99999999999999999999]", "[0,8]", 8), "shape");
  CHECK_MESSAGE_HAS(OneTensor("\"F32\"", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]", "[0,8]", 8),
                    "17 dimensions, expected at most 16");
  CHECK_MESSAGE_HAS(OneTensor("\"F32\"", "[2]", "[8,0]", 8), "data_offsets [8, 0] end before");
  CHECK_MESSAGE_HAS(OneTensor("\"F32\"", "[2]", "[0]", 8), "data_offsets has 1 numbers");
  CHECK_MESSAGE_HAS(OneTensor("\"F32\"", "[2]", "[0,8,9]", 8), "data_offsets has 3 numbers");
  CHECK_MESSAGE_HAS(OneTensor("\"F32\"", "[2]", "\"x\"", 8), "data_offsets");
  CHECK_MESSAGE_HAS(OneTensor("\"F32\"", "[2]", "[-8,0]", 8), "data_offsets");
}

TEST_CASE("products of a shape that overflow are refused") {
  // 2^32 * 2^32 = 2^64 would wrap to 0, (2^62 + 2) * 4 to 8.
  CHECK_MESSAGE_HAS(OneTensor("\"U8\"", "[4294967296,4294967296]", "[0,0]", 0), "more than 2^64");
  CHECK_MESSAGE_HAS(OneTensor("\"F32\"", "[4611686018427387906]", "[0,8]", 8), "more than 2^64");
}

TEST_CASE("gaps, overlaps and a wrong end are refused") {
  const auto two = [](std::string_view second, size_t data_bytes) {
    return SafetensorsFile(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                           R"("b":{"dtype":"U8","shape":[4],"data_offsets":)" +
                               std::string(second) + "}}",
                           Bytes(data_bytes));
  };
  CHECK(Parse(two("[4,8]", 8)).ok());
  CHECK_MESSAGE_HAS(two("[3,7]", 8), "tensor b: data_offsets [3, 7] overlap tensor a");
  CHECK_MESSAGE_HAS(two("[5,9]", 9), "tensor b: data_offsets [5, 9] leave a gap after tensor a");
  CHECK_MESSAGE_HAS(two("[0,4]", 4), "overlap");
  CHECK_MESSAGE_HAS(OneTensor("\"U8\"", "[4]", "[2,6]", 6), "gap after the beginning");
  const std::string short_file = Message(two("[4,8]", 7));
  INFO(short_file);
  CHECK(Has(short_file, "truncated"));
  CHECK(Has(short_file, "beyond: b"));
  CHECK_MESSAGE_HAS(two("[4,8]", 9), "size is");
  CHECK_MESSAGE_HAS(SafetensorsFile("{}", Bytes(1)), "size is 11 bytes");
}

TEST_CASE("an unknown file size leaves the end to the header") {
  const Bytes file = OneTensor("\"F32\"", "[2]", "[0,8]", 0);
  const auto header = ParseSafetensorsHeader("m", file, std::nullopt);
  REQUIRE(header.ok());
  CHECK(header.value().file_bytes() == file.size() + 8);
  const auto cut = ParseSafetensorsHeader("m", std::span(file).first(20), std::nullopt);
  REQUIRE_FALSE(cut.ok());
  CHECK(Has(cut.error().message, "header is cut off"));
  CHECK(SafetensorsDataStart("m", std::span(file).first(8), std::nullopt).value() == file.size());
}

TEST_CASE("a planned layout has no gaps and aligned tensors, and reads back") {
  SafetensorsHeader header;
  const auto add = [&](const char* name, DType dtype, std::vector<uint64_t> shape) {
    header.tensors.push_back({name, dtype, std::move(shape), 0, 0});
  };
  add("bytes", DType::kU8, {7});
  add("odd floats", DType::kF32, {3});
  add("line of floats", DType::kF32, {16});
  add("halves", DType::kF16, {3});
  add("doubles", DType::kF64, {1});
  add("matrix", DType::kI8, {8, 8});
  add("nothing", DType::kF32, {0});
  header.metadata = {{"format", "x"}, {"quote", "\"\n\\ü"}};
  PlanSafetensorsOffsets(header);
  const std::vector<uint8_t> encoded = EncodeSafetensorsHeader(header);
  CHECK(encoded.size() % 64 == 0);
  Bytes file = encoded;
  file.resize(file.size() + header.data_bytes);
  CHECK(header.data_bytes == 7 + 12 + 64 + 6 + 8 + 64);

  const auto parsed = Parse(file);
  REQUIRE(parsed.ok());
  CHECK(parsed.value().metadata == header.metadata);
  REQUIRE(parsed.value().tensors.size() == header.tensors.size());
  for (const TensorInfo& tensor : parsed.value().tensors) {
    INFO(tensor.name);
    CHECK(tensor.begin % DTypeSize(tensor.dtype) == 0);
    if (tensor.bytes() % 64 == 0 && tensor.bytes() != 0) CHECK(tensor.begin % 64 == 0);
  }
}

TEST_CASE("a header is padded to the length asked for") {
  const SafetensorsHeader empty;
  CHECK(EncodeSafetensorsHeader(empty).size() == 64);
  CHECK(EncodeSafetensorsHeader(empty, 65).size() == 128);
  CHECK(Parse(EncodeSafetensorsHeader(empty, 1000)).ok());
}

TEST_CASE("a file in memory gives the bytes of its tensors") {
  const Bytes bytes =
      SafetensorsBuilder().Add("a", "U8", {3}, {1, 2, 3}).Add("b", "U8", {2}, {4, 5}).Build();
  auto block = ByteBlock::Create(bytes.size(), "m");
  REQUIRE(block.ok());
  CHECK(reinterpret_cast<uintptr_t>(block.value().data()) % 64 == 0);
  std::memcpy(block.value().data(), bytes.data(), bytes.size());
  const uint8_t* const address = block.value().data();
  auto opened = TensorFile::FromBytes("m", std::move(block).value());
  REQUIRE(opened.ok());
  TensorFile file = std::move(opened).value();
  CHECK(file.bytes().data() == address);
  const auto b = file.TensorBytes(*file.header().Find("b"));
  CHECK(Bytes(b.begin(), b.end()) == Bytes{4, 5});
  file.MutableTensorBytes(*file.header().Find("a"))[2] = 9;
  CHECK(file.TensorBytes(*file.header().Find("a"))[2] == 9);
}

TEST_CASE("memory that cannot be had is an error, not a crash") {
  const auto block = ByteBlock::Create(uint64_t{1} << 62, "huge.safetensors");
  REQUIRE_FALSE(block.ok());
  CHECK(block.error().code == ErrorCode::kOutOfMemory);
  CHECK(Has(block.error().message, "huge.safetensors"));
}

}  // namespace
}  // namespace pocketbert
