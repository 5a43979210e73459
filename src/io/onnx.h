#pragma once
// ONNX files: the nodes of the graph and its initializers, out of a file that comes in pieces and is
// never whole in memory.
//
//   ModelProto  7 graph: GraphProto            (field numbers: onnx/onnx.proto)
//   GraphProto  1 node: NodeProto …  5 initializer: TensorProto …
//   TensorProto 1 dims  2 data_type  8 name  9 raw_data, or 4, 5, 7, 10, 11: values one by one
//
// Serializers write fields in the order of their numbers. Two things rely on it and are refused by name
// if they are otherwise: nodes before initializers, and a tensor's name, type and shape before its
// raw_data.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/dtype.h"
#include "io/protobuf.h"

namespace pocketbert {

// An initializer.
struct OnnxTensor {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<uint64_t> dims;
  uint64_t bytes = 0;  // of its values
};

// Where an initializer's values are if they are not in the file.
struct OnnxPlace {
  std::string location;  // path of the other file, relative to this one
  uint64_t offset = 0;
};

struct OnnxNode {
  std::string op_type;
  std::string name;
  std::string domain;  // "": ONNX's own
  std::vector<std::string> inputs;  // "": left out
  std::vector<std::string> outputs;
  std::optional<int64_t> axis;
  std::vector<int64_t> perm;
  bool trans_b = false;
};

// What an OnnxReader calls, in the order of the file. An error ends the reading.
class OnnxVisitor {
 public:
  virtual Status OnNode(OnnxNode node) = 0;
  // An initializer begins; its values follow, then its end.
  virtual Status OnTensor(const OnnxTensor& tensor) = 0;
  // The next of its values, little-endian; pieces may end within a value.
  virtual Status OnData(std::span<const uint8_t> bytes) = 0;
  virtual Status OnTensorEnd() = 0;
  // An initializer whose values, tensor.bytes of them, are in another file.
  virtual Status OnExternal(const OnnxTensor& tensor, const OnnxPlace& place) = 0;

 protected:
  ~OnnxVisitor() = default;
};

class OnnxReader {
 public:
  // A field that must be held whole (a node, a name, values that are not in raw_data) may have this
  // many bytes.
  static constexpr size_t kMaxHeldBytes = size_t{1} << 20;

  // `file` is its name in messages. `visitor` must outlive the reader.
  OnnxReader(std::string file, OnnxVisitor& visitor)
      : file_(std::move(file)), visitor_(&visitor) {}

  // The next bytes of the file. Errors name the file and, where there is one, the tensor: no protocol
  // buffer, lengths that do not fit, a tensor whose bytes do not fit its shape (kFormat); types
  // and forms that are not read (kUnsupported).
  Status Feed(std::span<const uint8_t> bytes);
  // To be called at the file's end. Fails if it ends too early.
  Status Finish();

  // True once no node can follow: an initializer has begun, or the graph has ended.
  bool nodes_complete() const { return nodes_complete_; }

 private:
  enum Level { kModel, kGraph, kTensor };
  // What is done with a field.
  enum class Use { kSkip, kEnter, kHold, kStream };

  Result<size_t> Parse(std::span<const uint8_t> bytes);
  Status CheckHead(const ProtoField& field, size_t head_bytes) const;
  Use UseOf(const ProtoField& field) const;
  Status Enter(const ProtoField& field);
  Status CloseLevels();
  Status ReadHeld(const ProtoField& field);
  Status ReadNode(std::span<const uint8_t> bytes);
  Status ReadTensorField(const ProtoField& field);
  Status HoldValues(const ProtoField& field);
  Status ReadExternal(const ProtoField& field);
  Status CheckTensor(uint64_t data_bytes);
  Status BeginTensor(uint64_t data_bytes);
  Status EndTensor();
  Message About(std::string_view what) const;

  std::string file_;
  OnnxVisitor* visitor_;
  std::vector<uint8_t> pending_;  // bytes that end within a field
  uint64_t position_ = 0;         // in the file, of the first byte that is not done
  uint64_t passing_ = 0;          // bytes of a field that are streamed or skipped
  bool streaming_ = false;
  Level level_ = kModel;
  uint64_t ends_[3] = {UINT64_MAX, 0, 0};  // of the levels, in the file
  bool has_graph_ = false;
  bool nodes_complete_ = false;

  OnnxTensor tensor_;
  uint64_t data_type_ = 0;      // 0: not known yet
  bool begun_ = false;          // OnTensor was called
  std::vector<uint8_t> held_;   // values that are not in raw_data
  bool external_ = false;
  OnnxPlace place_;
  std::optional<uint64_t> place_bytes_;
};

}  // namespace pocketbert
