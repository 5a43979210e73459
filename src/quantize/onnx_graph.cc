#include "quantize/onnx_graph.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/sort.h"
#include "model/source_names.h"
#include "nn/weights.h"
#include "quantize/onnx_names.h"

namespace pocketbert {
namespace {

// Nodes that a weight may pass on its way to where it is used; more are a cycle or no exporter's work.
constexpr size_t kMaxChain = 16;
// Readers of a value that are looked at.
constexpr ptrdiff_t kMaxReaders = 64;

// Inputs that are weights, by op. Of all other ops, every input may be one, by its own name only.
struct WeightInput {
  std::string_view op_type;
  size_t input;
  std::string_view ending;
  bool is_product;  // a matrix [in, out]
};
constexpr WeightInput kWeightInputs[] = {
    {"MatMul", 1, ".weight", true},
    {"MatMulInteger", 1, ".weight", true},
    {"Gemm", 1, ".weight", true},
    {"Gemm", 2, ".bias", false},
    {"Gather", 0, ".weight", false},
    {"Add", 0, ".bias", false},
    {"Add", 1, ".bias", false},
    {"Mul", 0, ".weight", false},
    {"Mul", 1, ".weight", false},
    {"LayerNormalization", 1, ".weight", false},
    {"LayerNormalization", 2, ".bias", false},
};
constexpr std::string_view kPassingOps[] = {"Identity", "Cast", "Transpose", "DequantizeLinear",
                                            "Constant"};

// An initializer, seen from where it is used.
struct Chain {
  GraphWeight weight;                 // without a name
  std::vector<std::string_view> names;  // of the values on the way, from the use on
};

class Graph {
 public:
  explicit Graph(std::span<const OnnxNode> nodes) : nodes_(nodes) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const std::string& output : nodes[i].outputs) producers_.push_back({output, i});
      for (const std::string& input : nodes[i].inputs) consumers_.push_back({input, i});
    }
    for (std::vector<Edge>* edges : {&producers_, &consumers_}) {
      SortStably(*edges, [](const Edge& a, const Edge& b) { return a.value < b.value; });
    }
  }

  // The node whose output this is, or null: an initializer or an input of the graph.
  const OnnxNode* Producer(std::string_view value) const {
    const auto edge = First(producers_, value);
    return edge != producers_.end() && edge->value == value ? &nodes_[edge->node] : nullptr;
  }

  // The first node of this op that reads an output of `node`, or null.
  const OnnxNode* Consumer(const OnnxNode* node, std::string_view op_type) const {
    if (node == nullptr || node->outputs.empty()) return nullptr;
    const std::string& value = node->outputs[0];
    const auto first = First(consumers_, value);
    for (auto edge = first; edge != consumers_.end() && edge->value == value &&
                            edge - first < kMaxReaders;
         ++edge) {
      if (nodes_[edge->node].op_type == op_type) return &nodes_[edge->node];
    }
    return nullptr;
  }

  bool IsProducedBy(std::string_view value, std::string_view op_type) const {
    const OnnxNode* node = Producer(value);
    return node != nullptr && node->op_type == op_type;
  }

  // The other input of a node with two, or "".
  static std::string_view OtherInput(const OnnxNode& node, std::string_view value) {
    if (node.inputs.size() != 2) return "";
    return node.inputs[0] == value ? node.inputs[1] : node.inputs[0];
  }

  std::optional<Chain> Resolve(std::string_view value) const;
  // The scale of what is multiplied as integers: the product is cast and multiplied by it, times that
  // of the other factor.
  std::string_view ProductScale(const OnnxNode& product) const;
  // The value that is added to a product, or "".
  std::string_view AddedTo(const OnnxNode& product) const;

 private:
  struct Edge {
    std::string_view value;
    size_t node;
  };
  static std::vector<Edge>::const_iterator First(const std::vector<Edge>& edges,
                                                 std::string_view value) {
    return std::lower_bound(
        edges.begin(), edges.end(), value,
        [](const Edge& edge, std::string_view key) { return edge.value < key; });
  }
  bool Pass(const OnnxNode& node, Chain& chain, std::string_view& value) const;

  std::span<const OnnxNode> nodes_;
  std::vector<Edge> producers_;
  std::vector<Edge> consumers_;
};

bool IsTransposition(const OnnxNode& node) {
  return node.perm.empty() || (node.perm.size() == 2 && node.perm[0] == 1 && node.perm[1] == 0);
}

// From a node's output to the input that the weight comes from; false if the node does anything else.
bool Graph::Pass(const OnnxNode& node, Chain& chain, std::string_view& value) const {
  GraphWeight& weight = chain.weight;
  if (node.inputs.empty()) return false;
  value = node.inputs[0];
  if (node.op_type == "Identity" || node.op_type == "Cast") return true;
  if (node.op_type == "Transpose") {
    weight.transposed = !weight.transposed;
    if (!weight.scale.empty()) weight.axis = 1 - weight.axis;
    return IsTransposition(node);
  }
  if (!weight.scale.empty()) return false;
  if (node.op_type == "DequantizeLinear" && node.inputs.size() >= 2) {
    weight.scale = node.inputs[1];
    if (node.inputs.size() > 2) weight.zero_point = node.inputs[2];
    weight.axis = node.axis.value_or(1) == 0 || node.axis == -2 ? 0 : 1;
    return true;
  }
  if (node.op_type != "Mul" || node.inputs.size() != 2) return false;
  for (size_t i = 0; i < 2; ++i) {
    if (!IsProducedBy(node.inputs[i], "Cast") || Producer(node.inputs[1 - i]) != nullptr) continue;
    value = node.inputs[i];
    weight.scale = node.inputs[1 - i];
    weight.axis = 1;
    return true;
  }
  return false;
}

std::optional<Chain> Graph::Resolve(std::string_view value) const {
  Chain chain;
  for (size_t passed = 0; passed < kMaxChain && !value.empty(); ++passed) {
    chain.names.push_back(value);
    const OnnxNode* node = Producer(value);
    if (node == nullptr) {
      chain.weight.initializer = value;
      return chain;
    }
    if (!Pass(*node, chain, value)) return std::nullopt;
  }
  return std::nullopt;
}

std::string_view Graph::ProductScale(const OnnxNode& product) const {
  const OnnxNode* cast = Consumer(&product, "Cast");
  const OnnxNode* scaled = Consumer(cast, "Mul");
  if (scaled == nullptr) return "";
  const std::string_view scales = OtherInput(*scaled, cast->outputs[0]);
  const OnnxNode* node = Producer(scales);
  if (node == nullptr) return scales;
  if (node->op_type != "Mul") return "";
  for (const std::string& input : node->inputs) {
    if (Producer(input) == nullptr) return input;
  }
  return "";
}

std::string_view Graph::AddedTo(const OnnxNode& product) const {
  const OnnxNode* node = &product;
  for (const std::string_view op_type : {"Cast", "Mul"}) {
    const OnnxNode* next = Consumer(node, op_type);
    if (next != nullptr && product.op_type == "MatMulInteger") node = next;
  }
  const OnnxNode* add = Consumer(node, "Add");
  return add == nullptr ? "" : OtherInput(*add, node->outputs[0]);
}

// Names that a use offers for its weight, by rule; "" = none.
struct Candidate {
  GraphWeight weight;
  std::array<std::string, 3> names;
};

class WeightFinder {
 public:
  WeightFinder(std::span<const OnnxNode> nodes, const HfConfig& config)
      : nodes_(nodes), graph_(nodes), names_(config) {}

  Result<GraphWeights> Find(std::string_view file) {
    GraphWeights found;
    for (const OnnxNode& node : nodes_) {
      if (found.foreign_op.empty() && !node.domain.empty()) {
        found.foreign_op = node.op_type + " (" + node.domain + ")";
      }
      AddUses(node);
    }
    for (size_t rule = 0; rule < 3; ++rule) {
      for (const Candidate& candidate : candidates_) names_.Learn(rule, candidate.names[rule]);
    }
    for (size_t rule = 0; rule < 3; ++rule) PB_RETURN_IF_ERROR(Name(file, rule, found.weights));
    return found;
  }

 private:
  void AddUses(const OnnxNode& node) {
    const auto is = [&](std::string_view op_type) { return node.op_type == op_type; };
    if (std::any_of(std::begin(kPassingOps), std::end(kPassingOps), is)) return;
    bool known = false;
    for (const WeightInput& input : kWeightInputs) {
      if (input.op_type != node.op_type) continue;
      known = true;
      if (input.input < node.inputs.size() && !IsArithmetic(node)) AddUse(node, input);
    }
    if (known) return;
    for (size_t i = 0; i < node.inputs.size(); ++i) AddUse(node, {node.op_type, i, "", false});
  }

  // True for what is no layer's own sum or product: scales of quantized products, quantized weights,
  // the epsilon of a norm.
  bool IsArithmetic(const OnnxNode& node) const {
    if (node.op_type != "Mul" && node.op_type != "Add") return false;
    if (node.op_type == "Mul" && !node.outputs.empty() && graph_.Resolve(node.outputs[0])) {
      return true;
    }
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
      return graph_.IsProducedBy(input, "DynamicQuantizeLinear") ||
             graph_.IsProducedBy(input, "ReduceMean");
    });
  }

  void AddUse(const OnnxNode& node, const WeightInput& input) {
    std::optional<Chain> chain = graph_.Resolve(node.inputs[input.input]);
    if (!chain) return;
    Candidate candidate{std::move(chain->weight), {}};
    GraphWeight& weight = candidate.weight;
    if (input.is_product && !node.trans_b) weight.transposed = !weight.transposed;
    if (node.op_type == "MatMulInteger") {
      weight.scale = graph_.ProductScale(node);
      weight.zero_point = node.inputs.size() > 3 ? node.inputs[3] : "";
    }
    if (const OnnxNode* after = graph_.Consumer(&node, "DequantizeLinear");
        node.op_type == "Gather" && after != nullptr && after->inputs.size() >= 2) {
      weight.scale = after->inputs[1];
      weight.zero_point = after->inputs.size() > 2 ? after->inputs[2] : "";
    }
    for (const std::string_view name : chain->names) {
      if (candidate.names[0].empty()) candidate.names[0] = OwnName(name);
    }
    if (!input.ending.empty()) {
      candidate.names[1] = PlaceName(node.name, input.ending);
      if (input.is_product) candidate.names[2] = BiasName(graph_.AddedTo(node));
    }
    candidates_.push_back(std::move(candidate));
  }

  // The name of the matrix that goes with a bias.
  std::string BiasName(std::string_view bias) const {
    const std::optional<Chain> chain = graph_.Resolve(bias);
    if (!chain) return "";
    for (const std::string_view value : chain->names) {
      std::string name = OwnName(value);
      if (name.ends_with(".bias")) return name.substr(0, name.size() - 4) + "weight";
    }
    return "";
  }

  static bool IsBefore(const GraphWeight& a, const GraphWeight& b) { return a.name < b.name; }

  // Gives names to weights that have none by an earlier rule. `weights` are sorted by name.
  Status Name(std::string_view file, size_t rule, std::vector<GraphWeight>& weights) {
    std::vector<GraphWeight> found;
    for (const Candidate& candidate : candidates_) {
      if (candidate.names[rule].empty()) continue;
      GraphWeight weight = candidate.weight;
      weight.name = names_.Canonical(rule, candidate.names[rule]);
      weight.named = rule == 0;
      if (!std::binary_search(weights.begin(), weights.end(), weight, IsBefore)) {
        found.push_back(std::move(weight));
      }
    }
    SortStably(found, IsBefore);
    for (GraphWeight& weight : found) {
      if (weights.empty() || weights.back().name != weight.name) {
        weights.push_back(std::move(weight));
      } else {
        PB_RETURN_IF_ERROR(Join(file, weights.back(), weight));
      }
    }
    SortStably(weights, IsBefore);
    return Done{};
  }

  // Two uses have the same name: they must be of the same initializer. A tensor that is used as floats
  // and as integers is there as both: the floats are better.
  Status Join(std::string_view file, GraphWeight& kept, const GraphWeight& other) const {
    if (kept == other || !names_.IsExpected(kept.name)) return Done{};
    if (kept.scale.empty() != other.scale.empty()) {
      if (other.scale.empty()) kept = other;
      return Done{};
    }
    return FormatError(Message(file) + ": tensor " + kept.name + " is there twice: as " +
                       kept.initializer + " and as " + other.initializer);
  }

  std::span<const OnnxNode> nodes_;
  Graph graph_;
  WeightNames names_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Result<GraphWeights> FindGraphWeights(std::string_view file, std::span<const OnnxNode> nodes,
                                      const HfConfig& config) {
  return WeightFinder(nodes, config).Find(file);
}

}  // namespace pocketbert
