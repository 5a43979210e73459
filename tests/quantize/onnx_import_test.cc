// Weights out of ONNX graphs: the same one-file model as from the checkpoint that the graph was
// exported from.

#include <catch2/catch_amalgamated.hpp>

#include <cmath>

#include "model/model.h"
#include "quantize/import_model.h"
#include "support/checkpoint_graph.h"
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
      CHECK((FileText(Import(GraphFolder(folder, graph), {.options = options})) == expected));
    }
  }
}

TEST_CASE("a graph comes in chunks of any size") {
  for (const char* graph : {"model_opset17", "model_int8", "model_int8_pc"}) {
    const Folder folder = GraphFolder("onnx-bert", graph);
    const std::string whole = FileText(Import(folder));
    for (const size_t chunk : {1, 7, 4096}) {
      INFO(graph << " " << chunk);
      CHECK((FileText(Import(folder, {.chunk = chunk})) == whole));
    }
    CHECK((FileText(Import(folder, {.chunk = 999, .sizes_known = false})) == whole));
  }
}

TEST_CASE("weights of every form give the bits of the checkpoint that they stand for") {
  for (const char* family : {"bert", "electra"}) {
    testing::CheckpointShape shape;
    shape.model_type = family;
    shape.layers = 3;
    shape.hidden = 132;  // two groups of a row
    shape.embedding = shape.model_type == "electra" ? 16 : 132;
    const auto random = testing::RandomCheckpoint(shape, 5);
    for (const auto form : {testing::GraphForm::kFloat, testing::GraphForm::kHalf,
                            testing::GraphForm::kScaled, testing::GraphForm::kIntegers,
                            testing::GraphForm::kExternal}) {
      INFO(family << " form " << static_cast<int>(form));
      const auto [graph, checkpoint, values] = testing::CheckpointGraph(random, form).Build();
      Folder folder = testing::CheckpointFolder(shape, checkpoint);
      for (const Precision precision : {Precision::kInt8, Precision::kFloat32}) {
        const ImportOptions options{.precision = precision};
        const std::string expected = FileText(Import(folder, {.options = options}));
        Folder other = folder;
        other.erase("model.safetensors");
        other["model.onnx"] = graph;
        if (!values.empty()) other["model.onnx_data"] = values;
        for (const size_t chunk : {101, 1 << 20}) {
          CHECK((FileText(Import(other, {.options = options, .chunk = chunk})) == expected));
        }
      }
    }
  }
}

TEST_CASE("memory while a graph is quantized stays below the int8 size and what waits") {
  testing::CheckpointShape shape;
  shape.vocab = 4000;
  shape.hidden = shape.embedding = 192;
  shape.inner = 768;
  shape.layers = 6;
  shape.heads = 6;
  const auto random = testing::RandomCheckpoint(shape, 6);
  // Matrices that wait for the others of their layer, in float32; the largest one turned over.
  const size_t layer = (4 * 192 * 192 + 2 * 192 * 768) * 4;
  for (const auto form : {testing::GraphForm::kFloat, testing::GraphForm::kIntegers}) {
    const auto [graph, checkpoint, values] = testing::CheckpointGraph(random, form).Build();
    Folder folder = testing::CheckpointFolder(shape, checkpoint);
    folder.erase("model.safetensors");
    folder["model.onnx"] = graph;
    size_t peak = 0;
    const auto file = Import(folder, {.chunk = 1 << 16, .peak_bytes = &peak});
    if (!file.ok()) FAIL(file.error().message);
    const size_t size = file.value().bytes().size();
    CHECK(peak > size);
    CHECK(peak < size + 2 * layer);
  }
}

}  // namespace
}  // namespace pocketbert
