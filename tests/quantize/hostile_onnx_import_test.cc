// Folders with broken graphs: refused by name; mutated ones end in a model or an error. Run under
// AddressSanitizer and UBSan.

#include <catch2/catch_amalgamated.hpp>

#include <random>

#include "quantize/import_model.h"
#include "support/checkpoint_graph.h"
#include "support/model_folder.h"

namespace pocketbert {
namespace {

using namespace testing;
using Catch::Matchers::ContainsSubstring;

const std::string kGraphs =
    std::string(POCKETBERT_SOURCE_DIR) + "/tests/cases-families/hand/fixtures/onnx-bert/";
const std::string kPath = "onnx/model.onnx";

Folder GraphFolder(const std::string& graph) {
  Folder folder = ReadFolder(kGraphs);
  std::erase_if(folder, [](const auto& file) { return file.first.ends_with(".onnx"); });
  folder.erase("model.safetensors");
  folder[kPath] = ReadFile(kGraphs + "onnx/" + graph + ".onnx");
  return folder;
}

void Replace(std::string& text, const std::string& from, const std::string& to) {
  REQUIRE(from.size() == to.size());
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  for (size_t i = at; i != std::string::npos; i = text.find(from, i + 1)) {
    text.replace(i, from.size(), to);
  }
}

Error ErrorOf(const Folder& folder, bool sizes_known = true) {
  const auto file = Import(folder, {.chunk = 5000, .sizes_known = sizes_known});
  REQUIRE_FALSE(file.ok());
  CHECK_THAT(file.error().message, ContainsSubstring(kPath));
  return file.error();
}

TEST_CASE("a graph that is cut anywhere") {
  const Folder whole = GraphFolder("model_int8");
  for (const size_t kept : {0, 1, 5, 100, 30'000, 52'000, 60'000, 69'000, 69'290}) {
    for (const bool sizes_known : {true, false}) {
      INFO(kept);
      Folder folder = whole;
      folder[kPath].resize(kept);
      const auto file = Import(folder, {.chunk = 5000, .sizes_known = sizes_known});
      REQUIRE_FALSE(file.ok());
      CHECK(file.error().code == ErrorCode::kFormat);
    }
  }
}

TEST_CASE("an initializer that is not there") {
  Folder folder = GraphFolder("model_opset17");
  // Under another name where it is stored, not where it is used.
  const std::string name = "onnx::MatMul_313";
  folder[kPath].replace(folder[kPath].rfind(name), name.size(), "onnx::MatMul_000");
  const Error error = ErrorOf(folder);
  CHECK(error.code == ErrorCode::kFormat);
  CHECK_THAT(error.message, ContainsSubstring("tensor encoder.layer.0.intermediate.dense.weight is "
                                              "missing: the graph takes it from onnx::MatMul_313"));
}

TEST_CASE("a scale that is not there, or there twice") {
  Folder folder = GraphFolder("model_int8");
  const std::string name = "onnx::MatMul_313_scale";
  folder[kPath].replace(folder[kPath].rfind(name), name.size(), "onnx::MatMul_000_scale");
  CHECK_THAT(ErrorOf(folder).message, ContainsSubstring("from onnx::MatMul_313_scale"));
  folder = GraphFolder("model_int8");
  folder[kPath].replace(folder[kPath].rfind(name), name.size(), "onnx::MatMul_314_scale");
  CHECK_THAT(ErrorOf(folder).message, ContainsSubstring("onnx::MatMul_314_scale is there twice"));
}

TEST_CASE("a graph of another network than the configuration's") {
  const auto with_config = [](const std::string& from, const std::string& to) {
    Folder folder = GraphFolder("model_opset17");
    std::string& config = folder.at("config.json");
    const size_t at = config.find(from);
    REQUIRE(at != std::string::npos);
    config.replace(at, from.size(), to);
    return ErrorOf(folder);
  };
  const Error wide = with_config("\"intermediate_size\": 40", "\"intermediate_size\": 44");
  CHECK(wide.code == ErrorCode::kFormat);
  CHECK_THAT(wide.message, ContainsSubstring("has shape [40], expected [44]"));
  const Error deep = with_config("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3");
  CHECK_THAT(deep.message, ContainsSubstring("tensor encoder.layer.2.") &&
                               ContainsSubstring("is missing"));
  const Error shallow = with_config("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1");
  CHECK(shallow.code == ErrorCode::kUnsupported);
  CHECK_THAT(shallow.message, ContainsSubstring("tensor encoder.layer.1.") &&
                                  ContainsSubstring("no part of the bert encoder"));
}

TEST_CASE("weights in ops that are not read are named") {
  Folder folder = GraphFolder("model_opset17");
  const std::string path = "/encoder/layer.0/output/dense/";
  NodeAttributes attributes;
  attributes.domain = "com.microsoft";
  folder[kPath] = OnnxFile({Node("MatMulNBits", path + "MatMul_Q4", {"x", "w_Q4", "w_scales"}, "y",
                                 attributes)},
                           {RawTensor("w_Q4", kOnnxUint8, {1}, "1")});
  const Error error = ErrorOf(folder);
  CHECK(error.code == ErrorCode::kUnsupported);
  CHECK_THAT(error.message, ContainsSubstring("the op MatMulNBits (com.microsoft)"));
}

TEST_CASE("integers without a scale, and scales of odd shapes") {
  Folder folder = GraphFolder("model_int8");
  Replace(folder[kPath], "DequantizeLinear", "DequantizeLinexr");
  const Error error = ErrorOf(folder);
  CHECK(error.code == ErrorCode::kUnsupported);
  CHECK_THAT(error.message, ContainsSubstring("embeddings.word_embeddings.weight_quantized") &&
                                ContainsSubstring("has dtype U8"));
}

TEST_CASE("a graph is told once, and it is a graph") {
  Folder folder = GraphFolder("model_opset17");
  folder[kPath] = "<!doctype html><html>";
  CHECK(ErrorOf(folder).code == ErrorCode::kFormat);
  folder[kPath] = std::string(200'000, '\0');
  CHECK(ErrorOf(folder, false).code == ErrorCode::kFormat);
}

TEST_CASE("values beside the graph: absent, cut, elsewhere, shared, too early") {
  const CheckpointShape shape;
  const auto [graph, checkpoint, values] =
      CheckpointGraph(RandomCheckpoint(shape, 7), GraphForm::kExternal).Build();
  Folder folder = CheckpointFolder(shape, checkpoint);
  folder.erase("model.safetensors");
  folder[kPath] = graph;
  const std::string data = kPath + "_data";
  CHECK_THAT(ErrorOf(folder).message, ContainsSubstring("is missing: its values are in " + data));
  folder[data] = values.substr(0, values.size() - 1);
  CHECK_THAT(ErrorOf(folder).message,
             ContainsSubstring("ends after " + std::to_string(values.size() - 1) + " bytes"));
  folder[data] = values;
  REQUIRE(Import(folder).ok());
  const auto early = Import(folder, {.order = {data, kPath}});
  REQUIRE_FALSE(early.ok());
  CHECK(early.error().code == ErrorCode::kInvalidArgument);
  Replace(folder[kPath], "model.onnx_data", "other.onnx_data");
  const Error elsewhere = ErrorOf(folder);
  CHECK(elsewhere.code == ErrorCode::kUnsupported);
  CHECK_THAT(elsewhere.message, ContainsSubstring("in the file other.onnx_data"));
  folder[kPath] = OnnxFile(
      {testing::Node("Gather", "g", {"embeddings.word_embeddings.weight", "i"}, "e")},
      {External("embeddings.word_embeddings.weight", {40, 24}, "model.onnx_data", "0", "3840")});
  CHECK_THAT(ErrorOf(folder).message, ContainsSubstring("is missing"));
}

TEST_CASE("mutated graphs import or are refused, never worse") {
  std::mt19937 random(20261202);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  size_t imported = 0;
  constexpr size_t kRounds = 300;
  for (const char* graph : {"model_opset17", "model_int8_pc"}) {
    const Folder whole = GraphFolder(graph);
    for (size_t i = 0; i < kRounds; ++i) {
      Folder folder = whole;
      std::string& file = folder[kPath];
      for (size_t edits = 1 + below(3); edits > 0; --edits) {
        const size_t at = below(file.size());
        switch (below(4)) {
          case 0: file[at] = static_cast<char>(random()); break;
          case 1: file[at] = static_cast<char>(file[at] ^ (1 << below(8))); break;
          case 2: file.erase(at, 1 + below(3)); break;
          default: std::swap_ranges(file.begin() + static_cast<ptrdiff_t>(at / 2),
                                    file.begin() + static_cast<ptrdiff_t>(at / 2 + 8),
                                    file.end() - 8 - static_cast<ptrdiff_t>(at % 1000));
        }
      }
      const auto result = Import(folder, {.chunk = size_t{1} << (6 + i % 10)});
      if (!result.ok()) CHECK_FALSE(result.error().message.empty());
      imported += result.ok();
    }
  }
  CHECK(imported > kRounds / 10);
  CHECK(imported < 2 * kRounds);
}

}  // namespace
}  // namespace pocketbert
