#pragma once
// From the text files of a Hugging Face folder to what an import needs of them.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/folder_texts.h"
#include "quantize/import_plan.h"

namespace pocketbert {

struct FolderDescription {
  ModelDescription model;
  std::string config_text;          // config.json as it is
  std::string tokenizer_text;       // of the compiled tokenizer
  std::vector<uint8_t> vocabulary;  // of the compiled tokenizer
};

// Reads and checks all of them: config.json, the tokenizer's files, modules.json and what it names,
// sentence_bert_config.json, heads/NAME.json. Errors name the file and the key.
Result<FolderDescription> DescribeFolder(const FolderTexts& files);

}  // namespace pocketbert
