// Tasks that find spans of texts: tagging and question answering, one batch of a list per call as
// in tasks_binding.cc. A text of more than a batch takes several calls with the same arguments, of
// which the last gives it. What is found crosses as the 32-bit words of its structs.

#include <emscripten/bind.h>

#include "bindings/handles.h"
#include "tasks/answer.h"
#include "tasks/tag_entities.h"

namespace pocketbert {

template <>
inline constexpr ObjectKind kKindOf<TagRun> = ObjectKind::kTagRun;
template <>
inline constexpr ObjectKind kKindOf<AnswerRun> = ObjectKind::kAnswerRun;

namespace {

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(TaggingReply);
EMSCRIPTEN_DECLARE_VAL_TYPE(AnswersReply);

struct TaggingValue {
  Uint32ArrayVal counts{val::undefined()};
  Uint32ArrayVal tokens{val::undefined()};
  Int32ArrayVal entities{val::undefined()};
  Uint8ArrayVal prefixes{val::undefined()};
  double begun;
};

struct AnswersValue {
  Uint32ArrayVal counts{val::undefined()};
  Uint32ArrayVal tokens{val::undefined()};
  Int32ArrayVal answers{val::undefined()};
  double begun;
};

// web/src/tasks/tagger.ts and reader.ts know the order of the members.
static_assert(sizeof(Entity) == 6 * sizeof(int32_t) && sizeof(Answer) == 3 * sizeof(int32_t));

template <typename T>
Int32ArrayVal CopyWords(const std::vector<T>& structs) {
  return Int32ArrayVal(
      val(emscripten::typed_memory_view(structs.size() * sizeof(T) / sizeof(int32_t),
                                        reinterpret_cast<const int32_t*>(structs.data())))
          .call<val>("slice"));
}

// `ignored`: a block of the labels that are left out.
TaggingReply TagTexts(Handle model, Handle texts, size_t first, size_t first_number,
                      Handle ignored, TagOptions options) {
  OpenModel& open = At<OpenModel>(model);
  TextBlock& block = At<TextBlock>(texts);
  const std::vector<TextPair> items = block.Items(first);
  options.ignore_labels = TextsOf(At<TextBlock>(ignored).Items());
  return ReplyWith<TaggingReply>(
      RunOn<TagRun>(block).Step(open.model, open.session, {items, first_number}, options),
      [](const Tagging& result) {
        return TaggingValue{
            .counts = CopyToJs<Uint32ArrayVal>(result.counts),
            .tokens = CopyToJs<Uint32ArrayVal>(result.tokens),
            .entities = CopyWords(result.entities),
            .prefixes = CopyToJs<Uint8ArrayVal>(result.prefixes),
            .begun = result.begun,
        };
      });
}

// Items: text = question, pair = context.
AnswersReply AnswerQuestions(Handle model, Handle items, size_t first, size_t first_number,
                             const AnswerOptions& options) {
  OpenModel& open = At<OpenModel>(model);
  TextBlock& block = At<TextBlock>(items);
  const std::vector<TextPair> pairs = block.Items(first);
  return ReplyWith<AnswersReply>(
      RunOn<AnswerRun>(block).Step(open.model, open.session, {pairs, first_number}, options),
      [](const Answers& result) {
        return AnswersValue{
            .counts = CopyToJs<Uint32ArrayVal>(result.counts),
            .tokens = CopyToJs<Uint32ArrayVal>(result.tokens),
            .answers = CopyWords(result.answers),
            .begun = result.begun,
        };
      });
}

}  // namespace

EMSCRIPTEN_BINDINGS(spans) {
  using emscripten::enum_;
  using emscripten::function;
  using emscripten::register_type;
  using emscripten::value_object;

  enum_<Aggregation>("Aggregation")
      .value("none", Aggregation::kNone)
      .value("simple", Aggregation::kSimple)
      .value("first", Aggregation::kFirst)
      .value("average", Aggregation::kAverage)
      .value("max", Aggregation::kMax);
  value_object<WindowOptions>("WindowOptions")
      .field("maxLength", &WindowOptions::max_length)
      .field("stride", &WindowOptions::stride);

  value_object<TagOptions>("TagOptions")
      .field("windows", &TagOptions::windows)
      .field("aggregation", &TagOptions::aggregation);
  value_object<TaggingValue>("Tagging")
      .field("counts", &TaggingValue::counts)
      .field("tokens", &TaggingValue::tokens)
      .field("entities", &TaggingValue::entities)
      .field("prefixes", &TaggingValue::prefixes)
      .field("begun", &TaggingValue::begun);
  register_type<TaggingReply>("Tagging | ErrorValue");
  function("tag", &TagTexts);

  value_object<AnswerOptions>("AnswerOptions")
      .field("windows", &AnswerOptions::windows)
      .field("maxAnswerLen", &AnswerOptions::max_answer_len)
      .field("topK", &AnswerOptions::top_k)
      .field("handleImpossibleAnswer", &AnswerOptions::handle_impossible_answer)
      .field("nullThreshold", &AnswerOptions::null_threshold)
      .field("alignToWords", &AnswerOptions::align_to_words);
  value_object<AnswersValue>("Answers")
      .field("counts", &AnswersValue::counts)
      .field("tokens", &AnswersValue::tokens)
      .field("answers", &AnswersValue::answers)
      .field("begun", &AnswersValue::begun);
  register_type<AnswersReply>("Answers | ErrorValue");
  function("answer", &AnswerQuestions);
}

}  // namespace pocketbert
