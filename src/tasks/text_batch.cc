#include "tasks/text_batch.h"

#include <string>
#include <utility>

namespace pocketbert {
namespace {

// Few tokens have more.
constexpr size_t kBytesOfToken = 16;

EncodeOptions OptionsFor(size_t max_length, const LengthOptions& length) {
  EncodeOptions options;
  options.return_overflow = false;
  if (length.truncate == Truncate::kError) return options;
  options.truncation = Truncation{
      .max_length = max_length,
      .strategy = length.strategy,
      .direction = length.truncate == Truncate::kEnd ? Side::kRight : Side::kLeft,
  };
  return options;
}

Status CheckLength(size_t tokens, size_t max_length, Truncate truncate) {
  if (truncate != Truncate::kError || tokens <= max_length) return Done{};
  return TooLongError(Message("has ") + tokens + " tokens, expected at most " +
                      max_length);
}

// Of a text that is not to be cut and, by its bytes, hardly fits, its length in little memory first.
Status CheckLongText(const Tokenizer& tokenizer, const TextPair& item, size_t max_length,
                     Truncate truncate) {
  const size_t bytes = item.text.size() + item.pair.value_or("").size();
  if (truncate != Truncate::kError || bytes / kBytesOfToken <= max_length) return Done{};
  PB_ASSIGN_OR_RETURN(const std::vector<uint32_t> tokens, tokenizer.CountBatch({&item, 1}));
  return CheckLength(tokens[0], max_length, truncate);
}

void Append(const Encodings& encoding, bool with_types, TextBatch& batch) {
  for (const Token& token : encoding.tokens) {
    batch.ids.push_back(token.id);
    batch.ranges.push_back(token.range.begin);
    batch.ranges.push_back(token.range.end);
    if (with_types) batch.type_ids.push_back(static_cast<uint8_t>(token.marks.type()));
  }
  batch.offsets.push_back(static_cast<uint32_t>(batch.ids.size()));
  batch.truncated.push_back(encoding.truncated[0]);
}

}  // namespace

Error AboutText(size_t number, Error error) {
  error.message = "text " + std::to_string(number) + ": " + error.message;
  return error;
}

Result<size_t> MostTokens(const Model& model, std::optional<size_t> asked) {
  const size_t most = model.max_length();
  const size_t tokens = asked.value_or(most);
  if (tokens < 1 || tokens > most) {
    return InvalidArgumentError(Message("maxLength is ") + tokens + ", expected 1 to " + most +
                                " (the most that this model takes)");
  }
  return tokens;
}

Status CheckTypes(const Model& model, std::span<const Token> tokens) {
  const size_t types = model.encoder_config().type_vocab_size;
  for (const Token& token : tokens) {
    if (types > 0 && static_cast<size_t>(token.marks.type()) >= types) {
      return UnsupportedError(Message("token type ") + token.marks.type() +
                              ", expected below type_vocab_size " + types + " of config.json");
    }
  }
  return Done{};
}

std::vector<uint32_t> TextBatch::Lengths() const {
  std::vector<uint32_t> lengths(texts());
  for (size_t i = 0; i < lengths.size(); ++i) lengths[i] = offsets[i + 1] - offsets[i];
  return lengths;
}

void TextBatch::Keep(size_t count) {
  ids.resize(offsets[count]);
  ranges.resize(2 * offsets[count]);
  if (!type_ids.empty()) type_ids.resize(offsets[count]);
  offsets.resize(count + 1);
  truncated.resize(count);
}

Result<TextBatch> FillBatch(const Model& model, const TaskSession& session, TextList list,
                            std::string_view prefix, const LengthOptions& options) {
  PB_ASSIGN_OR_RETURN(const size_t max_length, MostTokens(model, options.max_length));
  const EncodeOptions encode_options = OptionsFor(max_length, options);
  const size_t types = model.encoder_config().type_vocab_size;
  const size_t max_texts = MaxBatchTexts(session.max_batch_tokens);
  TextBatch batch;
  std::string prefixed;
  for (size_t i = 0; i < list.texts.size() && batch.texts() < max_texts; ++i) {
    const TextPair& item = list.texts[i];
    std::string_view text = item.text;
    if (!prefix.empty()) text = prefixed.assign(prefix).append(item.text);
    Status fits = CheckLongText(model.tokenizer(), {text, item.pair}, max_length, options.truncate);
    if (!fits.ok()) return AboutText(list.first_number + i, std::move(fits).error());
    auto encoded = model.tokenizer().Encode(text, item.pair, encode_options);
    if (!encoded.ok()) return AboutText(list.first_number + i, std::move(encoded).error());
    const Encodings& encoding = encoded.value();
    const std::vector<Token>& tokens = encoding.tokens;
    Status checked = CheckLength(tokens.size(), max_length, options.truncate);
    if (checked.ok()) checked = CheckTypes(model, tokens);
    if (!checked.ok()) return AboutText(list.first_number + i, std::move(checked).error());
    if (batch.texts() > 0 && batch.ids.size() + tokens.size() > session.max_batch_tokens) break;
    Append(encoding, types > 0, batch);
  }
  return batch;
}

}  // namespace pocketbert
