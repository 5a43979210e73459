#pragma once
// MergedTokens: special and added tokens of a model folder, gathered from tokenizer.json,
// tokenizer_config.json, special_tokens_map.json and added_tokens.json the way transformers does.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/added_tokens.h"
#include "text/vocabulary.h"

namespace pocketbert {

// Roots of the files; null where one is absent.
struct TokenFiles {
  Json tokenizer;
  Json config;
  Json special_map;
  Json added_map;
  // Where no file names a token: "<s>" for "[CLS]" and so on, as RoBERTa's class has it.
  bool roberta_names = false;
};

// A token with a role, such as "cls_token".
struct TokenRole {
  std::string_view key;
  AddedToken token;
};

class MergedTokens {
 public:
  // Views of the files stay in use.
  static Result<MergedTokens> Create(const TokenFiles& files, const Vocabulary& vocabulary);

  const std::vector<TokenRole>& roles() const { return roles_; }
  // In the order of the files; ids as written there (-1: none).
  const std::vector<AddedToken>& added() const { return added_; }
  // Where tokenizer_config.json and tokenizer.json disagree.
  const std::vector<std::string>& differences() const { return differences_; }

  // The token with the role of `usual` ("[CLS]", …); where no file names one, `usual` itself or
  // RoBERTa's.
  std::string RoleOf(std::string_view usual) const;

 private:
  explicit MergedTokens(const TokenFiles& files)
      : files_(files), has_tokenizer_json_(!files.tokenizer.is_null()) {}

  // The file of special tokens is an older way; where tokenizer_config.json lists all added tokens,
  // it is not read.
  bool config_lists_tokens() const {
    return !files_.config.FindOrNull("added_tokens_decoder").is_null();
  }

  Status ReadRoles();
  Status ReadTokenizerJson();
  Status MergeDecoder();
  Status MergeOlderList();
  Status MergeSpecials(const Vocabulary& vocabulary);
  Status MergeAdditional();
  void Merge(AddedToken token);
  AddedToken* Find(std::string_view content);
  bool IsRole(std::string_view content) const;

  TokenFiles files_;
  bool has_tokenizer_json_;
  std::vector<TokenRole> roles_;
  std::vector<AddedToken> added_;
  std::vector<std::string> differences_;
};

}  // namespace pocketbert
