#include "text/tokenizer_state.h"

#include <algorithm>
#include <utility>

#include "base/json_fields.h"
#include "text/padding.h"
#include "text/truncation.h"

namespace pocketbert {
namespace {

// Roles of special tokens: their key in tokenizer_config.json, and the names where no file tells
// one: the first that is a token.
struct Role {
  const char* key;
  std::string_view usual_names[2];
  int32_t SpecialIds::*id;
};
constexpr Role kRoles[] = {
    {"cls_token", {"[CLS]", "<s>"}, &SpecialIds::cls},
    {"sep_token", {"[SEP]", "</s>"}, &SpecialIds::sep},
    {"pad_token", {"[PAD]", "<pad>"}, &SpecialIds::pad},
    {"mask_token", {"[MASK]", "<mask>"}, &SpecialIds::mask},
    {"unk_token", {"[UNK]", "<unk>"}, &SpecialIds::unk},
};

int32_t IdOfRole(const Role& role, JsonFields& special, const TokenizerState& state) {
  if (!special.Any(role.key).is_null()) {
    return state.TokenToId(special.String(role.key, "")).value_or(-1);
  }
  const std::string_view unk_token = state.model->unk_token();
  if (role.id == &SpecialIds::unk && !unk_token.empty()) {
    return state.TokenToId(unk_token).value_or(-1);
  }
  for (const std::string_view name : role.usual_names) {
    if (const std::optional<int32_t> id = state.TokenToId(name)) return *id;
  }
  return -1;
}

Status ReadExtras(Json extras, TokenizerState& state) {
  JsonFields fields(extras);
  if (const Json json = fields.Object("special"); !json.is_null()) {
    JsonFields special(json);
    for (const Role& role : kRoles) {
      state.special_ids.*role.id = IdOfRole(role, special, state);
    }
    PB_RETURN_IF_ERROR(special.FinishOpen());
  }
  const int64_t length = fields.Int("model_max_length", 0, 0, INT32_MAX);
  if (length > 0) state.model_max_length = static_cast<size_t>(length);
  for (Json item : fields.Array("differences").Items()) {
    PB_ASSIGN_OR_RETURN(std::string_view difference, item.AsString());
    state.differences.emplace_back(difference);
  }
  return fields.FinishOpen();
}

void CountIds(TokenizerState& state) {
  const Vocabulary& vocabulary = state.model->vocabulary();
  state.vocab_size = vocabulary.size();
  state.id_limit = vocabulary.id_limit();
  for (const AddedToken& token : state.added_tokens.all()) {
    if (vocabulary.Find(token.content) < 0) ++state.vocab_size;
    state.id_limit = std::max(state.id_limit, static_cast<size_t>(token.id) + 1);
  }
  state.id_limit =
      std::max(state.id_limit, static_cast<size_t>(state.post_processor.largest_id() + 1));
}

// The template's ids are those that its tokens have in the vocabulary. Where they are not, as after
// a vocabulary was exchanged, every text would begin and end with other tokens than meant.
Status CheckTemplateIds(Json root, const TokenizerState& state) {
  const Json tokens = root.FindOrNull("post_processor").FindOrNull("special_tokens");
  for (auto [name, token] : tokens.Members()) {
    const std::optional<int32_t> known = state.TokenToId(name);
    const Json ids = token.FindOrNull("ids");
    if (!known || ids.size() != 1) continue;
    for (Json item : ids.Items()) {
      PB_ASSIGN_OR_RETURN(const int64_t id, item.AsInt(0, INT32_MAX));
      if (id == *known) continue;
      PB_ASSIGN_OR_RETURN(std::string_view type, root.FindOrNull("model").GetString("type"));
      return FormatError(Message(item.Path()) + " is " + id + ", but \"" + name +
                         "\" has id " + int64_t{*known} + " with this " + type + " vocabulary");
    }
  }
  return Done{};
}

}  // namespace

std::optional<int32_t> TokenizerState::TokenToId(std::string_view token) const {
  if (const AddedToken* added = added_tokens.FindByContent(token)) return added->id;
  const int32_t id = model->vocabulary().Find(token);
  if (id < 0) return std::nullopt;
  return id;
}

Result<std::unique_ptr<const TokenizerState>> BuildTokenizer(std::string config_json,
                                                             std::string_view name,
                                                             ModelData&& data) {
  PB_ASSIGN_OR_RETURN(JsonDocument document, ParseJson(config_json, name));
  const Json root = document.root();
  PB_ASSIGN_OR_RETURN(Json model_json, root.GetObject("model"));
  PB_ASSIGN_OR_RETURN(PreTokenizer pre_tokenizer,
                      PreTokenizer::FromJson(root.FindOrNull("pre_tokenizer")));
  PB_ASSIGN_OR_RETURN(
      Normalizer normalizer,
      Normalizer::FromJson(root.FindOrNull("normalizer"), std::move(data.charsmaps)));
  PB_ASSIGN_OR_RETURN(
      std::unique_ptr<const WordModel> model,
      MakeWordModel(model_json, std::move(data), pre_tokenizer.is_byte_level()));
  PB_ASSIGN_OR_RETURN(
      AddedTokens added_tokens,
      AddedTokens::Create(root.FindOrNull("added_tokens"), model->vocabulary(), normalizer));
  PB_ASSIGN_OR_RETURN(PostProcessor post_processor,
                      PostProcessor::FromJson(root.FindOrNull("post_processor")));
  PB_ASSIGN_OR_RETURN(Decoder decoder, Decoder::FromJson(root.FindOrNull("decoder")));
  PB_ASSIGN_OR_RETURN(std::optional<Truncation> truncation,
                      ReadTruncation(root.FindOrNull("truncation")));
  PB_ASSIGN_OR_RETURN(std::optional<Padding> padding, ReadPadding(root.FindOrNull("padding")));
  using Parts = PreTokenizer::Parts;
  const bool by_parts = normalizer.works_on_parts() && added_tokens.in_normalized().empty();
  Parts parts = by_parts ? pre_tokenizer.parts() : Parts::kNone;
  if (parts == Parts::kBeforeBlank && !normalizer.keeps_blanks()) parts = Parts::kNone;
  std::optional<PlainWords> plain_words;
  if (parts != Parts::kNone && model->word_piece() && normalizer.bert() &&
      pre_tokenizer.is_bert()) {
    plain_words.emplace(*normalizer.bert());
  }
  auto state = std::unique_ptr<TokenizerState>(new TokenizerState{
      std::move(config_json), std::move(normalizer), std::move(pre_tokenizer), std::move(model),
      std::move(added_tokens), std::move(post_processor), std::move(decoder), truncation, padding,
      SpecialIds{}, std::nullopt, {}, parts, plain_words, 0, 0});
  PB_RETURN_IF_ERROR(ReadExtras(root.FindOrNull("pocketbert"), *state));
  CountIds(*state);
  PB_RETURN_IF_ERROR(CheckTemplateIds(root, *state));
  return std::unique_ptr<const TokenizerState>(std::move(state));
}

}  // namespace pocketbert
