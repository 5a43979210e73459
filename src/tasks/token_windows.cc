#include "tasks/token_windows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "nn/encoder.h"
#include "nn/heads.h"
#include "tasks/check_numbers.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

constexpr size_t kUsualStride = 128;
// All tokens of a text are in memory at once: of so many bytes, some 100 MB.
constexpr size_t kMostBytes = size_t{1} << 22;

// Finds the tokens of the text that is cut, which those of the prefix are none of.
void FindText(int sequence, WindowedText& text) {
  const auto is_cut = [&](const Token& token) { return token.marks.sequence() == sequence; };
  const auto first = std::find_if(text.tokens.begin(), text.tokens.end(), is_cut);
  const auto last = std::find_if(text.tokens.rbegin(), text.tokens.rend(), is_cut);
  if (first == text.tokens.end()) {
    // None: it would stand before the token that closes the template.
    text.begin = text.end = text.tokens.empty() ? 0 : text.tokens.size() - 1;
    return;
  }
  text.begin = static_cast<size_t>(first - text.tokens.begin());
  text.end = static_cast<size_t>(last.base() - text.tokens.begin());
  while (text.begin < text.end && text.tokens[text.begin].range.end <= text.prefix_units) {
    ++text.begin;
  }
}

Status Cut(size_t max_length, const WindowOptions& options, WindowedText& text) {
  const WindowNames& names = *options.names;
  const size_t length = text.end - text.begin;
  const size_t around = text.tokens_around();
  if (around >= max_length) {
    return TooLongError(Message("the ") + names.around + " have " + around + " tokens, which leaves "
                        "no room for the " + names.text + " in a window of " + max_length + " (" +
                        names.max_length + ")");
  }
  const size_t room = max_length - around;
  size_t shared = options.stride.value_or(std::min(kUsualStride, max_length / 2));
  if (!options.stride && shared >= room) shared = room / 2;
  if (shared >= room) {
    return InvalidArgumentError(Message("the ") + names.stride + " is " + shared + ", expected below " +
                                room + ", the tokens of the " + names.text + " in a window");
  }
  text.windows = CutWindows(length, room, shared, Side::kRight);
  return Done{};
}

Result<WindowedText> CutOne(const Model& model, const TextPair& item, size_t max_length,
                            const WindowOptions& options) {
  const size_t bytes = item.text.size() + item.pair.value_or("").size();
  if (bytes > kMostBytes) {
    return TooLongError(Message("has ") + bytes + " bytes of UTF-8, expected at most " +
                        kMostBytes);
  }
  std::string prefixed;
  if (!options.prefix.empty()) prefixed.append(options.prefix).append(item.text);
  const std::string_view whole = options.prefix.empty() ? item.text : prefixed;
  PB_ASSIGN_OR_RETURN(Encodings encoding, model.tokenizer().Encode(whole, item.pair, {}));
  PB_RETURN_IF_ERROR(CheckTypes(model, encoding.tokens));
  WindowedText text;
  text.prefix_units = PrefixUnits(options.prefix);
  text.tokens = std::move(encoding.tokens);
  FindText(item.pair ? 1 : 0, text);
  PB_RETURN_IF_ERROR(Cut(max_length, options, text));
  return text;
}

size_t TokensOfWindows(const WindowedText& text) {
  size_t tokens = text.windows.size() * text.tokens_around();
  for (const Window& window : text.windows) tokens += window.size();
  return tokens;
}

void Append(std::span<const Token> tokens, bool with_types, WindowBatch& batch) {
  for (const Token& token : tokens) {
    batch.ids.push_back(token.id);
    if (with_types) batch.type_ids.push_back(static_cast<uint8_t>(token.marks.type()));
  }
}

void Add(WindowPlace place, const WindowedText& text, bool with_types, WindowBatch& batch) {
  const std::span<const Token> all(text.tokens);
  const Window& window = text.windows[place.window];
  Append(all.first(text.begin), with_types, batch);
  Append(all.subspan(text.begin + window.begin, window.size()), with_types, batch);
  Append(all.subspan(text.end), with_types, batch);
  batch.offsets.push_back(static_cast<uint32_t>(batch.ids.size()));
  batch.places.push_back(place);
}

}  // namespace

uint32_t PrefixUnits(std::string_view prefix) { return CountUtf16(MakeValidUtf8(prefix)); }

double WindowQueue::begun() const {
  if (next.window == 0) return 0;
  return static_cast<double>(next.window) / static_cast<double>(texts[next.text].windows.size());
}

Result<WindowQueue> CutIntoWindows(const Model& model, const TaskSession& session, TextList list,
                                   const WindowOptions& options) {
  PB_ASSIGN_OR_RETURN(const size_t max_length, MostTokens(model, options.max_length));
  const size_t max_texts = MaxBatchTexts(session.max_batch_tokens);
  WindowQueue queue;
  queue.first_number = list.first_number;
  size_t tokens = 0;
  // No text, but options to check.
  if (list.texts.empty()) {
    auto none = CutOne(model, {}, max_length, options);
    if (!none.ok()) return std::move(none).error();
  }
  for (size_t i = 0; i < list.texts.size() && queue.texts.size() < max_texts; ++i) {
    auto text = CutOne(model, list.texts[i], max_length, options);
    if (!text.ok()) return AboutText(list.first_number + i, std::move(text).error());
    tokens += TokensOfWindows(text.value());
    if (i > 0 && tokens > session.max_batch_tokens) break;
    queue.texts.push_back(std::move(text).value());
  }
  return queue;
}

WindowBatch TakeWindows(const Model& model, const TaskSession& session, WindowQueue& queue) {
  const size_t max_windows = MaxBatchTexts(session.max_batch_tokens);
  const bool with_types = model.encoder_config().type_vocab_size > 0;
  WindowPlace& next = queue.next;
  WindowBatch batch;
  while (!queue.done() && batch.places.size() < max_windows) {
    const WindowedText& text = queue.texts[next.text];
    const size_t more = text.tokens_around() + text.windows[next.window].size();
    if (!batch.places.empty() && batch.ids.size() + more > session.max_batch_tokens) break;
    Add(next, text, with_types, batch);
    if (++next.window == text.windows.size()) next = {next.text + 1, 0};
  }
  return batch;
}

Result<TensorView<float>> ScoreWindows(const Model& model, TaskSession& task, const Head& head,
                                       const WindowQueue& queue, const WindowBatch& batch) {
  const TensorView<float> hidden =  // [tokens, hidden_size]
      RunEncoder(model.encoder_config(), model.encoder(), batch.view(), task.session);
  const TensorView<float> scores =  // [tokens, outputs]
      RunHead(head.spec.config, head.weights, hidden, task.session);
  for (size_t i = 0; i < batch.places.size(); ++i) {
    PB_RETURN_IF_ERROR(CheckNumbers(queue.first_number + batch.places[i].text,
                                    scores.Rows(batch.offsets[i], batch.offsets[i + 1]),
                                    "scores"));
  }
  return scores;
}

}  // namespace pocketbert
