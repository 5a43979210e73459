#include "model/check_vocabulary.h"

#include <string>

namespace pocketbert {

Status CheckVocabulary(std::string_view file, const Tokenizer& tokenizer, size_t rows) {
  if (tokenizer.id_limit() <= rows) return Done{};
  const auto last = static_cast<int32_t>(tokenizer.id_limit() - 1);
  return FormatError(Message(file) + ": the vocabulary gives token \"" +
                     tokenizer.IdToToken(last).value_or("") + "\" the id " + last +
                     ", out of range: the table of word embeddings has " + rows +
                     " rows (vocab_size of config.json)");
}

}  // namespace pocketbert
