// Which initializer of a graph is which tensor of a checkpoint, and how its values lie.

#include "quantize/onnx_graph.h"

#include <catch2/catch_amalgamated.hpp>

namespace pocketbert {
namespace {

HfConfig Config(ModelFamily family = ModelFamily::kBert) {
  HfConfig config;
  config.family = family;
  config.encoder = {.vocab_size = 30, .hidden_size = 8, .embedding_size = 8, .layers = 2,
                    .heads = 2, .intermediate_size = 12, .max_positions = 16,
                    .type_vocab_size = 2};
  return config;
}

OnnxNode Node(std::string op, std::string name, std::vector<std::string> inputs,
              std::string output) {
  OnnxNode node;
  node.op_type = std::move(op);
  node.name = std::move(name);
  node.inputs = std::move(inputs);
  node.outputs = {std::move(output)};
  return node;
}

std::vector<GraphWeight> Find(const std::vector<OnnxNode>& nodes, const HfConfig& config = Config()) {
  auto found = FindGraphWeights("m.onnx", nodes, config);
  if (!found.ok()) FAIL(found.error().message);
  return std::move(found).value().weights;
}

// The weight of this name; fails if there is none.
GraphWeight Weight(const std::vector<OnnxNode>& nodes, const std::string& name,
                   const HfConfig& config = Config()) {
  for (GraphWeight& weight : Find(nodes, config)) {
    if (weight.name == name) return weight;
  }
  FAIL("no weight " << name);
  return {};
}

const std::string kDense = "encoder.layer.0.output.dense";
const std::string kPath = "/encoder/layer.0/output/dense/";

TEST_CASE("a product's matrix has its name from its place, and is turned over") {
  const auto weight = Weight({Node("MatMul", kPath + "MatMul", {"x", "onnx::MatMul_9"}, "y")},
                             kDense + ".weight");
  CHECK(weight.initializer == "onnx::MatMul_9");
  CHECK(weight.transposed);
  CHECK_FALSE(weight.named);
  CHECK(weight.scale.empty());
}

TEST_CASE("without a place, from the bias that is added") {
  for (const bool bias_first : {false, true}) {
    const std::string bias = "inner." + kDense + ".bias";
    const auto inputs = bias_first ? std::vector<std::string>{bias, "y"}
                                   : std::vector<std::string>{"y", bias};
    const std::vector<OnnxNode> nodes = {Node("MatMul", "node_1", {"x", "val_9"}, "y"),
                                         Node("Add", "node_2", inputs, "z")};
    CHECK(Weight(nodes, kDense + ".weight").initializer == "val_9");
    CHECK(Weight(nodes, kDense + ".bias").initializer == bias);
    CHECK(Weight(nodes, kDense + ".bias").named);
  }
}

TEST_CASE("Gemm and Transpose say how a matrix lies") {
  OnnxNode gemm = Node("Gemm", "n", {"x", "pooler.dense.weight", "pooler.dense.bias"}, "y");
  CHECK(Weight({gemm}, "pooler.dense.weight").transposed);
  gemm.trans_b = true;
  CHECK_FALSE(Weight({gemm}, "pooler.dense.weight").transposed);
  CHECK(Weight({gemm}, "pooler.dense.bias").initializer == "pooler.dense.bias");
  OnnxNode transpose = Node("Transpose", "t", {"pooler.dense.weight"}, "w");
  const OnnxNode product = Node("MatMul", "m", {"x", "w"}, "y");
  CHECK_FALSE(Weight({transpose, product}, "pooler.dense.weight").transposed);
  transpose.perm = {1, 0};
  CHECK_FALSE(Weight({transpose, product}, "pooler.dense.weight").transposed);
  transpose.perm = {0, 1};
  CHECK(Find({transpose, product}).empty());
}

TEST_CASE("equal tensors are stored once and reached through Identity") {
  const std::string first = "encoder.layer.0.attention.self.value.bias";
  const std::string second = "encoder.layer.1.attention.self.value.bias";
  const std::vector<OnnxNode> nodes = {Node("Identity", "i", {first}, second),
                                       Node("Add", "a", {first, "x"}, "y"),
                                       Node("Add", "b", {second, "z"}, "u")};
  CHECK(Weight(nodes, first).initializer == first);
  CHECK(Weight(nodes, second).initializer == first);
}

TEST_CASE("a shared tensor without Identity has its other name from its place") {
  const std::string first = "encoder.layer.0.output.LayerNorm.weight";
  const std::vector<OnnxNode> nodes = {
      Node("LayerNormalization", "/encoder/layer.0/output/LayerNorm/LayerNormalization",
           {"x", first, "encoder.layer.0.output.LayerNorm.bias"}, "y"),
      Node("LayerNormalization", "/encoder/layer.1/output/LayerNorm/LayerNormalization",
           {"z", first, "encoder.layer.1.output.LayerNorm.bias"}, "u")};
  CHECK(Weight(nodes, "encoder.layer.1.output.LayerNorm.weight").initializer == first);
}

TEST_CASE("integers that are multiplied: scale and zero point") {
  const std::vector<OnnxNode> nodes = {
      Node("DynamicQuantizeLinear", "q", {"x"}, "x_quantized"),
      Node("MatMulInteger", kPath + "MatMul_quant",
           {"x_quantized", "onnx::MatMul_9_quantized", "x_zero_point", "onnx::MatMul_9_zero_point"},
           "p"),
      Node("Cast", "c", {"p"}, "f"),
      Node("DynamicQuantizeLinear", "q2", {"x"}, "x_scale"),
      Node("Mul", kPath + "MatMul_quant_scales_mul", {"x_scale", "onnx::MatMul_9_scale"}, "s"),
      Node("Mul", kPath + "MatMul_quant_output_scale_mul", {"f", "s"}, "y"),
      Node("Add", "a", {"y", kDense + ".bias"}, "z")};
  const GraphWeight weight = Weight(nodes, kDense + ".weight");
  CHECK(weight.initializer == "onnx::MatMul_9_quantized");
  CHECK(weight.scale == "onnx::MatMul_9_scale");
  CHECK(weight.zero_point == "onnx::MatMul_9_zero_point");
  CHECK(weight.transposed);
  CHECK(weight.axis == 1);
  CHECK(Find(nodes).size() == 2);
}

TEST_CASE("tables of integers: scaled before or after they are looked up in") {
  const std::string name = "embeddings.word_embeddings.weight";
  const std::vector<std::string> scaled = {"e", name + "_scale", name + "_zero_point"};
  const auto after = Weight({Node("Gather", "g", {name + "_quantized", "input_ids"}, "e"),
                             Node("DequantizeLinear", "d", scaled, "y")},
                            name);
  CHECK(after.initializer == name + "_quantized");
  CHECK(after.scale == name + "_scale");
  CHECK(after.zero_point == name + "_zero_point");
  OnnxNode dequantize =
      Node("DequantizeLinear", "d", {name + "_quantized", name + "_scale"}, name);
  dequantize.axis = 0;
  const auto before = Weight({dequantize, Node("Gather", "g", {name, "input_ids"}, "y")}, name);
  CHECK(before.initializer == name + "_quantized");
  CHECK(before.scale == name + "_scale");
  CHECK(before.zero_point.empty());
  CHECK(before.axis == 0);
}

TEST_CASE("weights that are cast and multiplied with a scale") {
  const std::vector<OnnxNode> nodes = {Node("Cast", "c", {"val_9_q"}, "val_9_f"),
                                       Node("Mul", "m", {"val_9_f", "val_9_scale"}, "val_9"),
                                       Node("MatMul", "p", {"x", "val_9"}, "y"),
                                       Node("Add", "a", {"y", "inner." + kDense + ".bias"}, "z")};
  const auto weight = Weight(nodes, kDense + ".weight");
  CHECK(weight.initializer == "val_9_q");
  CHECK(weight.scale == "val_9_scale");
  CHECK(weight.transposed);
}

TEST_CASE("wrappers around the network, and other spellings") {
  const std::vector<OnnxNode> nodes = {
      Node("Gather", "/model/model.0/auto_model/embeddings/word_embeddings/Gather",
           {"model.0.auto_model.embeddings.word_embeddings.weight", "input_ids"}, "e"),
      Node("MatMul", "/model/model.0/auto_model/encoder/layer.1/output/dense/MatMul",
           {"x", "onnx::MatMul_7"}, "y"),
      Node("Add", "a", {"model.0.auto_model.pooler.dense.bias", "p"}, "z"),
      Node("MatMul", "/model/classifier/MatMul", {"x", "onnx::MatMul_8"}, "l")};
  CHECK(Weight(nodes, "embeddings.word_embeddings.weight").named);
  CHECK(Weight(nodes, "encoder.layer.1.output.dense.weight").initializer == "onnx::MatMul_7");
  CHECK(Weight(nodes, "pooler.dense.bias").named);
  const std::vector<OnnxNode> distil = {
      Node("MatMul", "/distilbert/transformer/layer.0/ffn/lin2/MatMul", {"x", "onnx::MatMul_7"},
           "y"),
      Node("MatMul", "/classifier/MatMul", {"x", "onnx::MatMul_8"}, "l")};
  HfConfig config = Config(ModelFamily::kDistilBert);
  CHECK(Weight(distil, kDense + ".weight", config).initializer == "onnx::MatMul_7");
  CHECK(Weight(distil, "classifier.weight", config).initializer == "onnx::MatMul_8");
}

TEST_CASE("a norm's epsilon is no bias") {
  const std::string path = "/encoder/layer.0/output/LayerNorm/";
  const auto weights = Find({Node("ReduceMean", path + "ReduceMean", {"x"}, "m"),
                             Node("Add", path + "Add", {"m", "epsilon"}, "v")});
  CHECK(weights.empty());
}

TEST_CASE("the same tensor from two initializers is refused") {
  const std::vector<OnnxNode> nodes = {
      Node("Add", "a", {"model." + kDense + ".bias", "x"}, "y"),
      Node("Add", "b", {"other." + kDense + ".bias", "z"}, "u")};
  const auto found = FindGraphWeights("m.onnx", nodes, Config());
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == ErrorCode::kFormat);
  CHECK(found.error().message ==
        "m.onnx: tensor " + kDense + ".bias is there twice: as model." + kDense +
            ".bias and as other." + kDense + ".bias");
}

TEST_CASE("cycles end") {
  CHECK(Find({Node("Identity", "i", {"b"}, "a"), Node("Cast", "c", {"a"}, "b"),
              Node("MatMul", kPath + "MatMul", {"x", "a"}, "y"),
              Node("MatMulInteger", kPath + "MatMul", {"x", "a"}, "x"),
              Node("Identity", "j", {"j"}, "j"), Node("Add", "k", {"j", "j"}, "j")})
            .empty());
}

TEST_CASE("an op that is not ONNX's own is told") {
  OnnxNode fused = Node("MatMulNBits", "n", {"x", "w_Q4", "w_scales"}, "y");
  fused.domain = "com.microsoft";
  const auto found = FindGraphWeights("m.onnx", std::vector{fused}, Config());
  REQUIRE(found.ok());
  CHECK(found.value().foreign_op == "MatMulNBits (com.microsoft)");
}

}  // namespace
}  // namespace pocketbert
