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

}  // namespace pocketbert
