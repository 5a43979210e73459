// Tasks: one batch of a list of texts per call, from text number `first` of `texts` on. `firstNumber`
// is that text's number in the caller's whole list, for messages.

#include <emscripten/bind.h>

#include <string>

#include "bindings/handles.h"
#include "tasks/classify.h"
#include "tasks/embed.h"

namespace pocketbert {
namespace {

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(EmbeddingsReply);
EMSCRIPTEN_DECLARE_VAL_TYPE(ClassificationReply);

struct EmbeddingsValue {
  size_t dimensions;
  Float32ArrayVal data{val::undefined()};
  Uint32ArrayVal tokens{val::undefined()};
  Uint8ArrayVal truncated{val::undefined()};
};

struct ClassificationValue {
  size_t labels_per_text;
  Uint32ArrayVal labels{val::undefined()};
  Float32ArrayVal scores{val::undefined()};
  Uint32ArrayVal tokens{val::undefined()};
  Uint8ArrayVal truncated{val::undefined()};
};

EmbeddingsReply EmbedTexts(Handle model, Handle texts, size_t first, size_t first_number,
                           const EmbedOptions& options) {
  OpenModel& open = At<OpenModel>(model);
  const std::vector<TextPair> items = At<TextBlock>(texts).Items(first);
  return ReplyWith<EmbeddingsReply>(
      EmbedBatch(open.model, open.session, {items, first_number}, options),
      [](const Embeddings& result) {
        return EmbeddingsValue{
            .dimensions = result.dimensions,
            .data = CopyToJs<Float32ArrayVal>(result.data),
            .tokens = CopyToJs<Uint32ArrayVal>(result.tokens),
            .truncated = CopyToJs<Uint8ArrayVal>(result.truncated),
        };
      });
}

ClassificationReply ClassifyTexts(Handle model, Handle texts, size_t first, size_t first_number,
                                  const ClassifyOptions& options) {
  OpenModel& open = At<OpenModel>(model);
  const std::vector<TextPair> items = At<TextBlock>(texts).Items(first);
  return ReplyWith<ClassificationReply>(
      ClassifyBatch(open.model, open.session, {items, first_number}, options),
      [](const Classification& result) {
        return ClassificationValue{
            .labels_per_text = result.labels_per_text,
            .labels = CopyToJs<Uint32ArrayVal>(result.labels),
            .scores = CopyToJs<Float32ArrayVal>(result.scores),
            .tokens = CopyToJs<Uint32ArrayVal>(result.tokens),
            .truncated = CopyToJs<Uint8ArrayVal>(result.truncated),
        };
      });
}

}  // namespace

EMSCRIPTEN_BINDINGS(tasks) {
  using emscripten::enum_;
  using emscripten::function;
  using emscripten::register_optional;
  using emscripten::register_type;
  using emscripten::value_object;

  enum_<Truncate>("Truncate")
      .value("end", Truncate::kEnd)
      .value("start", Truncate::kStart)
      .value("error", Truncate::kError);
  enum_<PoolingMode>("PoolingMode")
      .value("cls", PoolingMode::kCls)
      .value("max", PoolingMode::kMax)
      .value("mean", PoolingMode::kMean)
      .value("mean_sqrt_len", PoolingMode::kMeanSqrtLen)
      .value("weighted_mean", PoolingMode::kWeightedMean)
      .value("last_token", PoolingMode::kLastToken);
  enum_<ScoreFunction>("ScoreFunction")
      .value("none", ScoreFunction::kNone)
      .value("sigmoid", ScoreFunction::kSigmoid)
      .value("softmax", ScoreFunction::kSoftmax);
  register_optional<PoolingMode>();
  register_optional<ScoreFunction>();

  value_object<LengthOptions>("LengthOptions")
      .field("truncate", &LengthOptions::truncate)
      .field("maxLength", &LengthOptions::max_length);
  value_object<EmbedOptions>("EmbedOptions")
      .field("length", &EmbedOptions::length)
      .field("kind", &EmbedOptions::kind)
      .field("promptName", &EmbedOptions::prompt_name)
      .field("prompt", &EmbedOptions::prompt)
      .field("dimensions", &EmbedOptions::dimensions)
      .field("normalize", &EmbedOptions::normalize)
      .field("pooling", &EmbedOptions::pooling);
  value_object<EmbeddingsValue>("Embeddings")
      .field("dimensions", &EmbeddingsValue::dimensions)
      .field("data", &EmbeddingsValue::data)
      .field("tokens", &EmbeddingsValue::tokens)
      .field("truncated", &EmbeddingsValue::truncated);
  register_type<EmbeddingsReply>("Embeddings | ErrorValue");
  function("embed", &EmbedTexts);

  value_object<ClassifyOptions>("ClassifyOptions")
      .field("length", &ClassifyOptions::length)
      .field("head", &ClassifyOptions::head)
      .field("activation", &ClassifyOptions::activation)
      .field("topK", &ClassifyOptions::top_k);
  value_object<ClassificationValue>("Classification")
      .field("labelsPerText", &ClassificationValue::labels_per_text)
      .field("labels", &ClassificationValue::labels)
      .field("scores", &ClassificationValue::scores)
      .field("tokens", &ClassificationValue::tokens)
      .field("truncated", &ClassificationValue::truncated);
  register_type<ClassificationReply>("Classification | ErrorValue");
  function("classify", &ClassifyTexts);
}

}  // namespace pocketbert
