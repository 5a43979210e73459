#include "text/merged_tokens.h"

#include <algorithm>
#include <utility>

#include "base/sort.h"

namespace pocketbert {
namespace {

constexpr std::string_view kRoleKeys[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                          "pad_token", "cls_token", "mask_token"};

constexpr std::pair<std::string_view, std::string_view> kRobertaNames[] = {
    {"[CLS]", "<s>"}, {"[SEP]", "</s>"},   {"[PAD]", "<pad>"},
    {"[UNK]", "<unk>"}, {"[MASK]", "<mask>"}};

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }
std::string_view BoolName(bool value) { return value ? "true" : "false"; }

// A special token is written as a text or as an object with flags.
Result<AddedToken> ReadSpecial(Json json) {
  AddedToken token;
  if (json.is_object()) {
    PB_ASSIGN_OR_RETURN(token, ReadAddedToken(json));
  } else {
    PB_ASSIGN_OR_RETURN(token.content, json.AsString());
  }
  token.special = true;
  return token;
}

// A key of added_tokens_decoder.
Result<int32_t> ReadIdKey(Json list, std::string_view key) {
  int32_t id = 0;
  for (const char digit : key) {
    if (digit < '0' || digit > '9' || id > INT32_MAX / 10 - 1) {
      return FormatError(Message(list.Path()) + " has the key " + Quoted(key) + ", expected an id");
    }
    id = id * 10 + (digit - '0');
  }
  return id;
}

void SortById(std::vector<AddedToken>& tokens) {
  SortStably(tokens, [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
}

std::string DescribeFlags(const AddedToken& now, const AddedToken& before) {
  std::string text = "added token " + Quoted(now.content) + ":";
  const auto flag = [&](std::string_view name, bool in_config, bool in_file) {
    if (in_config == in_file) return;
    text.append(" ").append(name).append(" is ").append(BoolName(in_config));
    text.append(" in tokenizer_config.json and ").append(BoolName(in_file));
    text.append(" in tokenizer.json,");
  };
  flag("single_word", now.single_word, before.single_word);
  flag("lstrip", now.lstrip, before.lstrip);
  flag("rstrip", now.rstrip, before.rstrip);
  flag("normalized", now.normalized, before.normalized);
  flag("special", now.special, before.special);
  return text + " the former is obeyed";
}

}  // namespace

Result<MergedTokens> MergedTokens::Create(const TokenFiles& files, const Vocabulary& vocabulary) {
  MergedTokens merged(files);
  PB_RETURN_IF_ERROR(merged.ReadRoles());
  PB_RETURN_IF_ERROR(merged.ReadTokenizerJson());
  PB_RETURN_IF_ERROR(merged.config_lists_tokens() ? merged.MergeDecoder()
                                                  : merged.MergeOlderList());
  PB_RETURN_IF_ERROR(merged.MergeSpecials(vocabulary));
  PB_RETURN_IF_ERROR(merged.MergeAdditional());
  return merged;
}

Status MergedTokens::ReadRoles() {
  for (const std::string_view key : kRoleKeys) {
    Json value = files_.config.FindOrNull(key);
    const Json in_map = files_.special_map.FindOrNull(key);
    if (!config_lists_tokens() && !in_map.is_null()) value = in_map;
    if (value.is_null()) continue;
    PB_ASSIGN_OR_RETURN(AddedToken token, ReadSpecial(value));
    roles_.push_back({key, std::move(token)});
  }
  return Done{};
}

Status MergedTokens::ReadTokenizerJson() {
  const Json list = files_.tokenizer.FindOrNull("added_tokens");
  if (!list.is_null()) PB_RETURN_IF_ERROR(list.AsArray());
  for (Json item : list.Items()) {
    PB_ASSIGN_OR_RETURN(AddedToken token, ReadAddedToken(item));
    added_.push_back(std::move(token));
  }
  return Done{};
}

AddedToken* MergedTokens::Find(std::string_view content) {
  for (AddedToken& token : added_) {
    if (token.content == content) return &token;
  }
  return nullptr;
}

bool MergedTokens::IsRole(std::string_view content) const {
  for (const TokenRole& role : roles_) {
    if (role.token.content == content) return true;
  }
  return false;
}

// Adds a token of tokenizer_config.json, or gives a known one its flags.
void MergedTokens::Merge(AddedToken token) {
  AddedToken* known = Find(token.content);
  if (!known) {
    if (has_tokenizer_json_) {
      differences_.push_back("added token " + Quoted(token.content) +
                             ": not in tokenizer.json but in a file beside it; it is used");
    }
    added_.push_back(std::move(token));
    return;
  }
  token.special = token.special || known->special;
  if (known->SameFlags(token)) return;
  if (has_tokenizer_json_) differences_.push_back(DescribeFlags(token, *known));
  token.id = known->id;
  *known = std::move(token);
}

// tokenizer_config.json's {"0": {"content": "[PAD]", …}, …}, in the order of the ids.
Status MergedTokens::MergeDecoder() {
  PB_ASSIGN_OR_RETURN(Json list, files_.config.GetObject("added_tokens_decoder"));
  std::vector<AddedToken> tokens;
  for (auto [key, value] : list.Members()) {
    PB_ASSIGN_OR_RETURN(AddedToken token, ReadAddedToken(value));
    PB_ASSIGN_OR_RETURN(token.id, ReadIdKey(list, key));
    token.special = token.special || IsRole(token.content);
    tokens.push_back(std::move(token));
  }
  SortById(tokens);
  for (AddedToken& token : tokens) Merge(std::move(token));
  return Done{};
}

// added_tokens.json: {"[X]": 30522, …}; what tokenizer.json lists, by text or id, it knows better.
Status MergedTokens::MergeOlderList() {
  std::vector<AddedToken> tokens;
  for (auto [content, value] : files_.added_map.Members()) {
    PB_ASSIGN_OR_RETURN(int64_t id, value.AsInt(0, INT32_MAX));
    const bool taken = std::any_of(added_.begin(), added_.end(), [&](const AddedToken& known) {
      return known.id == id || known.content == content;
    });
    if (taken) continue;
    AddedToken token;
    token.content = content;
    token.id = static_cast<int32_t>(id);
    token.special = IsRole(content);
    token.normalized = !token.special;
    tokens.push_back(std::move(token));
  }
  SortById(tokens);
  for (AddedToken& token : tokens) Merge(std::move(token));
  return Done{};
}

// Tokens with a role that are not among the added ones yet. A role whose token is in no vocabulary
// stays empty.
Status MergedTokens::MergeSpecials(const Vocabulary& vocabulary) {
  for (TokenRole& role : roles_) {
    const std::string& content = role.token.content;
    if (files_.roberta_names && role.key == "mask_token") role.token.lstrip = true;
    if (!Find(content) && vocabulary.Find(content) >= 0) Merge(role.token);
  }
  if (has_tokenizer_json_) return Done{};
  for (const char* usual : {"[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}) {
    AddedToken token;
    token.content = RoleOf(usual);
    token.special = true;
    token.lstrip = files_.roberta_names && usual == std::string_view("[MASK]");
    if (!Find(token.content) && vocabulary.Find(token.content) >= 0) Merge(std::move(token));
  }
  return Done{};
}

Status MergedTokens::MergeAdditional() {
  for (const Json file : {files_.config, files_.special_map}) {
    const Json list = file.FindOrNull("additional_special_tokens");
    if (!list.is_null()) PB_RETURN_IF_ERROR(list.AsArray());
    for (Json item : list.Items()) {
      PB_ASSIGN_OR_RETURN(AddedToken token, ReadSpecial(item));
      if (!Find(token.content)) Merge(std::move(token));
    }
    if (config_lists_tokens()) break;
  }
  return Done{};
}

std::string MergedTokens::RoleOf(std::string_view usual) const {
  // "[CLS]" and "cls_token"
  const auto same_letter = [](char lower, char upper) { return lower - 'a' == upper - 'A'; };
  for (const TokenRole& role : roles_) {
    const std::string_view name = role.key.substr(0, role.key.find('_'));
    if (usual.size() == name.size() + 2 &&
        std::equal(name.begin(), name.end(), usual.begin() + 1, same_letter)) {
      return role.token.content;
    }
  }
  if (files_.roberta_names) {
    for (const auto& [bert, roberta] : kRobertaNames) {
      if (bert == usual) return std::string(roberta);
    }
  }
  return std::string(usual);
}

}  // namespace pocketbert
