#pragma once
// ModelImporter: a Hugging Face folder into our one-file format, while its weight files stream in.
//
//   PB_ASSIGN_OR_RETURN(ModelImporter importer, ModelImporter::Create(texts, {}));
//   importer.AddHeader(file, first_bytes, file_bytes);   // every weight file, before any Write
//   importer.Write(file, offset, chunk);                 // … until all are through
//   PB_ASSIGN_OR_RETURN(TensorFile one_file, std::move(importer).Finish());
//
// Weights are quantized as they arrive: tables row by row, matrices as soon as what their
// equalization needs is there. The result depends on the files only: not on the chunks, their sizes
// or the order of the files.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/safetensors.h"
#include "model/folder_texts.h"
#include "model/one_file.h"

namespace pocketbert {

struct ImportOptions {
  Precision precision = Precision::kInt8;
  // A name kept in the file, e.g. where it came from.
  std::string source = {};
};

class ModelImporter {
 public:
  // `files`: the folder's text files. Checks all of them: config.json, the tokenizer, modules and
  // their configurations, heads, the shard index. Errors name file and key.
  static Result<ModelImporter> Create(FolderTexts files, ImportOptions options);
  ~ModelImporter();
  ModelImporter(ModelImporter&& other) noexcept;
  ModelImporter& operator=(ModelImporter&& other) noexcept;

  // Tells the beginning of a weight file: `model.safetensors`, the shards of the index or an ONNX
  // graph, `2_Dense/model.safetensors`, `heads/topics.safetensors`. `bytes` starts at the file's first
  // byte. Returns 0 if they hold the whole header, else how many bytes of the file's beginning are
  // needed: call again with at least these. `file_bytes`: size of the file, if known. A file that
  // holds nothing for this model is an error.
  Result<uint64_t> AddHeader(std::string_view file, std::span<const uint8_t> bytes,
                             std::optional<uint64_t> file_bytes);

  // Bytes of a weight file from `offset` on (counted from the file's start; those of the header are
  // passed over). Offsets rise without gaps within a file; files may be interleaved. The first
  // Write fixes the layout: it fails if a tensor is in none of the headers, or in the wrong shape
  // or type (which an ONNX file tells only where a tensor's values begin).
  Status Write(std::string_view file, uint64_t offset, std::span<const uint8_t> bytes);

  // The finished file. Fails if a file's bytes are incomplete, naming it, what was found and
  // expected.
  Result<TensorFile> Finish() &&;

  // Instead of Write and Finish: what the import would give, as JSON (describe_import.h), from the
  // headers alone. Fails where the first Write would.
  Result<std::string> Describe() &&;

  // Bytes that the importer holds now, and the most it ever held: the growing one-file model,
  // staged tensors and texts.
  size_t held_bytes() const;
  size_t peak_bytes() const;

 private:
  struct State;
  explicit ModelImporter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pocketbert
