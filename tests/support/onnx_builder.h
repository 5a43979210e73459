#pragma once
// ONNX files for tests, written field by field as protobuf.dev ("Encoding") and onnx.proto describe them.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pocketbert::testing {

// A message that grows; texts are bytes.
class ProtoWriter {
 public:
  ProtoWriter& Varint(uint32_t field, uint64_t value) {
    Raw(uint64_t{field} << 3);
    Raw(value);
    return *this;
  }
  ProtoWriter& Bytes(uint32_t field, std::string_view bytes) {
    Raw((uint64_t{field} << 3) | 2);
    Raw(bytes.size());
    text_ += bytes;
    return *this;
  }
  ProtoWriter& Fixed32(uint32_t field, uint32_t value) {
    Raw((uint64_t{field} << 3) | 5);
    text_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    return *this;
  }
  // A varint without a field.
  ProtoWriter& Raw(uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// TensorProto.DataType.
enum OnnxType : uint64_t {
  kOnnxFloat = 1,
  kOnnxUint8 = 2,
  kOnnxInt8 = 3,
  kOnnxInt32 = 6,
  kOnnxFloat16 = 10
};

template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline ProtoWriter TensorHead(std::string_view name, uint64_t type,
                              const std::vector<uint64_t>& dims) {
  ProtoWriter tensor;
  for (const uint64_t dim : dims) tensor.Varint(1, dim);
  tensor.Varint(2, type).Bytes(8, name);
  return tensor;
}

inline std::string RawTensor(std::string_view name, uint64_t type,
                             const std::vector<uint64_t>& dims, std::string_view raw) {
  return TensorHead(name, type, dims).Bytes(9, raw).text();
}

// A float tensor whose values are in another file; numbers are texts there.
inline std::string External(std::string_view name, const std::vector<uint64_t>& dims,
                            std::string_view location, std::string_view offset,
                            std::string_view length) {
  ProtoWriter tensor = TensorHead(name, kOnnxFloat, dims);
  const auto entry = [&](std::string_view key, std::string_view value) {
    tensor.Bytes(13, ProtoWriter().Bytes(1, key).Bytes(2, value).text());
  };
  entry("location", location);
  entry("offset", offset);
  entry("length", length);
  return tensor.Varint(14, 1).text();
}

struct NodeAttributes {
  int64_t axis = -1000;  // unset
  int64_t trans_b = 0;
  std::vector<int64_t> perm = {};
  std::string domain = "";
};

inline std::string Node(std::string_view op, std::string_view name,
                        const std::vector<std::string>& inputs, std::string_view output,
                        const NodeAttributes& attributes = {}) {
  ProtoWriter node;
  for (const std::string& input : inputs) node.Bytes(1, input);
  node.Bytes(2, output).Bytes(3, name).Bytes(4, op);
  const auto number = [&](std::string_view key, int64_t value) {
    node.Bytes(5, ProtoWriter().Bytes(1, key).Varint(3, static_cast<uint64_t>(value)).text());
  };
  if (attributes.axis != -1000) number("axis", attributes.axis);
  if (attributes.trans_b != 0) number("transB", attributes.trans_b);
  if (!attributes.perm.empty()) {
    ProtoWriter perm;
    perm.Bytes(1, "perm");
    for (const int64_t axis : attributes.perm) perm.Varint(8, static_cast<uint64_t>(axis));
    node.Bytes(5, perm.text());
  }
  if (!attributes.domain.empty()) node.Bytes(7, attributes.domain);
  return node.text();
}

// The file of a graph's fields: `nodes` and `tensors` are messages.
inline std::string OnnxFile(const std::vector<std::string>& nodes,
                            const std::vector<std::string>& tensors) {
  ProtoWriter graph;
  for (const std::string& node : nodes) graph.Bytes(1, node);
  graph.Bytes(2, "main_graph");
  for (const std::string& tensor : tensors) graph.Bytes(5, tensor);
  graph.Bytes(11, ProtoWriter().Bytes(1, "input_ids").text());
  return ProtoWriter()
      .Varint(1, 8)
      .Bytes(2, "a test")
      .Bytes(7, graph.text())
      .Bytes(8, ProtoWriter().Varint(2, 17).text())
      .text();
}

}  // namespace pocketbert::testing
