#include "text/added_tokens.h"

#include <algorithm>
#include <utility>

#include "base/json_fields.h"
#include "base/sort.h"
#include "text/unicode_tables.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

bool HasWordCharBefore(std::string_view text, size_t at) {
  if (at == 0) return false;
  const char* before = text.data() + at;
  return CharClass(ReadUtf8Backward(before)) & kWordChar;
}

bool HasWordCharAt(std::string_view text, size_t at) {
  if (at == text.size()) return false;
  const char* after = text.data() + at;
  return CharClass(ReadUtf8(after)) & kWordChar;
}

size_t SkipWhiteSpaceBackward(std::string_view text, size_t at, size_t stop) {
  const char* before = text.data() + at;
  while (before > text.data() + stop && (CharClass(ReadUtf8Backward(before)) & kWhiteSpace)) {
    at = static_cast<size_t>(before - text.data());
  }
  return at;
}

size_t SkipWhiteSpace(std::string_view text, size_t at) {
  const char* after = text.data() + at;
  const char* const end = text.data() + text.size();
  while (after < end && (CharClass(ReadUtf8(after)) & kWhiteSpace)) {
    at = static_cast<size_t>(after - text.data());
  }
  return at;
}

}  // namespace

Result<AddedToken> ReadAddedToken(Json json) {
  JsonFields fields(json);
  AddedToken token;
  token.content = fields.RequiredString("content");
  token.id = static_cast<int32_t>(fields.Int("id", -1, -1, INT32_MAX));
  token.single_word = fields.Bool("single_word", false);
  token.lstrip = fields.Bool("lstrip", false);
  token.rstrip = fields.Bool("rstrip", false);
  token.special = fields.Bool("special", false);
  token.normalized = fields.Bool("normalized", !token.special);
  fields.Any("__type");
  PB_RETURN_IF_ERROR(fields.Finish());
  return token;
}

uint32_t TokenFinder::ChildOf(uint32_t node, uint8_t byte) const {
  uint32_t child = nodes_[node].child;
  while (child != 0 && nodes_[child].byte != byte) child = nodes_[child].sibling;
  return child;
}

void TokenFinder::Add(std::string_view pattern, const AddedToken* token) {
  if (pattern.empty()) return;
  begins_[static_cast<uint8_t>(pattern[0])] = true;
  if (empty()) begin_ = pattern[0];
  one_begin_ = one_begin_ && pattern[0] == begin_;
  uint32_t at = 0;
  for (const char c : pattern) {
    const auto byte = static_cast<uint8_t>(c);
    uint32_t child = ChildOf(at, byte);
    if (child == 0) {
      child = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({byte, nullptr, 0, nodes_[at].child});
      nodes_[at].child = child;
    }
    at = child;
  }
  if (!nodes_[at].token) nodes_[at].token = token;
}

TokenFinder::Found TokenFinder::LongestAt(std::string_view text, size_t begin) const {
  Found found;
  uint32_t node = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    node = ChildOf(node, static_cast<uint8_t>(text[at]));
    if (node == 0) break;
    if (nodes_[node].token) found = {nodes_[node].token, at + 1};
  }
  return found;
}

void TokenFinder::FindAll(std::string_view text, bool skip_special,
                          std::vector<TokenMatch>& out) const {
  size_t since = 0;  // end of the match before
  size_t at = 0;
  while (at < text.size()) {
    // Special tokens mostly begin alike, and few texts have one.
    if (one_begin_) at = std::min(text.find(begin_, at), text.size() - 1);
    if (!begins_[static_cast<uint8_t>(text[at])]) {
      ++at;
      continue;
    }
    const Found found = LongestAt(text, at);
    if (!found.token) {
      ++at;
      continue;
    }
    const AddedToken& token = *found.token;
    size_t begin = at;
    size_t end = found.end;
    at = end;
    if (skip_special && token.special) continue;
    if (token.single_word && (HasWordCharBefore(text, begin) || HasWordCharAt(text, end))) continue;
    if (token.lstrip) begin = std::max(SkipWhiteSpaceBackward(text, begin, since), since);
    if (token.rstrip) end = SkipWhiteSpace(text, end);
    out.push_back({&token, begin, std::max(begin, end)});
    since = end;
  }
}

size_t AddedTokens::IndexOfContent(std::string_view content) const {
  const auto less = [this](uint32_t index, std::string_view wanted) {
    return tokens_[index].content < wanted;
  };
  return static_cast<size_t>(
      std::lower_bound(by_content_.begin(), by_content_.end(), content, less) -
      by_content_.begin());
}

void AddedTokens::Add(AddedToken token, const Vocabulary& vocabulary, int32_t& next_id) {
  if (token.content.empty()) return;
  const size_t place = IndexOfContent(token.content);
  if (place < by_content_.size() && tokens_[by_content_[place]].content == token.content) {
    // Named again: the later flags count, but special it stays.
    AddedToken& known = tokens_[by_content_[place]];
    token.id = known.id;
    token.special = token.special || known.special;
    known = std::move(token);
    return;
  }
  const int32_t in_vocabulary = vocabulary.Find(token.content);
  token.id = in_vocabulary >= 0 ? in_vocabulary : next_id++;
  by_content_.insert(by_content_.begin() + static_cast<ptrdiff_t>(place),
                     static_cast<uint32_t>(tokens_.size()));
  tokens_.push_back(std::move(token));
}

Result<AddedTokens> AddedTokens::Create(Json json, const Vocabulary& vocabulary,
                                        const Normalizer& normalizer) {
  AddedTokens added;
  auto next_id = static_cast<int32_t>(vocabulary.size());
  if (!json.is_null()) PB_RETURN_IF_ERROR(json.AsArray());
  for (Json item : json.Items()) {
    PB_ASSIGN_OR_RETURN(AddedToken token, ReadAddedToken(item));
    added.Add(std::move(token), vocabulary, next_id);
  }
  for (uint32_t i = 0; i < added.tokens_.size(); ++i) added.by_id_.push_back(i);
  SortIndices(added.by_id_, [&](uint32_t a, uint32_t b) {
    return added.tokens_[a].id < added.tokens_[b].id;
  });
  for (const AddedToken& token : added.tokens_) {
    added.decoded_.push_back(token.content);
    if (token.normalized) {
      PB_ASSIGN_OR_RETURN(added.decoded_.back(), normalizer.Normalize(token.content));
    }
    TokenFinder& finder = token.normalized ? added.in_normalized_ : added.in_source_;
    finder.Add(added.decoded_.back(), &token);
  }
  return added;
}

const AddedToken* AddedTokens::FindById(int32_t id) const {
  const auto found = std::lower_bound(
      by_id_.begin(), by_id_.end(), id,
      [this](uint32_t index, int32_t wanted) { return tokens_[index].id < wanted; });
  if (found == by_id_.end() || tokens_[*found].id != id) return nullptr;
  return &tokens_[*found];
}

const AddedToken* AddedTokens::FindByContent(std::string_view content) const {
  const size_t place = IndexOfContent(content);
  if (place == by_content_.size()) return nullptr;
  const AddedToken& token = tokens_[by_content_[place]];
  return token.content == content ? &token : nullptr;
}

bool AddedTokens::IsSpecialText(std::string_view text) const {
  const AddedToken* token = FindByContent(text);
  return token && token->special;
}

}  // namespace pocketbert
