#pragma once
// WordLevel: a word is the entry of the vocabulary that reads so, or unknown.

#include <string_view>
#include <vector>

#include "text/word_model.h"

namespace pocketbert {

class WordLevel final : public WordModel {
 public:
  // `json` is tokenizer.json's "model", of this type.
  Status Load(Json json, Vocabulary&& vocabulary);

  bool Tokenize(std::string_view word, WordScratch&, std::vector<WordToken>& out) const override;
};

}  // namespace pocketbert
