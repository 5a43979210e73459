#include "tasks/zero_shot.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "kernels/softmax.h"
#include "tasks/classify.h"

namespace pocketbert {
namespace {

bool MeansEntailment(std::string_view label) {
  constexpr std::string_view kBeginning = "entail";
  if (label.size() < kBeginning.size()) return false;
  for (size_t i = 0; i < kBeginning.size(); ++i) {
    if ((label[i] | 0x20) != kBeginning[i]) return false;
  }
  return true;
}

size_t EntailmentLabel(const std::vector<std::string>& labels) {
  for (size_t i = 0; i < labels.size(); ++i) {
    if (MeansEntailment(labels[i])) return i;
  }
  return labels.size() - 1;
}

}  // namespace

Result<Hypotheses> ZeroShotBatch(const Model& model, TaskSession& task, TextList list,
                                 const ZeroShotOptions& options) {
  PB_ASSIGN_OR_RETURN(const Head* head, model.RequireHead(options.head));
  const std::vector<std::string>& labels = head->spec.labels;
  if (labels.size() < 2) {
    return UnsupportedError(Message("head ") + head->spec.name + " has " + labels.size() +
                            " label, but zero-shot classification needs entailment and "
                            "contradiction");
  }
  ClassifyOptions raw;
  raw.length = options.length;
  // A label that is cut would be judged by half a sentence.
  raw.length.strategy = TruncationStrategy::kOnlyFirst;
  raw.head = options.head;
  raw.activation = ScoreFunction::kNone;
  PB_ASSIGN_OR_RETURN(Classification scores, ClassifyBatch(model, task, list, raw));
  Hypotheses result{.logits = std::vector<float>(2 * scores.texts()),
                    .entailment = EntailmentLabel(labels),
                    .tokens = std::move(scores.tokens),
                    .truncated = std::move(scores.truncated)};
  const size_t contradiction = result.entailment == 0 ? labels.size() - 1 : 0;
  for (size_t i = 0; i < scores.labels.size(); ++i) {
    if (!std::isfinite(scores.scores[i])) {
      return FormatError("the model's scores of labels are no numbers");
    }
    float* pair = &result.logits[i / labels.size() * 2];
    if (scores.labels[i] == contradiction) pair[0] = scores.scores[i];
    if (scores.labels[i] == result.entailment) pair[1] = scores.scores[i];
  }
  return result;
}

std::vector<float> LabelShares(std::span<float> logits, size_t labels, bool each) {
  PB_CHECK(labels > 0 && logits.size() % (2 * labels) == 0);
  const size_t pairs = logits.size() / 2;
  const bool alone = each || labels == 1;
  if (alone) Softmax(1, {logits.data(), pairs, 2});
  std::vector<float> shares(pairs);
  for (size_t i = 0; i < pairs; ++i) shares[i] = logits[2 * i + 1];
  if (!alone) Softmax(1, {shares.data(), pairs / labels, labels});
  return shares;
}

}  // namespace pocketbert
