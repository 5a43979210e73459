#include "text/tokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "text/blank_trimming.h"
#include "text/padding.h"
#include "text/text_tokens.h"
#include "text/tokenizer_state.h"
#include "text/truncation.h"

namespace pocketbert {
namespace {

// Tokens that room is made for in advance.
constexpr size_t kMostReserved = size_t{1} << 16;
// From so many tokens of both texts of a pair on, it is not looked which one is longer: four times
// as many would be some 250 MB.
constexpr size_t kMostCompared = size_t{1} << 20;

// Tokens that truncation leaves for the texts, template tokens taken off; an error if the options
// cannot be obeyed.
Result<size_t> RoomForText(const Truncation& truncation, size_t special_tokens) {
  if (truncation.max_length < special_tokens) {
    return InvalidArgumentError(Message("truncation.max_length is ") + truncation.max_length +
                                ", expected at least the " + special_tokens + " special tokens");
  }
  const size_t room = truncation.max_length - special_tokens;
  if (truncation.stride > 0 && truncation.stride >= room) {
    return InvalidArgumentError(Message("truncation.stride is ") + truncation.stride +
                                ", expected less than the " + room +
                                " tokens left beside the special tokens");
  }
  return room;
}

// One call's work: the tokens of both texts, their windows, and what is assembled from them.
class CallEncoder {
 public:
  CallEncoder(const TokenizerState& state, const EncodeOptions& options)
      : state_(state), options_(options), text_tokens_(state) {}

  // Appends the encodings of item number `item`.
  Status Encode(const TextPair& input, uint32_t item, Encodings& out) {
    const bool pair = input.pair.has_value();
    if (!pair && !options_.truncation) return EncodeWhole(input.text, item, out);
    size_t room = 0;
    if (options_.truncation) {
      const size_t special = options_.add_special_tokens
                                 ? state_.post_processor.special_token_count(pair)
                                 : 0;
      PB_ASSIGN_OR_RETURN(room, RoomForText(*options_.truncation, special));
    }
    PB_RETURN_IF_ERROR(pair ? TokenizePair({input.text, *input.pair}, room)
                            : TokenizeOne(input.text, room));
    PB_RETURN_IF_ERROR(CutAll(room, pair));
    PB_RETURN_IF_ERROR(CheckSize(pair));
    Assemble(0, 0, pair, out);
    out.Finish(item, windows_[0].size() > 1 || windows_[1].size() > 1);
    if (options_.return_overflow) AddOverflow(pair, item, out);
    return Done{};
  }

  // The tokens of what Encode would give without truncation.
  Result<uint32_t> Count(const TextPair& input) {
    size_t count = 0;
    for (const TemplatePiece& piece : state_.post_processor.pieces(input.pair.has_value())) {
      if (piece.sequence < 0) {
        ++count;
        continue;
      }
      PB_RETURN_IF_ERROR(Tokenize(0, piece.sequence == 0 ? input.text : *input.pair, {.last = 0}));
      count += text_tokens_.dropped() + tokens_[0].size();
    }
    return static_cast<uint32_t>(count);
  }

 private:
  // One text of which nothing is cut: its tokens are written where they stay.
  Status EncodeWhole(std::string_view text, uint32_t item, Encodings& out) {
    for (const TemplatePiece& piece : state_.post_processor.pieces(false)) {
      if (piece.sequence >= 0) {
        PB_RETURN_IF_ERROR(text_tokens_.Append(text, options_.encode_special_tokens, {},
                                               piece.marks(), out.tokens));
      } else if (options_.add_special_tokens) {
        out.tokens.push_back(piece.special());
      }
    }
    out.Finish(item, false);
    return Done{};
  }

  // What is cut off is not asked for: of a text that is cut on the right, the rest need not be
  // read; of one that is cut on the left, the beginning need not be kept.
  TextTokens::Needed Needed(size_t most) const {
    if (!options_.truncation || options_.return_overflow) return {};
    if (options_.truncation->direction == Side::kLeft) return {.last = most};
    return {.first = most};
  }

  // One token more than there is room for shows that something is cut.
  Status TokenizeOne(std::string_view text, size_t room) {
    const bool cut = options_.truncation->strategy != TruncationStrategy::kOnlySecond;
    return Tokenize(0, text, cut ? Needed(room + 1) : TextTokens::Needed());
  }

  Status TokenizePair(const std::array<std::string_view, 2>& texts, size_t room) {
    const auto strategy =
        options_.truncation ? options_.truncation->strategy : TruncationStrategy::kLongestFirst;
    if (strategy != TruncationStrategy::kLongestFirst) {
      const int cut = strategy == TruncationStrategy::kOnlyFirst ? 0 : 1;
      PB_RETURN_IF_ERROR(Tokenize(1 - cut, texts[1 - cut], {}));
      // Where it leaves no room, the error tells the other's length.
      const bool fits = tokens_[1 - cut].size() < room;
      return Tokenize(cut, texts[cut], fits ? Needed(room + 1) : TextTokens::Needed());
    }
    // The longer text has the odd token: where both go beyond what was asked for, which one that is
    // takes more of them to see.
    for (size_t most = room + 1;; most *= 4) {
      for (int which = 0; which < 2; ++which) {
        PB_RETURN_IF_ERROR(Tokenize(which, texts[which], Needed(most)));
      }
      const size_t shorter = std::min(tokens_[0].size(), tokens_[1].size());
      if (room % 2 == 0 || shorter < most) return Done{};
      if (most >= kMostCompared) {
        return OutOfMemoryError(Message("both texts of the pair have more than ") + most +
                                " tokens");
      }
    }
  }

  Status Tokenize(int which, std::string_view text, TextTokens::Needed needed) {
    tokens_[which].clear();
    return text_tokens_.Append(text, options_.encode_special_tokens, needed, {}, tokens_[which]);
  }

  Status CutAll(size_t room, bool pair) {
    windows_[0].assign(1, {0, tokens_[0].size()});
    windows_[1].clear();
    if (pair) windows_[1].assign(1, {0, tokens_[1].size()});
    if (!options_.truncation) return Done{};
    const Truncation& truncation = *options_.truncation;
    const std::optional<size_t> second =
        pair ? std::optional<size_t>(tokens_[1].size()) : std::nullopt;
    PB_ASSIGN_OR_RETURN(KeptLengths kept,
                        ShareRoom(tokens_[0].size(), second, room, truncation.strategy));
    PB_RETURN_IF_ERROR(Cut(0, kept.first, truncation));
    if (pair) PB_RETURN_IF_ERROR(Cut(1, kept.second, truncation));
    return Done{};
  }

  Status Cut(int which, size_t kept, const Truncation& truncation) {
    const size_t length = tokens_[which].size();
    if (kept < length && kept > 0 && truncation.stride >= kept) {
      return InvalidArgumentError(Message("truncation.stride is ") + truncation.stride +
                                  ", expected less than the " + kept +
                                  " tokens that a window has for this text");
    }
    windows_[which] = CutWindows(length, kept, truncation.stride, truncation.direction);
    return Done{};
  }

  Status CheckSize(bool pair) const {
    if (!options_.return_overflow) return Done{};
    uint64_t sum[2] = {0, 0};
    for (int which = 0; which < 2; ++which) {
      for (const Window& window : windows_[which]) sum[which] += window.size();
    }
    const uint64_t windows = windows_[0].size() * (pair ? windows_[1].size() : 1);
    const uint64_t total = pair ? sum[0] * windows_[1].size() + sum[1] * windows_[0].size()
                                : sum[0];
    if (windows == 1 || total <= kMostTokens) return Done{};
    return TooLongError(Message("the overflow windows would hold ") + total +
                        " tokens, expected at most " + kMostTokens);
  }

  void Assemble(size_t first, size_t second, bool pair, Encodings& out) {
    TemplateInput input;
    Range ranges[2];
    input.tokens[0] = &tokens_[0];
    input.windows[0] = windows_[0][first];
    if (pair) {
      input.tokens[1] = &tokens_[1];
      input.windows[1] = windows_[1][second];
    }
    for (int which = 0; which < 1 + pair; ++which) SwapFirst(input, which, ranges[which], true);
    state_.post_processor.Assemble(input, pair, options_.add_special_tokens, out.tokens);
    for (int which = 0; which < 1 + pair; ++which) SwapFirst(input, which, ranges[which], false);
  }

  // Where the first token of a text keeps a blank, so does the first of a window. `changes`: gives
  // it to that token and puts its range aside; else puts that back.
  void SwapFirst(const TemplateInput& input, int which, Range& aside, bool changes) {
    const BlankTrimming& trimming = state_.post_processor.trimming();
    const Window window = input.windows[which];
    if (!trimming.trims || !trimming.keeps_first || window.begin == 0 || window.size() == 0) return;
    Token& token = tokens_[which][window.begin];
    if (changes) {
      aside = token.range;
      const auto id = static_cast<size_t>(token.id);
      const Vocabulary& vocabulary = state_.model->vocabulary();
      if (!vocabulary.Has(id)) return;
      token.range = GiveBackBlank(token.range, CountEndBlanks(vocabulary.Text(id)));
    } else {
      token.range = aside;
    }
  }

  // All further combinations of windows; those of the text that the template names first lead.
  void AddOverflow(bool pair, uint32_t item, Encodings& out) {
    const bool swapped = pair && state_.post_processor.begins_with_second();
    const size_t outer = windows_[swapped ? 1 : 0].size();
    const size_t inner = pair ? windows_[swapped ? 0 : 1].size() : 1;
    for (size_t o = 1; o < outer; ++o) {
      for (size_t i = 0; i < inner; ++i) {
        AddWindow(swapped ? i : o, swapped ? o : i, pair, item, out);
      }
    }
    for (size_t i = 1; i < inner; ++i) AddWindow(swapped ? i : 0, swapped ? 0 : i, pair, item, out);
  }

  void AddWindow(size_t first, size_t second, bool pair, uint32_t item, Encodings& out) {
    Assemble(first, second, pair, out);
    out.Finish(item, true);
  }

  const TokenizerState& state_;
  const EncodeOptions& options_;
  TextTokens text_tokens_;
  std::vector<Token> tokens_[2];
  std::vector<Window> windows_[2];
};

}  // namespace

Tokenizer::Tokenizer(std::unique_ptr<const TokenizerState> state) : state_(std::move(state)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&& other) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&& other) noexcept = default;

Result<Tokenizer> Tokenizer::FromFiles(const TokenizerFiles& files) {
  PB_ASSIGN_OR_RETURN(CompiledFiles compiled, CompileFiles(files));
  const std::string_view name = files.tokenizer_json ? "tokenizer.json" : "tokenizer of vocab.txt";
  PB_ASSIGN_OR_RETURN(
      std::unique_ptr<const TokenizerState> state,
      BuildTokenizer(std::move(compiled.config_json), name, std::move(compiled.data)));
  return Tokenizer(std::move(state));
}

Result<Tokenizer> Tokenizer::FromCompiled(std::string_view config_json,
                                          std::span<const uint8_t> vocabulary) {
  PB_ASSIGN_OR_RETURN(ModelData data, ModelData::FromBytes(vocabulary));
  PB_ASSIGN_OR_RETURN(
      std::unique_ptr<const TokenizerState> state,
      BuildTokenizer(std::string(config_json), "tokenizer configuration", std::move(data)));
  return Tokenizer(std::move(state));
}

std::string Tokenizer::CompiledConfig() const { return state_->config_json; }

std::vector<uint8_t> Tokenizer::CompiledVocabulary() const {
  const WordModel& model = *state_->model;
  const std::vector<BpeMerge> merges = model.merges();
  const std::vector<std::string_view> charsmaps = state_->normalizer.charsmaps();
  return SerializeModel({model.vocabulary(), model.scores(), merges, charsmaps});
}

Result<Encodings> Tokenizer::Encode(std::string_view text, std::optional<std::string_view> pair,
                                    const EncodeOptions& options) const {
  const TextPair input = {text, pair};
  return EncodeBatch({&input, 1}, options);
}

Result<Encodings> Tokenizer::EncodeBatch(std::span<const TextPair> texts,
                                         const EncodeOptions& options) const {
  CallEncoder encoder(*state_, options);
  Encodings encodings;
  // Room for tokens of four bytes each, and two special ones a text; more is seldom needed.
  size_t tokens = 2 * texts.size();
  for (const TextPair& text : texts) tokens += text.text.size() / 4;
  encodings.tokens.reserve(std::min(tokens, kMostReserved));
  for (size_t i = 0; i < texts.size(); ++i) {
    PB_RETURN_IF_ERROR(encoder.Encode(texts[i], static_cast<uint32_t>(i), encodings));
  }
  if (options.padding) {
    const int32_t pad_id = state_->special_ids.pad >= 0 ? state_->special_ids.pad : 0;
    PB_RETURN_IF_ERROR(PadEncodings(encodings, *options.padding, pad_id));
  }
  return encodings;
}

Result<std::vector<uint32_t>> Tokenizer::CountBatch(std::span<const TextPair> texts) const {
  const EncodeOptions options;
  CallEncoder encoder(*state_, options);
  std::vector<uint32_t> counts;
  for (const TextPair& text : texts) {
    PB_ASSIGN_OR_RETURN(const uint32_t count, encoder.Count(text));
    counts.push_back(count);
  }
  return counts;
}

std::string Tokenizer::Decode(std::span<const int32_t> ids, const DecodeOptions& options) const {
  std::vector<std::string_view> tokens;
  tokens.reserve(ids.size());
  for (const int32_t id : ids) {
    std::string_view token;
    if (const AddedToken* added = state_->added_tokens.FindById(id)) {
      token = state_->added_tokens.DecodedText(*added);
    } else if (id >= 0 && state_->model->vocabulary().Has(static_cast<size_t>(id))) {
      token = state_->model->vocabulary().Text(static_cast<size_t>(id));
    } else {
      continue;
    }
    if (options.skip_special_tokens && state_->added_tokens.IsSpecialText(token)) continue;
    tokens.push_back(token);
  }
  return state_->decoder.Decode(tokens, options.clean_up.value_or(state_->decoder.cleans_up()));
}

std::optional<int32_t> Tokenizer::TokenToId(std::string_view token) const {
  return state_->TokenToId(token);
}

std::optional<std::string_view> Tokenizer::IdToToken(int32_t id) const {
  if (const AddedToken* added = state_->added_tokens.FindById(id)) return added->content;
  const Vocabulary& vocabulary = state_->model->vocabulary();
  if (id < 0 || !vocabulary.Has(static_cast<size_t>(id))) return std::nullopt;
  return vocabulary.Text(static_cast<size_t>(id));
}

size_t Tokenizer::vocab_size() const { return state_->vocab_size; }
size_t Tokenizer::id_limit() const { return state_->id_limit; }
const SpecialIds& Tokenizer::special_ids() const { return state_->special_ids; }
bool Tokenizer::marks_continuations() const { return state_->model->marks_continuations(); }
size_t Tokenizer::special_token_count(bool pair) const {
  return state_->post_processor.special_token_count(pair);
}
const std::optional<Truncation>& Tokenizer::file_truncation() const { return state_->truncation; }
const std::optional<Padding>& Tokenizer::file_padding() const { return state_->padding; }
std::optional<size_t> Tokenizer::model_max_length() const { return state_->model_max_length; }
const std::vector<std::string>& Tokenizer::differences() const { return state_->differences; }

}  // namespace pocketbert
