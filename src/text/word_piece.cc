#include "text/word_piece.h"

#include <algorithm>
#include <utility>

#include "base/json_fields.h"
#include "text/utf8.h"

namespace pocketbert {
Result<WordPiece> WordPiece::FromJson(Json json, Vocabulary vocabulary) {
  JsonFields fields(json);
  WordPiece model;
  model.unk_token_ = fields.String("unk_token", "[UNK]");
  const std::string_view prefix = fields.String("continuing_subword_prefix", "##");
  if (fields.Any("max_input_chars_per_word").kind() == JsonKind::kUint) {
    model.max_input_chars_ = SIZE_MAX;
  } else {
    const int64_t most = fields.Int("max_input_chars_per_word", 100, 0);
    model.max_input_chars_ = static_cast<size_t>(std::min<int64_t>(most, UINT32_MAX));
  }
  fields.Any("type");
  fields.Any("vocab");
  PB_RETURN_IF_ERROR(fields.Finish());
  model.marks_continuations_ = !prefix.empty();
  model.vocabulary_ = std::move(vocabulary);
  model.unk_id_ = model.vocabulary_.Find(model.unk_token_);
  PB_ASSIGN_OR_RETURN(model.first_, MakePosition(model.vocabulary_, ""));
  PB_ASSIGN_OR_RETURN(model.further_, MakePosition(model.vocabulary_, prefix));
  return model;
}

Result<WordPiece::Position> WordPiece::MakePosition(const Vocabulary& vocabulary,
                                                    std::string_view prefix) {
  Position position = {{}, {}, prefix.size()};
  std::vector<uint32_t> ids;
  for (size_t id = 0; id < vocabulary.id_limit(); ++id) {
    if (!vocabulary.Has(id)) continue;
    const std::string_view text = vocabulary.Text(id);
    if (!text.starts_with(prefix) || text.size() == prefix.size()) continue;
    uint32_t& longest = position.longest[static_cast<uint8_t>(text[prefix.size()])];
    longest = std::max(longest, static_cast<uint32_t>(text.size() - prefix.size()));
    ids.push_back(static_cast<uint32_t>(id));
  }
  if (prefix.empty()) return position;
  position.behind_prefix.Reset(ids.size());
  for (const uint32_t id : ids) {
    const TextKey key(vocabulary.Text(id).substr(prefix.size()));
    if (!position.behind_prefix.Insert(key, static_cast<int32_t>(id))) {
      return FormatError("texts of the vocabulary crafted to collide in a hash table are refused");
    }
  }
  return position;
}

bool WordPiece::IsTooLong(std::string_view word) const {
  if (word.size() <= max_input_chars_) return false;
  const auto begins_char = [](char byte) { return !IsContinuation(byte); };
  return static_cast<size_t>(std::count_if(word.begin(), word.end(), begins_char)) >
         max_input_chars_;
}

// Looks for the whole text first (up to the length of the longest entry), then for ever shorter
// beginnings.
WordPiece::Match WordPiece::LongestMatch(const Position& position, std::string_view text) const {
  const size_t most =
      std::min<size_t>(text.size(), position.longest[static_cast<uint8_t>(text[0])]);
  for (TextKey key(text.substr(0, most)); key.size() > 0; key.Shorten()) {
    const size_t size = key.size();
    if (size < text.size() && IsContinuation(text[size])) continue;
    const std::string_view wanted = text.substr(0, size);
    const int32_t id =
        position.prefix_size == 0
            ? vocabulary_.Find(key, wanted)
            : position.behind_prefix.Find(key, [&](int32_t found) {
                const std::string_view entry = vocabulary_.Text(static_cast<size_t>(found));
                return entry.substr(position.prefix_size) == wanted;
              });
    if (id >= 0) return {id, size};
  }
  return {-1, 0};
}

bool WordPiece::Tokenize(std::string_view word, std::vector<WordToken>& out) const {
  const size_t before = out.size();
  if (!IsTooLong(word)) {
    size_t at = 0;
    while (at < word.size()) {
      const Match match = LongestMatch(at == 0 ? first_ : further_, word.substr(at));
      if (match.id < 0) break;
      out.push_back({match.id, static_cast<uint32_t>(at), static_cast<uint32_t>(at + match.bytes)});
      at += match.bytes;
    }
    if (at == word.size()) return true;
    out.resize(before);
  }
  if (unk_id_ < 0) return false;
  out.push_back({unk_id_, 0, static_cast<uint32_t>(word.size())});
  return true;
}

}  // namespace pocketbert
