#pragma once
// Long texts in windows: what tasks read that score every token of a text, however long it is.
//
//   a text of 7 tokens, max_length 5, stride 1:
//   [CLS] a b c [SEP]    [CLS] c d e [SEP]    [CLS] e f g [SEP]

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/tensor.h"
#include "model/model.h"
#include "nn/batch.h"
#include "tasks/task_session.h"
#include "tasks/text_batch.h"
#include "text/encoding.h"
#include "text/tokenizer.h"
#include "text/truncation.h"

namespace pocketbert {

// What messages call the text that is cut, what stands around it in each window, and the options.
struct WindowNames {
  std::string_view text;
  std::string_view around;
  std::string_view max_length;
  std::string_view stride;
};

inline constexpr WindowNames kTextNames = {"text", "special tokens and prompt", "maxLength",
                                           "stride"};

struct WindowOptions {
  // Most tokens of a window, special ones (and a question) included; from 1 to the model's. Absent:
  // the model's.
  std::optional<size_t> max_length = {};
  // Tokens that a window shares with the one before it; less than it has of the text. Absent: 128,
  // or half of max_length if that is less, or half of what it has of the text.
  std::optional<size_t> stride = {};
  // Put before each text, and in every window.
  std::string_view prefix = {};
  // Names of the texts and options in messages.
  const WindowNames* names = &kTextNames;
};

// UTF-16 units of a prefix, as tokens' ranges count them.
uint32_t PrefixUnits(std::string_view prefix);

// A text, or a pair of which the second text is long, as its tokens and the windows over them.
struct WindowedText {
  std::vector<Token> tokens;    // all, uncut, special ones included
  size_t begin = 0;             // tokens[begin, end) are the text that is cut;
  size_t end = 0;               // the tokens around it are in every window
  std::vector<Window> windows;  // of tokens[begin, end), counted from begin; at least one
  uint32_t prefix_units = 0;    // UTF-16; tokens' ranges count them in

  size_t tokens_around() const { return tokens.size() - (end - begin); }
};

struct WindowPlace {
  size_t text = 0;
  size_t window = 0;
};

// Texts whose windows are read in order, batch after batch.
struct WindowQueue {
  std::vector<WindowedText> texts;
  size_t first_number = 0;  // that of texts[0], for messages
  WindowPlace next;         // the window that comes next; at the end texts.size() and 0

  bool done() const { return next.text == texts.size(); }
  // Share of the next window's text that was taken off: from 0 to below 1.
  double begun() const;
};

// Encodes and cuts as many texts, from the first, as fit one batch of the session: at least one if
// there is one. Of pairs the second text is cut. Errors name the text by its number: those of
// Tokenizer::Encode, MostTokens and CheckTypes; kInvalidArgument for a stride that a window has no
// room for; kTooLong for more than 4 MB of UTF-8, and where what is around the text leaves it no
// room.
Result<WindowQueue> CutIntoWindows(const Model& model, const TaskSession& session, TextList list,
                                   const WindowOptions& options);

// Some windows on their way through the encoder.
struct WindowBatch {
  std::vector<WindowPlace> places;
  std::vector<int32_t> ids;
  std::vector<uint8_t> type_ids;  // as in TextBatch
  std::vector<uint32_t> offsets{0};

  TokenBatch view() const { return {.ids = ids, .type_ids = type_ids, .offsets = offsets}; }
};

// Takes the next windows off, as many as fit a batch of the session: at least one if there is one.
WindowBatch TakeWindows(const Model& model, const TaskSession& session, WindowQueue& queue);

// Runs encoder and head on windows of `queue`, at least one. Returns scores [tokens of all windows,
// outputs of the head] in the session's workspace, for the caller to change. The rows of a window
// are those before the text, then the window's own, then the rest; they depend on its tokens only,
// bit for bit. Errors: kFormat for scores that are no numbers.
Result<TensorView<float>> ScoreWindows(const Model& model, TaskSession& session, const Head& head,
                                       const WindowQueue& queue, const WindowBatch& batch);

// Does so with the next batch, if the queue is not at its end: `visit(place, scores)` for each
// window, in order. Returns queue.begun() afterwards.
template <typename Visit>
Result<double> ScoreNext(const Model& model, TaskSession& session, const Head& head,
                         WindowQueue& queue, const Visit& visit) {
  if (queue.done()) return 0.0;
  Workspace::Scope scope(session.session.workspace);
  const WindowBatch batch = TakeWindows(model, session, queue);
  PB_ASSIGN_OR_RETURN(const TensorView<float> scores,
                      ScoreWindows(model, session, head, queue, batch));
  for (size_t i = 0; i < batch.places.size(); ++i) {
    visit(batch.places[i], scores.Rows(batch.offsets[i], batch.offsets[i + 1]));
  }
  return queue.begun();
}

}  // namespace pocketbert
