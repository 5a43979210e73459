#pragma once
// AddedTokens: tokens that are looked for in the text itself, before the model sees it: special
// ones such as [SEP], and those a user added to a trained vocabulary.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/normalizer.h"
#include "text/vocabulary.h"

namespace pocketbert {

struct AddedToken {
  std::string content;
  int32_t id = -1;
  bool single_word = false;  // only where no word character stands beside it
  bool lstrip = false;       // takes white space on its left along
  bool rstrip = false;       // and on its right
  bool normalized = false;   // looked for in normalized form, in the normalized text
  bool special = false;      // left out when decoding; not matched with encode_special_tokens

  bool SameFlags(const AddedToken& other) const {
    return single_word == other.single_word && lstrip == other.lstrip && rstrip == other.rstrip &&
           normalized == other.normalized && special == other.special;
  }
};

// Reads one entry of "added_tokens", or a token of tokenizer_config.json ("id" may be absent: -1).
Result<AddedToken> ReadAddedToken(Json json);

// Where a token stands: bytes [begin, end), white space taken along included.
struct TokenMatch {
  const AddedToken* token;
  size_t begin;
  size_t end;
};

// Finds added tokens in a text: leftmost first, the longest at a place. Time is at most the length
// of the text times that of the longest token. As in the reference, white space that a token takes
// along on its right is searched again: a token that itself begins with white space may overlap it.
class TokenFinder {
 public:
  void Add(std::string_view pattern, const AddedToken* token);

  bool empty() const { return nodes_.size() == 1; }

  // All matches in `text`, ordered by what they were found for, appended to `out`.
  void FindAll(std::string_view text, bool skip_special, std::vector<TokenMatch>& out) const;

 private:
  // A trie: edges leave a node as a list linked through `sibling`.
  struct Node {
    uint8_t byte = 0;
    const AddedToken* token = nullptr;
    uint32_t child = 0;  // 0: none
    uint32_t sibling = 0;
  };
  struct Found {
    const AddedToken* token = nullptr;
    size_t end = 0;
  };
  uint32_t ChildOf(uint32_t node, uint8_t byte) const;
  Found LongestAt(std::string_view text, size_t begin) const;

  std::vector<Node> nodes_ = {{}};
  bool begins_[256] = {};  // a pattern begins with this byte
  char begin_ = 0;         // the byte with which all patterns begin
  bool one_begin_ = true;
};

class AddedTokens {
 public:
  // `json` is "added_tokens" (null: none). As in the reference a token has the id of the
  // vocabulary's entry of the same text, else the next free one from the vocabulary's size on,
  // whatever "id" says.
  static Result<AddedTokens> Create(Json json, const Vocabulary& vocabulary,
                                    const Normalizer& normalizer);
  AddedTokens(AddedTokens&&) = default;
  AddedTokens& operator=(AddedTokens&&) = default;

  const TokenFinder& in_source() const { return in_source_; }
  const TokenFinder& in_normalized() const { return in_normalized_; }

  const AddedToken* FindById(int32_t id) const;
  const AddedToken* FindByContent(std::string_view content) const;

  // What the token reads as when decoding: its normalized form if it is looked for in that.
  std::string_view DecodedText(const AddedToken& token) const {
    return decoded_[static_cast<size_t>(&token - tokens_.data())];
  }
  bool IsSpecialText(std::string_view text) const;

  const std::vector<AddedToken>& all() const { return tokens_; }

 private:
  AddedTokens() = default;
  void Add(AddedToken token, const Vocabulary& vocabulary, int32_t& next_id);
  size_t IndexOfContent(std::string_view content) const;

  std::vector<AddedToken> tokens_;
  std::vector<std::string> decoded_;  // one each
  std::vector<uint32_t> by_content_;  // indices into tokens_, sorted
  std::vector<uint32_t> by_id_;
  TokenFinder in_source_;
  TokenFinder in_normalized_;
};

}  // namespace pocketbert
