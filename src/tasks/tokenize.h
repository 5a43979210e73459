#pragma once
// Tokenizing for a caller: the encodings of many texts as one list of numbers.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/folder_texts.h"
#include "text/tokenizer.h"

namespace pocketbert {

// The tokenizer of a folder: tokenizer.json, vocab.txt, tokenizer_config.json,
// special_tokens_map.json, added_tokens.json, of which Tokenizer::FromFiles takes what is there.
Result<Tokenizer> OpenTokenizer(const FolderTexts& files);

// The encodings of all items (text/encoding.h) as numbers, one list after the other, because one
// block crosses to JavaScript and from thread to thread faster than many:
//   [1] number of encodings   [encodings] items   [encodings] truncated   [encodings + 1] starts
//   [tokens] ids   [tokens] word ids   [tokens] bits of the marks   [2 * tokens] ranges
// Errors are those of Tokenizer::EncodeBatch.
Result<std::vector<int32_t>> Tokenize(const Tokenizer& tokenizer, std::span<const TextPair> items,
                                      const EncodeOptions& options);

// Tokens of each item, special tokens included, uncut.
Result<std::vector<uint32_t>> CountTokens(const Tokenizer& tokenizer,
                                          std::span<const TextPair> items);

}  // namespace pocketbert
