#include "model/check_vocabulary.h"

#include <string>

namespace pocketbert {

Status CheckVocabulary(std::string_view file, const Tokenizer& tokenizer, size_t rows) {
  if (tokenizer.id_limit() <= rows) return Done{};
  const auto last = static_cast<int32_t>(tokenizer.id_limit() - 1);
  return FormatError(std::string(file) + ": the vocabulary gives token \"" +
                     std::string(tokenizer.IdToToken(last).value_or("")) + "\" the id " +
                     std::to_string(last) + ", out of range: the table of word embeddings has " +
                     std::to_string(rows) + " rows (vocab_size of config.json)");
}

}  // namespace pocketbert
