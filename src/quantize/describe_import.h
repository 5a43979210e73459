#pragma once
// What an import would give, told before any weights are read; and the same of a one-file model, of
// which only the header is read.
//
// JSON: {"modelType", "architectures", "tasks", "heads": [{"name", "task", "labels"}],
// "tokenizer": {"type", "vocabularySize"}, "layers", "hiddenSize", "dimensions", "maxTokens",
// "precision", "parameters", "fileBytes", "ignoredTensors"}. `type` is tokenizer.json's name of the
// model ("WordPiece"); `parameters` counts numbers, biases included; `fileBytes` is the size of the
// one-file model, as import writes it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/head_config.h"
#include "model/hf_config.h"
#include "model/one_file.h"
#include "model/sentence_config.h"

namespace pocketbert {

struct ImportFacts {
  const HfConfig& config;
  const SentenceConfig& sentence;
  std::span<const HeadSpec> heads;
  std::string_view tokenizer_text;  // of a compiled tokenizer
  std::span<const std::string> ignored;
  Precision precision = Precision::kInt8;
  uint64_t parameters = 0;
  uint64_t file_bytes = 0;
};
Result<std::string> DescribeImport(const ImportFacts& facts);

// `bytes`: the file from its start, at least its header. `file_bytes`: size of the whole file, if
// known. Errors: what is no one-file model, or one of another version; texts in its metadata that
// opening the model would refuse. Weights are not looked at.
Result<std::string> DescribeOneFile(std::string_view name, std::span<const uint8_t> bytes,
                                    std::optional<uint64_t> file_bytes);

}  // namespace pocketbert
