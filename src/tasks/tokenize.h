#pragma once
// Tokenizing for a caller: the encodings of many texts, laid end to end.

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

// Encodings back to back: encoding e has the tokens [starts[e], starts[e + 1]). Each item gives one
// encoding, followed by its overflow windows. Fields of a token are those of `Encoding`.
//
//   items "hi" and "a b c" (cut to 4 tokens):
//   items   [0 1 1]     starts [0 3 7 10]     truncated [0 1 0]
//   ids     [101 7632 102 | 101 1037 1038 102 | 101 1039 102]
struct Tokens {
  std::vector<uint32_t> items;      // [encodings] index of the item
  std::vector<uint32_t> starts{0};  // [encodings + 1]
  std::vector<uint8_t> truncated;   // [encodings]
  std::vector<int32_t> ids;         // [tokens], as all that follow but offsets
  std::vector<uint32_t> offsets;    // [2 * tokens] begin and end, UTF-16 units
  std::vector<uint8_t> type_ids;
  std::vector<uint8_t> attention_mask;
  std::vector<uint8_t> special_tokens_mask;
  std::vector<int32_t> word_ids;
  std::vector<int8_t> sequence_ids;

  size_t encodings() const { return items.size(); }
};

// Errors are those of Tokenizer::EncodeBatch.
Result<Tokens> Tokenize(const Tokenizer& tokenizer, std::span<const TextPair> items,
                        const EncodeOptions& options);

// Tokens of each item, special tokens included, uncut.
Result<std::vector<uint32_t>> CountTokens(const Tokenizer& tokenizer,
                                          std::span<const TextPair> items);

}  // namespace pocketbert
