#include "quantize/graph_head.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "io/onnx.h"

namespace pocketbert {
namespace {

// More bytes are asked for in steps of this, and more each time.
constexpr uint64_t kFirstBytes = 65536;
// Encoders have some thousand nodes, in less than two megabytes.
constexpr uint64_t kMaxHeadBytes = 32'000'000;
constexpr size_t kMaxNodes = 100'000;

class NodeCollector final : public OnnxVisitor {
 public:
  std::vector<OnnxNode> nodes;

  explicit NodeCollector(std::string_view path) : path_(path) {}

  Status OnNode(OnnxNode node) override {
    if (nodes.size() == kMaxNodes) {
      return UnsupportedError(Message(path_) + ": its graph has more than " + kMaxNodes +
                              " nodes: it is no encoder");
    }
    nodes.push_back(std::move(node));
    return Done{};
  }
  Status OnTensor(const OnnxTensor&) override { return Done{}; }
  Status OnData(std::span<const uint8_t>) override { return Done{}; }
  Status OnTensorEnd() override { return Done{}; }
  Status OnExternal(const OnnxTensor&, const OnnxPlace&) override { return Done{}; }

 private:
  std::string_view path_;
};

}  // namespace

Result<GraphHead> ReadGraphHead(std::string_view path, std::span<const uint8_t> bytes,
                                std::optional<uint64_t> file_bytes, const HfConfig& config) {
  NodeCollector collector(path);
  OnnxReader reader(std::string(path), collector);
  PB_RETURN_IF_ERROR(reader.Feed(bytes));
  GraphHead head;
  if (!reader.nodes_complete()) {
    if (file_bytes && bytes.size() >= *file_bytes) {
      PB_RETURN_IF_ERROR(reader.Finish());
      return FormatError(Message(path) + ": the file is incomplete: its graph has no initializers");
    }
    if (bytes.size() > kMaxHeadBytes) {
      return UnsupportedError(Message(path) + ": no initializer within the first " +
                              kMaxHeadBytes + " bytes: it is no encoder");
    }
    head.needed = std::max<uint64_t>(2 * uint64_t{bytes.size()}, kFirstBytes);
    if (file_bytes) head.needed = std::min(head.needed, *file_bytes);
    return head;
  }
  head.file.path = path;
  PB_ASSIGN_OR_RETURN(head.file.graph, FindGraphWeights(path, collector.nodes, config));
  for (const GraphWeight& weight : head.file.graph->weights) {
    head.file.header.tensors.push_back({weight.name, DType::kF32, {}, 0, 0});
  }
  return head;
}

}  // namespace pocketbert
