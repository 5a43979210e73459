// Vectors of parts of texts, windows or tokens: one batch of a list per call as in
// spans_binding.cc, but that windows of a text that takes several calls are given as they come.

#include <emscripten/bind.h>

#include "bindings/handles.h"
#include "tasks/embed_parts.h"

namespace pocketbert {

template <>
inline constexpr ObjectKind kKindOf<PartsRun> = ObjectKind::kPartsRun;

namespace {

EMSCRIPTEN_DECLARE_VAL_TYPE(PartEmbeddingsReply);

struct PartEmbeddingsValue {
  size_t dimensions;
  Float32ArrayVal data{emscripten::val::undefined()};
  Uint32ArrayVal parts{emscripten::val::undefined()};
  Uint32ArrayVal counts{emscripten::val::undefined()};
  Uint8ArrayVal truncated{emscripten::val::undefined()};
  double begun;
};

PartEmbeddingsReply EmbedTextParts(Handle model, Handle texts, size_t first, size_t first_number,
                                   const PartOptions& options) {
  OpenModel& open = At<OpenModel>(model);
  TextBlock& block = At<TextBlock>(texts);
  const std::vector<TextPair> items = block.Items(first);
  return ReplyWith<PartEmbeddingsReply>(
      RunOn<PartsRun>(block).Step(open.model, open.session, {items, first_number}, options),
      [](const PartEmbeddings& result) {
        return PartEmbeddingsValue{
            .dimensions = result.dimensions,
            .data = CopyToJs<Float32ArrayVal>(result.data),
            .parts = CopyToJs<Uint32ArrayVal>(result.parts),
            .counts = CopyToJs<Uint32ArrayVal>(result.counts),
            .truncated = CopyToJs<Uint8ArrayVal>(result.truncated),
            .begun = result.begun,
        };
      });
}

}  // namespace

EMSCRIPTEN_BINDINGS(parts) {
  using emscripten::function;
  using emscripten::register_type;
  using emscripten::value_object;

  value_object<PartOptions>("PartOptions")
      .field("embed", &PartOptions::embed)
      .field("tokens", &PartOptions::tokens)
      .field("each", &PartOptions::each)
      .field("stride", &PartOptions::stride);
  value_object<PartEmbeddingsValue>("PartEmbeddings")
      .field("dimensions", &PartEmbeddingsValue::dimensions)
      .field("data", &PartEmbeddingsValue::data)
      .field("parts", &PartEmbeddingsValue::parts)
      .field("counts", &PartEmbeddingsValue::counts)
      .field("truncated", &PartEmbeddingsValue::truncated)
      .field("begun", &PartEmbeddingsValue::begun);
  register_type<PartEmbeddingsReply>("PartEmbeddings | ErrorValue");
  function("embedParts", &EmbedTextParts);
}

}  // namespace pocketbert
