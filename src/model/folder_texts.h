#pragma once
// FolderTexts: the text files of a Hugging Face folder, by path.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/tokenizer.h"

namespace pocketbert {

// `config.json`, `tokenizer.json`, `1_Pooling/config.json`, `heads/topics.json` … Files that the
// folder does not have are simply not in it.
class FolderTexts {
 public:
  struct File {
    std::string path;
    std::string text;
  };

  // A second text of the same path replaces the first.
  void Add(std::string path, std::string text);
  // The text of a file, or null.
  const std::string* Find(std::string_view path) const;
  const std::vector<File>& files() const { return files_; }

 private:
  std::vector<File> files_;
};

// Those of a tokenizer, by their names in the encoder's own folder, which ends with a slash or is
// "". They are views into `files`.
TokenizerFiles FindTokenizerFiles(const FolderTexts& files, std::string_view folder);

}  // namespace pocketbert
