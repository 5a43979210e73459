#pragma once
// Long texts in windows: what tasks read that score every token of a text, however long it is.
//
//   a text of 7 tokens, max_length 5, stride 1:
//   [CLS] a b c [SEP]    [CLS] c d e [SEP]    [CLS] e f g [SEP]

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
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

// Encodes and cuts as many texts, from the first, as fit one batch of the session: at least one if
// there is one. Of pairs the second text is cut. Errors name the text by its number: those of
// Tokenizer::Encode, MostTokens and CheckTypes; kInvalidArgument for a stride that a window has no
// room for; kTooLong for more than 4 MB of UTF-8, and where what is around the text leaves it no
// room.
Result<std::vector<WindowedText>> CutIntoWindows(const Model& model, const TaskSession& session,
                                                 TextList list, const WindowOptions& options);

// A reference to any `visit(args…)`, which must outlive it.
template <typename... Args>
class Visitor {
 public:
  template <typename Visit>
  Visitor(const Visit& visit)  // NOLINT: implicit, so that it takes any visitor
      : visit_(std::addressof(visit)),
        call_([](const void* any, Args... args) { (*static_cast<const Visit*>(any))(args...); }) {}

  void operator()(Args... args) const { call_(visit_, args...); }

 private:
  const void* visit_;
  void (*call_)(const void*, Args...);
};

// Some windows on their way through the encoder.
struct WindowBatch {
  struct Place {
    size_t text;
    size_t window;
  };
  std::vector<Place> places;
  std::vector<int32_t> ids;
  std::vector<uint8_t> type_ids;  // as in TextBatch
  std::vector<uint32_t> offsets{0};

  TokenBatch view() const { return {.ids = ids, .type_ids = type_ids, .offsets = offsets}; }
};

// Takes a batch, and `hidden` [its tokens, hidden_size].
using WindowBatchVisitor = Visitor<const WindowBatch&, TensorView<float>>;

// Runs the encoder on all windows, in order and in batches that fit the session, and visits them.
// `hidden` lives until the visitor returns.
void EncodeWindows(const Model& model, TaskSession& session, std::span<const WindowedText> texts,
                   WindowBatchVisitor visit);

// Takes the numbers of a text and of its window, and `scores` [tokens of the window, outputs of the
// head]. Row i is of the window's token i: first those before the text, then those of the window,
// then the rest.
using WindowVisitor = Visitor<size_t, size_t, TensorView<float>>;

// Runs encoder and head on all windows and visits them in order. `scores` are the visitor's to
// change, until it returns; they depend on the window's tokens only, bit for bit. `first_number` is
// that of texts[0], for messages. Errors: kFormat for scores that are no numbers; the visits end
// there.
Status ScoreWindows(const Model& model, TaskSession& session, const Head& head,
                    std::span<const WindowedText> texts, size_t first_number,
                    WindowVisitor visit);

}  // namespace pocketbert
