#pragma once
// ImportPlan: which tensor of which weight file becomes which tensor of the one-file model.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/safetensors.h"
#include "model/folder_texts.h"
#include "model/head_config.h"
#include "model/hf_config.h"
#include "model/one_file.h"
#include "model/sentence_config.h"
#include "nn/weights.h"
#include "quantize/onnx_graph.h"

namespace pocketbert {

// A weight file whose header is known. Of an ONNX file it has a tensor for each of graph->weights, in
// their order, but the names alone: shapes, types and places are told where the values begin.
struct SourceFile {
  std::string path;
  SafetensorsHeader header;
  std::optional<GraphWeights> graph = {};
  // Number of the ONNX file whose values this file holds; it has no header.
  std::optional<size_t> values_of = {};
};

// How a source tensor is written.
enum class TargetForm {
  kFloat,   // F32
  kInt8,    // I8 and a scale per row, row by row as it arrives
  kStaged,  // I8 and a scale per row, once the statistics that equalize its inputs are known
};

struct Target {
  TensorSpec spec;  // canonical
  TargetForm form = TargetForm::kFloat;
  size_t file = 0;    // index of the source file
  size_t tensor = 0;  // index of the tensor in that file's header
  // Which of the source's equal parts of rows this is (SplitFusedName); a fused vector's part counts
  // as one row.
  size_t part = 0;
};

// What a folder's texts say about its model.
struct ModelDescription {
  HfConfig config;
  SentenceConfig sentence;
  // heads/NAME.json, by path without ".json"; sorted by path.
  struct HeadFile {
    std::string stem;
    HeadSpec spec;
  };
  std::vector<HeadFile> head_files;
  // Text of model.safetensors.index.json, or "".
  std::string shard_index;
};

struct ImportPlan {
  std::vector<Target> targets;
  std::vector<HeadSpec> heads;
  // Names of source tensors that nothing uses, except constants.
  std::vector<std::string> ignored;
};

// True if weights of `path` belong to the model: the encoder's files, a Dense module's, a head's.
bool IsWeightFile(const ModelDescription& description, std::string_view path);

// Finds a source for every tensor of the model. Errors name the file and the tensor: missing (with
// the shard that should have it), twice there, of the wrong shape or dtype, or in the encoder's
// part of the file but not in the model that config.json describes.
Result<ImportPlan> PlanImport(const ModelDescription& description,
                              const std::vector<SourceFile>& files, Precision precision);

}  // namespace pocketbert
