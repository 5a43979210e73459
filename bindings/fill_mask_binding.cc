// Filling masks: one batch of a list of texts per call, as in tasks_binding.cc.

#include <emscripten/bind.h>

#include "bindings/handles.h"
#include "tasks/fill_mask.h"

namespace pocketbert {
namespace {

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(FilledMasksReply);

struct FilledMasksValue {
  size_t words_per_mask;
  Uint32ArrayVal masks{val::undefined()};
  Int32ArrayVal ids{val::undefined()};
  Float32ArrayVal scores{val::undefined()};
  Uint8ArrayVal texts{val::undefined()};
  Uint32ArrayVal ends{val::undefined()};
  std::string notes;
  Uint32ArrayVal tokens{val::undefined()};
  Uint8ArrayVal truncated{val::undefined()};
};

// `targets`: a block of texts, none for the whole vocabulary.
FilledMasksReply FillTextMasks(Handle model, Handle texts, size_t first, size_t first_number,
                               Handle targets, FillMaskOptions options) {
  OpenModel& open = At<OpenModel>(model);
  const std::vector<TextPair> items = At<TextBlock>(texts).Items(first);
  const std::vector<TextPair> words = At<TextBlock>(targets).Items();
  options.targets = words;
  return ReplyWith<FilledMasksReply>(
      FillMaskBatch(open.model, open.session, {items, first_number}, options),
      [](const FilledMasks& result) {
        return FilledMasksValue{
            .words_per_mask = result.words_per_mask,
            .masks = CopyToJs<Uint32ArrayVal>(result.masks),
            .ids = CopyToJs<Int32ArrayVal>(result.ids),
            .scores = CopyToJs<Float32ArrayVal>(result.scores),
            .texts = CopyToJs<Uint8ArrayVal>(result.texts),
            .ends = CopyToJs<Uint32ArrayVal>(result.ends),
            .notes = result.notes,
            .tokens = CopyToJs<Uint32ArrayVal>(result.tokens),
            .truncated = CopyToJs<Uint8ArrayVal>(result.truncated),
        };
      });
}

}  // namespace

EMSCRIPTEN_BINDINGS(fill_mask) {
  using emscripten::function;
  using emscripten::register_type;
  using emscripten::value_object;

  value_object<FillMaskOptions>("FillMaskOptions")
      .field("length", &FillMaskOptions::length)
      .field("topK", &FillMaskOptions::top_k);
  value_object<FilledMasksValue>("FilledMasks")
      .field("wordsPerMask", &FilledMasksValue::words_per_mask)
      .field("masks", &FilledMasksValue::masks)
      .field("ids", &FilledMasksValue::ids)
      .field("scores", &FilledMasksValue::scores)
      .field("texts", &FilledMasksValue::texts)
      .field("ends", &FilledMasksValue::ends)
      .field("notes", &FilledMasksValue::notes)
      .field("tokens", &FilledMasksValue::tokens)
      .field("truncated", &FilledMasksValue::truncated);
  register_type<FilledMasksReply>("FilledMasks | ErrorValue");
  function("fillMask", &FillTextMasks);
}

}  // namespace pocketbert
