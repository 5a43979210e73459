#pragma once
// The tokenizer and the embedding table must fit: every id needs a row.

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "text/tokenizer.h"

namespace pocketbert {

// kFormat if an id of the tokenizer lies beyond the table's `rows`; names `file`, the token with
// the largest id, and both numbers.
Status CheckVocabulary(std::string_view file, const Tokenizer& tokenizer, size_t rows);

}  // namespace pocketbert
