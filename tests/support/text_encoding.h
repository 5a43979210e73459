#pragma once
// What Tokenizer::Encode gives, one list a field, and the windows of a cut text inside its
// encoding: as tests read it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace pocketbert {

struct Encoding {
  std::vector<int32_t> ids;
  std::vector<Range> offsets;
  std::vector<int32_t> type_ids;
  std::vector<uint8_t> attention_mask;
  std::vector<uint8_t> special_tokens_mask;
  std::vector<int32_t> word_ids;
  std::vector<int8_t> sequence_ids;
  bool truncated = false;
  std::vector<Encoding> overflow;

  size_t size() const { return ids.size(); }
};

inline std::vector<Encoding> Unpack(const Encodings& encodings) {
  std::vector<Encoding> list;
  for (size_t e = 0; e < encodings.size(); ++e) {
    Encoding encoding;
    for (size_t i = encodings.starts[e]; i < encodings.starts[e + 1]; ++i) {
      const Token& token = encodings.tokens[i];
      encoding.ids.push_back(token.id);
      encoding.offsets.push_back(token.range);
      encoding.type_ids.push_back(token.marks.type());
      encoding.attention_mask.push_back(token.marks.attention());
      encoding.special_tokens_mask.push_back(token.marks.special());
      encoding.word_ids.push_back(token.word_id);
      encoding.sequence_ids.push_back(static_cast<int8_t>(token.marks.sequence()));
    }
    encoding.truncated = encodings.truncated[e] != 0;
    const bool further = e > 0 && encodings.items[e] == encodings.items[e - 1];
    (further ? list.back().overflow : list).push_back(encoding);
  }
  return list;
}

inline Result<Encoding> EncodeText(const Tokenizer& tokenizer, std::string_view text,
                                   std::optional<std::string_view> pair,
                                   const EncodeOptions& options) {
  PB_ASSIGN_OR_RETURN(const Encodings encodings, tokenizer.Encode(text, pair, options));
  return Unpack(encodings).at(0);
}

}  // namespace pocketbert
