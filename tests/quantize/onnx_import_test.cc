// Weights out of ONNX graphs: the same one-file model as from the checkpoint that the graph was
// exported from.

#include <catch2/catch_amalgamated.hpp>

#include <cmath>

#include "model/model.h"
#include "quantize/import_model.h"
#include "support/model_folder.h"

namespace pocketbert {
namespace {

using testing::Folder;
using testing::Import;
using testing::ReadFile;
using testing::ReadFolder;

const std::string kFamilies =
    std::string(POCKETBERT_SOURCE_DIR) + "/tests/cases-families/hand/fixtures/";

// The fixture without graphs.
Folder Checkpoint(const std::string& name) {
  Folder folder = ReadFolder(kFamilies + name);
  std::erase_if(folder, [](const auto& file) { return file.first.ends_with(".onnx"); });
  return folder;
}

// The fixture with the weights of one of its graphs instead of model.safetensors.
Folder GraphFolder(const std::string& name, const std::string& graph) {
  Folder folder = Checkpoint(name);
  folder.erase("model.safetensors");
  folder["onnx/model.onnx"] = ReadFile(kFamilies + name + "/onnx/" + graph + ".onnx");
  return folder;
}

std::string FileText(const Result<TensorFile>& file) {
  if (!file.ok()) FAIL(file.error().message);
  const auto bytes = file.value().bytes();
  return {bytes.begin(), bytes.end()};
}

struct Graph {
  const char* folder;
  const char* graph;
};

TEST_CASE("a float graph gives the bits of its checkpoint") {
  for (const auto& [folder, graph] :
       {Graph{"onnx-bert", "model_opset14"}, Graph{"onnx-bert", "model_opset17"},
        Graph{"onnx-distil", "model_opset14"}, Graph{"onnx-distil", "model_opset17"},
        Graph{"onnx-distil-cls", "model_opset17"}, Graph{"onnx-bert-ner", "model_opset17"}}) {
    for (const Precision precision : {Precision::kInt8, Precision::kFloat32}) {
      INFO(folder << " " << graph);
      const ImportOptions options{.precision = precision};
      const std::string expected = FileText(Import(Checkpoint(folder), {.options = options}));
      CHECK(FileText(Import(GraphFolder(folder, graph), {.options = options})) == expected);
    }
  }
}

TEST_CASE("a graph comes in chunks of any size") {
  for (const char* graph : {"model_opset17", "model_int8", "model_int8_pc"}) {
    const Folder folder = GraphFolder("onnx-bert", graph);
    const std::string whole = FileText(Import(folder));
    for (const size_t chunk : {1, 7, 4096}) {
      INFO(graph << " " << chunk);
      CHECK(FileText(Import(folder, {.chunk = chunk})) == whole);
    }
    CHECK(FileText(Import(folder, {.chunk = 999, .sizes_known = false})) == whole);
  }
}

}  // namespace
}  // namespace pocketbert
