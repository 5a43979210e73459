#include "tasks/tokenize.h"

namespace pocketbert {
Result<Tokenizer> OpenTokenizer(const FolderTexts& files) {
  return Tokenizer::FromFiles(FindTokenizerFiles(files, ""));
}

Result<std::vector<int32_t>> Tokenize(const Tokenizer& tokenizer, std::span<const TextPair> items,
                                      const EncodeOptions& options) {
  PB_ASSIGN_OR_RETURN(const Encodings encodings, tokenizer.EncodeBatch(items, options));
  const size_t count = encodings.size();
  const size_t tokens = encodings.tokens.size();
  std::vector<int32_t> numbers(2 + 3 * count + 5 * tokens);
  int32_t* out = numbers.data();
  *out++ = static_cast<int32_t>(count);
  for (const uint32_t item : encodings.items) *out++ = static_cast<int32_t>(item);
  for (const uint8_t truncated : encodings.truncated) *out++ = truncated;
  for (const uint32_t start : encodings.starts) *out++ = static_cast<int32_t>(start);
  for (size_t i = 0; i < tokens; ++i) {
    const Token& token = encodings.tokens[i];
    out[i] = token.id;
    out[tokens + i] = token.word_id;
    out[2 * tokens + i] = static_cast<int32_t>(token.marks.bits());
    out[3 * tokens + 2 * i] = static_cast<int32_t>(token.range.begin);
    out[3 * tokens + 2 * i + 1] = static_cast<int32_t>(token.range.end);
  }
  return numbers;
}

Result<std::vector<uint32_t>> CountTokens(const Tokenizer& tokenizer,
                                          std::span<const TextPair> items) {
  return tokenizer.CountBatch(items);
}

}  // namespace pocketbert
