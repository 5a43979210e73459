#include "text/word_level.h"

#include <utility>

#include "base/json_fields.h"

namespace pocketbert {

Status WordLevel::Load(Json json, Vocabulary&& vocabulary) {
  JsonFields fields(json);
  unk_token_ = fields.String("unk_token", "<unk>");
  fields.Any("type");
  fields.Any("vocab");
  PB_RETURN_IF_ERROR(fields.Finish());
  vocabulary_ = std::move(vocabulary);
  unk_id_ = vocabulary_.Find(unk_token_);
  return Done{};
}

bool WordLevel::Tokenize(std::string_view word, WordScratch&, std::vector<WordToken>& out) const {
  int32_t id = vocabulary_.Find(word);
  if (id < 0) id = unk_id_;
  if (id < 0) return false;
  out.push_back({id, 0, static_cast<uint32_t>(word.size())});
  return true;
}

}  // namespace pocketbert
