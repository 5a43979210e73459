// Zero-shot classification: one batch of pairs per call, as in tasks_binding.cc.

#include <emscripten/bind.h>

#include "bindings/handles.h"
#include "tasks/zero_shot.h"

namespace pocketbert {
namespace {

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(HypothesesReply);

struct HypothesesValue {
  Float32ArrayVal logits{val::undefined()};
  size_t entailment;
  Uint32ArrayVal tokens{val::undefined()};
  Uint8ArrayVal truncated{val::undefined()};
};

HypothesesReply JudgeHypotheses(Handle model, Handle texts, size_t first, size_t first_number,
                                const ZeroShotOptions& options) {
  OpenModel& open = At<OpenModel>(model);
  const std::vector<TextPair> items = At<TextBlock>(texts).Items(first);
  return ReplyWith<HypothesesReply>(
      ZeroShotBatch(open.model, open.session, {items, first_number}, options),
      [](const Hypotheses& result) {
        return HypothesesValue{
            .logits = CopyToJs<Float32ArrayVal>(result.logits),
            .entailment = result.entailment,
            .tokens = CopyToJs<Uint32ArrayVal>(result.tokens),
            .truncated = CopyToJs<Uint8ArrayVal>(result.truncated),
        };
      });
}

// `logits`: a byte buffer of float values.
Float32ArrayVal SharesOfLabels(Handle logits, size_t labels, bool each) {
  ByteBlock& block = At<ByteBuffer>(logits).block;
  auto* values = reinterpret_cast<float*>(block.data());
  return CopyToJs<Float32ArrayVal>(
      LabelShares({values, block.size() / sizeof(float)}, labels, each));
}

}  // namespace

EMSCRIPTEN_BINDINGS(zero_shot) {
  using emscripten::function;
  using emscripten::register_type;
  using emscripten::value_object;

  value_object<ZeroShotOptions>("ZeroShotOptions")
      .field("length", &ZeroShotOptions::length)
      .field("head", &ZeroShotOptions::head);
  value_object<HypothesesValue>("Hypotheses")
      .field("logits", &HypothesesValue::logits)
      .field("entailment", &HypothesesValue::entailment)
      .field("tokens", &HypothesesValue::tokens)
      .field("truncated", &HypothesesValue::truncated);
  register_type<HypothesesReply>("Hypotheses | ErrorValue");
  function("judgeHypotheses", &JudgeHypotheses);
  function("labelShares", &SharesOfLabels);
}

}  // namespace pocketbert
