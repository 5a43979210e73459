#include "tasks/text_batch.h"

#include <string>
#include <utility>

namespace pocketbert {
namespace {

Error AboutText(size_t number, Error error) {
  error.message = "text " + std::to_string(number) + ": " + error.message;
  return error;
}

Result<size_t> MaxLength(const Model& model, const LengthOptions& options) {
  const size_t most = model.max_length();
  const size_t asked = options.max_length.value_or(most);
  if (asked < 1 || asked > most) {
    return InvalidArgumentError(Message("maxLength is ") + asked + ", expected 1 to " + most +
                                " (the most that this model takes)");
  }
  return asked;
}

EncodeOptions OptionsFor(size_t max_length, Truncate truncate) {
  EncodeOptions options;
  options.return_overflow = false;
  if (truncate == Truncate::kError) return options;
  options.truncation = Truncation{
      .max_length = max_length,
      .direction = truncate == Truncate::kEnd ? Side::kRight : Side::kLeft,
  };
  return options;
}

Status CheckLength(size_t tokens, size_t max_length, Truncate truncate) {
  if (truncate != Truncate::kError || tokens <= max_length) return Done{};
  return TooLongError(Message("has ") + tokens + " tokens, expected at most " +
                      max_length);
}

Status CheckTypes(const std::vector<Token>& tokens, size_t type_vocab_size) {
  for (const Token& token : tokens) {
    if (static_cast<size_t>(token.marks.type()) >= type_vocab_size) {
      return UnsupportedError(Message("token type ") + token.marks.type() +
                              ", expected below type_vocab_size " + type_vocab_size +
                              " of config.json");
    }
  }
  return Done{};
}

void Append(const Encodings& encoding, bool with_types, TextBatch& batch) {
  for (const Token& token : encoding.tokens) {
    batch.ids.push_back(token.id);
    if (with_types) batch.type_ids.push_back(static_cast<uint8_t>(token.marks.type()));
  }
  batch.offsets.push_back(static_cast<uint32_t>(batch.ids.size()));
  batch.truncated.push_back(encoding.truncated[0]);
}

}  // namespace

std::vector<uint32_t> TextBatch::Lengths() const {
  std::vector<uint32_t> lengths(texts());
  for (size_t i = 0; i < lengths.size(); ++i) lengths[i] = offsets[i + 1] - offsets[i];
  return lengths;
}

void TextBatch::Keep(size_t count) {
  ids.resize(offsets[count]);
  if (!type_ids.empty()) type_ids.resize(offsets[count]);
  offsets.resize(count + 1);
  truncated.resize(count);
}

Result<TextBatch> FillBatch(const Model& model, const TaskSession& session, TextList list,
                            std::string_view prefix, const LengthOptions& options) {
  PB_ASSIGN_OR_RETURN(const size_t max_length, MaxLength(model, options));
  const EncodeOptions encode_options = OptionsFor(max_length, options.truncate);
  const size_t types = model.encoder_config().type_vocab_size;
  const size_t max_texts = MaxBatchTexts(session.max_batch_tokens);
  TextBatch batch;
  std::string prefixed;
  for (size_t i = 0; i < list.texts.size() && batch.texts() < max_texts; ++i) {
    const TextPair& item = list.texts[i];
    std::string_view text = item.text;
    if (!prefix.empty()) text = prefixed.assign(prefix).append(item.text);
    auto encoded = model.tokenizer().Encode(text, item.pair, encode_options);
    if (!encoded.ok()) return AboutText(list.first_number + i, std::move(encoded).error());
    const Encodings& encoding = encoded.value();
    const std::vector<Token>& tokens = encoding.tokens;
    Status checked = CheckLength(tokens.size(), max_length, options.truncate);
    if (checked.ok() && types > 0) checked = CheckTypes(tokens, types);
    if (!checked.ok()) return AboutText(list.first_number + i, std::move(checked).error());
    if (batch.texts() > 0 && batch.ids.size() + tokens.size() > session.max_batch_tokens) break;
    Append(encoding, types > 0, batch);
  }
  return batch;
}

}  // namespace pocketbert
