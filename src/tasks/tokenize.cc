#include "tasks/tokenize.h"

#include <optional>
#include <string>
#include <string_view>

namespace pocketbert {
namespace {

template <typename To, typename From>
void AppendAll(std::vector<To>& to, const std::vector<From>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void Append(const Encoding& encoding, size_t item, Tokens& tokens) {
  tokens.items.push_back(static_cast<uint32_t>(item));
  tokens.truncated.push_back(encoding.truncated ? 1 : 0);
  AppendAll(tokens.ids, encoding.ids);
  for (const Range& range : encoding.offsets) {
    tokens.offsets.push_back(range.begin);
    tokens.offsets.push_back(range.end);
  }
  AppendAll(tokens.type_ids, encoding.type_ids);
  AppendAll(tokens.attention_mask, encoding.attention_mask);
  AppendAll(tokens.special_tokens_mask, encoding.special_tokens_mask);
  AppendAll(tokens.word_ids, encoding.word_ids);
  AppendAll(tokens.sequence_ids, encoding.sequence_ids);
  tokens.starts.push_back(static_cast<uint32_t>(tokens.ids.size()));
  for (const Encoding& window : encoding.overflow) Append(window, item, tokens);
}

std::optional<std::string_view> FindText(const FolderTexts& files, std::string_view path) {
  const std::string* text = files.Find(path);
  if (text == nullptr) return std::nullopt;
  return *text;
}

}  // namespace

Result<Tokenizer> OpenTokenizer(const FolderTexts& files) {
  return Tokenizer::FromFiles({
      .tokenizer_json = FindText(files, "tokenizer.json"),
      .vocab_txt = FindText(files, "vocab.txt"),
      .tokenizer_config_json = FindText(files, "tokenizer_config.json"),
      .special_tokens_map_json = FindText(files, "special_tokens_map.json"),
      .added_tokens_json = FindText(files, "added_tokens.json"),
  });
}

Result<Tokens> Tokenize(const Tokenizer& tokenizer, std::span<const TextPair> items,
                        const EncodeOptions& options) {
  PB_ASSIGN_OR_RETURN(const std::vector<Encoding> encodings,
                      tokenizer.EncodeBatch(items, options));
  Tokens tokens;
  for (size_t i = 0; i < encodings.size(); ++i) Append(encodings[i], i, tokens);
  return tokens;
}

Result<std::vector<uint32_t>> CountTokens(const Tokenizer& tokenizer,
                                          std::span<const TextPair> items) {
  std::vector<uint32_t> counts;
  counts.reserve(items.size());
  for (const TextPair& item : items) {
    PB_ASSIGN_OR_RETURN(const Encoding encoding, tokenizer.Encode(item.text, item.pair, {}));
    counts.push_back(static_cast<uint32_t>(encoding.size()));
  }
  return counts;
}

}  // namespace pocketbert
