// What an ONNX file holds, in the order in which it comes, and what is refused.

#include "io/onnx.h"

#include <catch2/catch_amalgamated.hpp>

#include <map>
#include <sstream>

#include "support/onnx_builder.h"

namespace pocketbert {
namespace {

using namespace testing;

// Everything a reader says, as text.
class Transcript final : public OnnxVisitor {
 public:
  std::string text;

  Status OnNode(OnnxNode node) override {
    text += "node " + node.op_type + " " + node.name + "\n";
    return Done{};
  }
  Status OnTensor(const OnnxTensor& tensor) override {
    text += "tensor " + tensor.name + " " + std::string(DTypeName(tensor.dtype));
    for (const uint64_t dim : tensor.dims) text += " " + std::to_string(dim);
    text += ":";
    return Done{};
  }
  Status OnData(std::span<const uint8_t> bytes) override {
    for (const uint8_t byte : bytes) text += " " + std::to_string(byte);
    return Done{};
  }
  Status OnTensorEnd() override {
    text += "\n";
    return Done{};
  }
  Status OnExternal(const OnnxTensor& tensor, const OnnxPlace& place) override {
    text += "external " + tensor.name + " " + std::to_string(tensor.bytes) + " in " +
            place.location + " from " + std::to_string(place.offset) + "\n";
    return Done{};
  }
};

// The transcript, or the error.
std::string Read(const std::string& file, size_t chunk = size_t{1} << 30) {
  Transcript transcript;
  OnnxReader reader("m.onnx", transcript);
  for (size_t at = 0; at < file.size();) {
    const std::string_view piece = std::string_view(file).substr(at, chunk);
    const Status status =
        reader.Feed({reinterpret_cast<const uint8_t*>(piece.data()), piece.size()});
    if (!status.ok()) {
      return std::string(ErrorCodeName(status.error().code)) + ": " + status.error().message;
    }
    at += piece.size();
  }
  const Status status = reader.Finish();
  return status.ok() ? transcript.text : "error: " + status.error().message;
}

std::string OneTensor(const std::string& tensor) { return OnnxFile({}, {tensor}); }

TEST_CASE("nodes and tensors come in order, whatever the chunks") {
  const std::string file =
      OnnxFile({Node("MatMul", "/a/MatMul", {"x", "w"}, "y"), Node("Add", "/a/Add", {"y", "b"}, "z")},
               {RawTensor("w", kOnnxInt8, {2, 3}, "\1\2\3\4\5\6"),
                RawTensor("b", kOnnxUint8, {}, "\7")});
  const std::string expected =
      "node MatMul /a/MatMul\nnode Add /a/Add\n"
      "tensor w I8 2 3: 1 2 3 4 5 6\ntensor b U8: 7\n";
  for (const size_t chunk : {1, 2, 3, 5, 16, 1000}) CHECK(Read(file, chunk) == expected);
}

TEST_CASE("what a node says") {
  struct Last final : OnnxVisitor {
    OnnxNode node;
    Status OnNode(OnnxNode read) override {
      node = std::move(read);
      return Done{};
    }
    Status OnTensor(const OnnxTensor&) override { return Done{}; }
    Status OnData(std::span<const uint8_t>) override { return Done{}; }
    Status OnTensorEnd() override { return Done{}; }
    Status OnExternal(const OnnxTensor&, const OnnxPlace&) override { return Done{}; }
  } last;
  const std::string file = OnnxFile(
      {Node("Gemm", "n", {"a", "", "c"}, "d",
            {.axis = -1, .trans_b = 1, .perm = {1, 0}, .domain = "com.microsoft"})},
      {});
  OnnxReader reader("m.onnx", last);
  REQUIRE(reader.Feed({reinterpret_cast<const uint8_t*>(file.data()), file.size()}).ok());
  CHECK(reader.nodes_complete());
  CHECK(last.node.op_type == "Gemm");
  CHECK(last.node.name == "n");
  CHECK(last.node.domain == "com.microsoft");
  CHECK(last.node.inputs == std::vector<std::string>{"a", "", "c"});
  CHECK(last.node.outputs == std::vector<std::string>{"d"});
  CHECK(last.node.axis == -1);
  CHECK(last.node.trans_b);
  CHECK(last.node.perm == std::vector<int64_t>{1, 0});
}

TEST_CASE("values outside raw_data") {
  const std::vector<float> floats = {1.5f, -2.0f};
  const std::string as_raw = Read(OneTensor(RawTensor("t", kOnnxFloat, {2}, BytesOf(floats))));
  ProtoWriter packed = TensorHead("t", kOnnxFloat, {2});
  packed.Bytes(4, BytesOf(floats));
  CHECK(Read(OneTensor(packed.text())) == as_raw);
  ProtoWriter single = TensorHead("t", kOnnxFloat, {2});
  single.Fixed32(4, 0x3FC00000).Fixed32(4, 0xC0000000);
  CHECK(Read(OneTensor(single.text())) == as_raw);
  ProtoWriter integers = TensorHead("t", kOnnxInt8, {3});
  integers.Bytes(5, ProtoWriter().Raw(1).Raw(uint64_t(-2)).Raw(127).text());
  CHECK(Read(OneTensor(integers.text())) == "tensor t I8 3: 1 254 127\n");
  ProtoWriter longs = TensorHead("t", 7, {1});
  longs.Varint(7, 258);
  CHECK(Read(OneTensor(longs.text())) == "tensor t I64 1: 2 1 0 0 0 0 0 0\n");
  ProtoWriter dims;
  dims.Bytes(1, ProtoWriter().Raw(1).Raw(2).text());  // packed
  dims.Varint(2, kOnnxUint8).Bytes(8, "t").Bytes(9, "ab");
  CHECK(Read(OneTensor(dims.text())) == "tensor t U8 1 2: 97 98\n");
}

TEST_CASE("values in another file") {
  CHECK(Read(OneTensor(External("w", {2, 3}, "m.onnx_data", "4096", "24"))) ==
        "external w 24 in m.onnx_data from 4096\n");
}

TEST_CASE("every length of a file short of the whole is refused or incomplete") {
  const std::string file = OnnxFile({Node("Add", "n", {"a"}, "b")},
                                    {RawTensor("w", kOnnxInt8, {2, 3}, "\1\2\3\4\5\6")});
  REQUIRE(Read(file).starts_with("node"));
  // From 4 bytes on less than the end a whole graph is there: opset_import is not missed.
  for (size_t length = 0; length + 4 < file.size(); ++length) {
    INFO(length);
    CHECK(Read(file.substr(0, length)).starts_with("error: m.onnx: "));
  }
}

TEST_CASE("what is wrong is named") {
  using Catch::Matchers::ContainsSubstring;
  const auto check = [](const std::string& file, const std::string& code, const std::string& what) {
    INFO(what);
    CHECK_THAT(Read(file), ContainsSubstring(code) && ContainsSubstring(what));
    CHECK_THAT(Read(file, 1), ContainsSubstring(code) && ContainsSubstring(what));
  };
  check("<!doctype html>", "format", "no ONNX file");
  check(ProtoWriter().Varint(1, 8).text(), "error", "holds no graph");
  check(OneTensor(RawTensor("w", kOnnxFloat, {2, 3}, "12345678")), "format",
        "tensor w has 8 bytes of values, expected 24");
  check(OneTensor(RawTensor("w", kOnnxInt8, {uint64_t{1} << 41}, "1")), "format", "too large");
  check(OneTensor(RawTensor("w", kOnnxInt8, {1 << 21, 1 << 21}, "1")), "format", "too large");
  check(OneTensor(RawTensor("w", kOnnxInt8, std::vector<uint64_t>(9, 1), "1")), "format",
        "more than 8 dimensions");
  check(OneTensor(RawTensor("w", 22, {1}, "1")), "unsupported", "ONNX data type 22");
  check(OneTensor(RawTensor("", kOnnxInt8, {1}, "1")), "unsupported", "no name");
  check(OneTensor(TensorHead("w", kOnnxInt8, {1}).Bytes(9, "1").Bytes(9, "1").text()), "format",
        "twice");
  check(OneTensor(TensorHead("w", kOnnxInt8, {1}).Varint(5, 1).Bytes(9, "1").text()), "format",
        "twice");
  check(OneTensor(ProtoWriter().Bytes(9, "1").Varint(2, 3).Bytes(8, "w").text()), "unsupported",
        "no name or no type before its values");
  check(OneTensor(External("w", {1}, "m_data", "0", "8")), "format",
        "tensor w has 8 bytes of values, expected 4");
  check(OneTensor(External("w", {1}, "m_data", "-1", "4")), "format",
        "external data of offset \"-1\"");
  check(OneTensor(External("w", {1}, "m_data", "99999999999999999999", "4")), "format", "offset");
  check(OneTensor(TensorHead("w", kOnnxFloat, {1}).Bytes(3, "").text()), "unsupported", "segments");
  check(OneTensor(TensorHead("w", kOnnxInt8, {1}).Bytes(5, "\x80").text()), "format", "broken");
  const std::string large(OnnxReader::kMaxHeldBytes + 1, 'x');
  check(OneTensor(TensorHead("w", kOnnxFloat, {1}).Bytes(4, large).text()), "unsupported",
        "more than the 1048576");
  check(OnnxFile({large}, {}), "unsupported", "more than the 1048576");
  check(OnnxFile({"\x0B"}, {}), "format", "node");
  const std::string graph = ProtoWriter().Bytes(5, RawTensor("w", kOnnxInt8, {1}, "1")).text();
  check(ProtoWriter().Bytes(7, graph + ProtoWriter().Bytes(1, "").text()).text(), "unsupported",
        "comes after initializers");
  check(ProtoWriter().Bytes(7, graph).Bytes(7, graph).text(), "format", "second graph");
  check(ProtoWriter().Bytes(7, ProtoWriter().Bytes(15, "").text()).text(), "unsupported", "sparse");
  // A tensor that is longer than the graph around it.
  check(ProtoWriter().Bytes(7, ProtoWriter().Raw(5 << 3 | 2).Raw(100).text() + "abc").text(),
        "format", "longer than");
  check(ProtoWriter().Raw(7 << 3 | 2).Raw(~uint64_t{0}).text() + "abc", "format", "longer than");
}

}  // namespace
}  // namespace pocketbert
