#include "tasks/answer.h"

#include <algorithm>
#include <optional>

#include "kernels/softmax.h"

namespace pocketbert {
namespace {

constexpr size_t kUsualMaxLength = 384;
constexpr WindowNames kNames = {"context", "question and special tokens", "max_seq_len",
                                "doc_stride"};

using Span = BestSpans::Span;

// Finds the best spans of one item, window after window.
class SpanSearch {
 public:
  SpanSearch(const AnswerOptions& options, const WindowedText& text, int32_t cls, BestSpans& best)
      : options_(options), text_(text), best_(best) {
    for (size_t i = 0; i < text.begin && !cls_; ++i) {
      if (text.tokens[i].id == cls && text.tokens[i].marks.special()) cls_ = i;
    }
  }

  // `scores` [tokens of the window, 2]: to begin, to end.
  void AddWindow(const Window& window, TensorView<const float> scores) {
    // [CLS] takes the first place, the context's tokens the others.
    const size_t from = cls_ ? 1 : 0;
    std::vector<float> values(2 * (from + window.size()));
    const TensorView<float> chances(values.data(), 2, from + window.size());
    for (size_t side = 0; side < 2; ++side) {
      const std::span<float> row = chances.Row(side);
      if (cls_) row[0] = scores.Row(*cls_)[side];
      for (size_t i = 0; i < window.size(); ++i) row[from + i] = scores.Row(text_.begin + i)[side];
    }
    Softmax(1, chances);
    const float null_score = cls_ ? chances.Row(0)[0] * chances.Row(1)[0] : 0;
    best_.null_score = std::min(best_.null_score, null_score);
    const std::span<const float> begins = chances.Row(0).subspan(from);
    const std::span<const float> ends = chances.Row(1).subspan(from);
    for (size_t first = 0; first < begins.size(); ++first) {
      const size_t room = std::min(options_.max_answer_len, begins.size() - first);
      for (size_t last = first; last < first + room; ++last) {
        const size_t at = text_.begin + window.begin;
        Consider({begins[first] * ends[last], at + first, at + last});
      }
    }
  }

  // Best first.
  std::vector<Answer> Finish() const {
    std::vector<Answer> answers;
    for (const Span& span : best_.spans) answers.push_back({span.score, RangeOf(span)});
    if (options_.handle_impossible_answer) {
      const Answer none = {best_.null_score, {0, 0}};
      answers.insert(answers.begin() + static_cast<ptrdiff_t>(NullPlace()), none);
    } else if (text_.begin == text_.end) {
      answers.push_back({0, {0, 0}});
    }
    if (answers.size() > options_.top_k) answers.resize(options_.top_k);
    return answers;
  }

 private:
  void Consider(const Span& span) {
    std::vector<Span>& spans = best_.spans;
    if (spans.size() == options_.top_k) {
      if (!(span.score > spans.back().score)) return;
      spans.pop_back();
    }
    auto place = spans.end();
    while (place != spans.begin() && (place - 1)->score < span.score) --place;
    spans.insert(place, span);
  }

  // Where the empty answer stands among the best.
  size_t NullPlace() const {
    const auto& [spans, null_score] = best_;
    if (spans.empty() || null_score > spans[0].score + options_.null_threshold) return 0;
    size_t place = 1;
    while (place < spans.size() && spans[place].score >= null_score) ++place;
    return place;
  }

  Range RangeOf(const Span& span) const {
    size_t first = span.first, last = span.last;
    const auto same_word = [&](size_t a, size_t b) {
      return text_.tokens[a].word_id >= 0 && text_.tokens[a].word_id == text_.tokens[b].word_id;
    };
    if (options_.align_to_words) {
      while (first > text_.begin && same_word(first - 1, first)) --first;
      while (last + 1 < text_.end && same_word(last + 1, last)) ++last;
    }
    return {text_.tokens[first].range.begin, text_.tokens[last].range.end};
  }

  const AnswerOptions& options_;
  const WindowedText& text_;
  BestSpans& best_;
  std::optional<size_t> cls_;  // place of [CLS] in every window
};

Status CheckOptions(const Head& head, const AnswerOptions& options) {
  if (options.top_k == 0 || options.max_answer_len == 0) {
    return InvalidArgumentError(options.top_k == 0 ? "top_k is 0, expected 1 or more"
                                                   : "max_answer_len is 0, expected 1 or more");
  }
  if (head.spec.config.outputs == 2) return Done{};
  return UnsupportedError(Message("the head that answers has ") + head.spec.config.outputs +
                          " outputs, expected 2: where answers begin, and end");
}

Status CheckItems(TextList list) {
  for (size_t i = 0; i < list.texts.size(); ++i) {
    const TextPair& item = list.texts[i];
    if (!item.text.empty() && item.pair && !item.pair->empty()) continue;
    return AboutText(list.first_number + i,
                     Error{ErrorCode::kInvalidArgument,
                           item.text.empty() ? "the question is empty" : "the context is empty"});
  }
  return Done{};
}

}  // namespace

Result<Answers> AnswerRun::Step(const Model& model, TaskSession& task, TextList list,
                                const AnswerOptions& options) {
  PB_ASSIGN_OR_RETURN(const Head* head, model.RequireHead("", HeadTask::kAnswer));
  if (queue_.done()) {
    PB_RETURN_IF_ERROR(CheckOptions(*head, options));
    PB_RETURN_IF_ERROR(CheckItems(list));
    WindowOptions windows = options.windows;
    windows.names = &kNames;
    if (!windows.max_length) windows.max_length = std::min(model.max_length(), kUsualMaxLength);
    PB_ASSIGN_OR_RETURN(queue_, CutIntoWindows(model, task, list, windows));
  }
  const int32_t cls = model.tokenizer().special_ids().cls;
  Answers result;
  const auto visit = [&](const WindowPlace& place, TensorView<const float> scores) {
    const WindowedText& text = queue_.texts[place.text];
    if (place.window == 0) best_ = {};
    SpanSearch search(options, text, cls, best_);
    search.AddWindow(text.windows[place.window], scores);
    if (place.window + 1 < text.windows.size()) return;
    const std::vector<Answer> answers = search.Finish();
    result.counts.push_back(static_cast<uint32_t>(answers.size()));
    result.tokens.push_back(static_cast<uint32_t>(text.tokens.size()));
    result.answers.insert(result.answers.end(), answers.begin(), answers.end());
  };
  PB_ASSIGN_OR_RETURN(result.begun, ScoreNext(model, task, *head, queue_, visit));
  if (queue_.done()) queue_ = {};
  return result;
}

Result<Answers> AnswerAll(const Model& model, TaskSession& task, std::span<const TextPair> items,
                          const AnswerOptions& options) {
  AnswerRun run;
  PB_ASSIGN_OR_RETURN(Answers all, run.Step(model, task, {items}, options));
  while (all.items() < items.size()) {
    const size_t done = all.items();
    PB_ASSIGN_OR_RETURN(const Answers more,
                        run.Step(model, task, {items.subspan(done), done}, options));
    all.counts.insert(all.counts.end(), more.counts.begin(), more.counts.end());
    all.tokens.insert(all.tokens.end(), more.tokens.begin(), more.tokens.end());
    all.answers.insert(all.answers.end(), more.answers.begin(), more.answers.end());
  }
  return all;
}

}  // namespace pocketbert
