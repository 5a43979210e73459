#include "tasks/tag_entities.h"

#include <algorithm>
#include <string>

#include "kernels/softmax.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

// For each UTF-16 unit of a text whether it is a blank.
std::vector<bool> FindBlanks(std::string_view text) {
  const std::string valid = MakeValidUtf8(text);
  std::vector<bool> blanks;
  blanks.reserve(valid.size());
  for (const char* at = valid.data(); at < valid.data() + valid.size();) {
    const char32_t c = ReadUtf8(at);
    blanks.push_back(c == U' ');
    if (Utf16Units(c) == 2) blanks.push_back(false);
  }
  return blanks;
}

// Which tokens of a text go on with the word before them.
class WordRule {
 public:
  WordRule(const Tokenizer& tokenizer, std::string_view text)
      : by_word_id_(tokenizer.marks_continuations()), unk_(tokenizer.special_ids().unk) {
    if (!by_word_id_) blanks_ = FindBlanks(text);
  }

  // `tokens`: those of the text; the question is about number `i`.
  bool Continues(std::span<const Token> tokens, size_t i) const {
    const Token& token = tokens[i];
    if (token.id == unk_ || i == 0) return false;
    if (by_word_id_) return token.word_id >= 0 && token.word_id == tokens[i - 1].word_id;
    const size_t begin = token.range.begin;
    return begin > 0 && !IsBlank(begin - 1) && !IsBlank(begin);
  }

 private:
  bool IsBlank(size_t unit) const { return unit < blanks_.size() && blanks_[unit]; }

  bool by_word_id_;
  int32_t unk_;
  std::vector<bool> blanks_;
};

// The part of window `w` that is read from it: of what it shares with a neighbour, one half.
Window OwnPart(std::span<const Window> windows, size_t w) {
  const auto middle = [&](size_t i) { return (windows[i + 1].begin + windows[i].end) / 2; };
  return {w == 0 ? 0 : middle(w - 1), w + 1 == windows.size() ? windows[w].end : middle(w)};
}

// [labels] 1 where a label, or its group, is one of `ignored`.
std::vector<uint8_t> FindIgnored(std::span<const std::string> labels,
                                 std::span<const uint8_t> prefixes,
                                 std::span<const std::string_view> ignored) {
  std::vector<uint8_t> found(labels.size());
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string_view name = std::string_view(labels[i]).substr(prefixes[i]);
    found[i] = std::find(ignored.begin(), ignored.end(), name) != ignored.end();
  }
  return found;
}

}  // namespace

// Texts that were begun, and what is known of the next window's.
struct TagRun::Begun {
  Begun(const Head& head, const TagOptions& options)
      : labels(ReadTagLabels(head.spec.labels)), joiner(labels, options.aggregation, entities) {
    for (const TagLabel& label : labels) {
      prefixes.push_back(options.aggregation == Aggregation::kNone ? 0 : label.prefix);
    }
    ignored = FindIgnored(head.spec.labels, prefixes, options.ignore_labels);
  }

  // `scores` are made chances.
  void AddWindow(const WindowPlace& place, TensorView<float> scores, Tagging& result);

  WindowQueue queue;
  std::vector<WordRule> words;  // [texts]
  const std::vector<TagLabel> labels;
  std::vector<uint8_t> prefixes;
  std::vector<uint8_t> ignored;
  std::vector<Entity> entities;
  EntityJoiner joiner;
};

void TagRun::Begun::AddWindow(const WindowPlace& place, TensorView<float> scores,
                              Tagging& result) {
  const WindowedText& text = queue.texts[place.text];
  const std::span<const Token> tokens =
      std::span(text.tokens).subspan(text.begin, text.end - text.begin);
  Softmax(1, scores);
  const Window own = OwnPart(text.windows, place.window);
  for (size_t i = own.begin; i < own.end; ++i) {
    joiner.Add(tokens[i], text.begin + i, words[place.text].Continues(tokens, i),
               scores.Row(text.begin + i - text.windows[place.window].begin));
  }
  if (place.window + 1 < text.windows.size()) return;
  joiner.Finish();
  std::erase_if(entities, [&](const Entity& entity) { return ignored[entity.label] != 0; });
  result.counts.push_back(static_cast<uint32_t>(entities.size()));
  result.tokens.push_back(static_cast<uint32_t>(text.tokens.size()));
  result.entities.insert(result.entities.end(), entities.begin(), entities.end());
  entities.clear();
}

TagRun::TagRun() = default;
TagRun::~TagRun() = default;

Result<Tagging> TagRun::Step(const Model& model, TaskSession& task, TextList list,
                             const TagOptions& options) {
  PB_ASSIGN_OR_RETURN(const Head* head, model.RequireHead("", HeadTask::kTag));
  if (begun_ == nullptr) {
    auto begun = std::make_unique<Begun>(*head, options);
    PB_ASSIGN_OR_RETURN(begun->queue, CutIntoWindows(model, task, list, options.windows));
    const bool by_word = options.aggregation >= Aggregation::kFirst;
    for (size_t t = 0; t < begun->queue.texts.size(); ++t) {
      begun->words.emplace_back(model.tokenizer(), by_word ? list.texts[t].text : "");
    }
    begun_ = std::move(begun);
  }
  Tagging result;
  result.prefixes = begun_->prefixes;
  const auto visit = [&](const WindowPlace& place, TensorView<float> scores) {
    begun_->AddWindow(place, scores, result);
  };
  PB_ASSIGN_OR_RETURN(result.begun, ScoreNext(model, task, *head, begun_->queue, visit));
  if (begun_->queue.done()) begun_.reset();
  return result;
}

Result<Tagging> Tag(const Model& model, TaskSession& task, std::span<const TextPair> texts,
                    const TagOptions& options) {
  TagRun run;
  PB_ASSIGN_OR_RETURN(Tagging all, run.Step(model, task, {texts}, options));
  while (all.texts() < texts.size()) {
    const size_t done = all.texts();
    PB_ASSIGN_OR_RETURN(const Tagging more,
                        run.Step(model, task, {texts.subspan(done), done}, options));
    all.counts.insert(all.counts.end(), more.counts.begin(), more.counts.end());
    all.tokens.insert(all.tokens.end(), more.tokens.begin(), more.tokens.end());
    all.entities.insert(all.entities.end(), more.entities.begin(), more.entities.end());
  }
  return all;
}

}  // namespace pocketbert
