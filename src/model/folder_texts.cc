#include "model/folder_texts.h"

namespace pocketbert {

void FolderTexts::Add(std::string path, std::string text) {
  for (File& file : files_) {
    if (file.path == path) {
      file.text = std::move(text);
      return;
    }
  }
  files_.push_back({std::move(path), std::move(text)});
}

const std::string* FolderTexts::Find(std::string_view path) const {
  for (const File& file : files_) {
    if (file.path == path) return &file.text;
  }
  return nullptr;
}

TokenizerFiles FindTokenizerFiles(const FolderTexts& files, std::string_view folder) {
  const auto find = [&](std::string_view name) -> std::optional<std::string_view> {
    const std::string* text = files.Find(std::string(folder).append(name));
    if (text == nullptr) return std::nullopt;
    return *text;
  };
  TokenizerFiles found = {
      .tokenizer_json = find("tokenizer.json"),
      .vocab_json = find("vocab.json"),
      .merges_txt = find("merges.txt"),
      .vocab_txt = find("vocab.txt"),
      .tokenizer_config_json = find("tokenizer_config.json"),
      .special_tokens_map_json = find("special_tokens_map.json"),
      .added_tokens_json = find("added_tokens.json"),
  };
  for (const std::string_view name : kSentencepieceModels) {
    found.has_sentencepiece_model = found.has_sentencepiece_model || find(name);
  }
  return found;
}

}  // namespace pocketbert
