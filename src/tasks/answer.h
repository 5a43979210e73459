#pragma once
// Question answering: the stretch of a context that answers a question.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "tasks/task_session.h"
#include "tasks/text_batch.h"
#include "tasks/token_windows.h"

namespace pocketbert {

// Names and meanings as in transformers' question-answering pipeline.
struct AnswerOptions {
  // A context of any length is read. Absent max_length: 384, or the model's if that is less.
  WindowOptions windows;
  // Most tokens of an answer, 1 or more.
  size_t max_answer_len = 15;
  // Best answers to give, 1 or more.
  size_t top_k = 1;
  // The empty answer may be given, too: that the context does not hold one.
  bool handle_impossible_answer = false;
  // The empty answer comes first if its score is above the best other's by more than this, -1 … 1;
  // with 0 the better score decides.
  float null_threshold = 0;
  // Answers are widened to whole pre-tokens.
  bool align_to_words = true;
};

struct Answer {
  float score;  // 0 … 1
  Range range;  // in the context; the empty answer: [0,0)
};

struct Answers {
  std::vector<uint32_t> counts;  // [items] answers of each item; at least one
  std::vector<uint32_t> tokens;  // [items] tokens of question and context, uncut
  std::vector<Answer> answers;   // of all items, in their order, best first
  double begun = 0;              // share of the item after these that is done, from 0 to below 1

  size_t items() const { return counts.size(); }
};

// Of the windows of an item that were read so far.
struct BestSpans {
  // Tokens [first, last] of a WindowedText.
  struct Span {
    float score;
    size_t first;
    size_t last;
  };
  std::vector<Span> spans;  // at most top_k, best first
  float null_score = 1;     // of the empty answer
};

// Answering in steps of at most one batch of the session. What an item (text = question, pair =
// context) gives depends on the item, the model and the options only, bit for bit.
//
// In each window, softmax over the [CLS] token and the tokens of the context gives each token's
// chance to begin the answer, and to end it; an answer's score is the product of two, the empty
// one's the least product of [CLS] with itself over the windows. A context without tokens gives
// the empty answer of score 0 if nothing else.
class AnswerRun {
 public:
  // Answers as many questions, from the first, as fit one batch: at least one if there is one. One
  // of more windows takes several steps, as with TagRun::Step. Errors, which end the run: those of
  // CutIntoWindows and Model::RequireHead; kInvalidArgument for an empty question or context and
  // options out of range; kUnsupported for a head with other than two outputs; kFormat for scores
  // that are no numbers.
  Result<Answers> Step(const Model& model, TaskSession& session, TextList list,
                       const AnswerOptions& options);

 private:
  WindowQueue queue_;  // at its end: no item is in the middle
  BestSpans best_;     // of the item that is
};

// Answers all questions, step after step.
Result<Answers> AnswerAll(const Model& model, TaskSession& session,
                          std::span<const TextPair> items, const AnswerOptions& options);

}  // namespace pocketbert
