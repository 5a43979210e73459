#include "tasks/classify.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/sort.h"
#include "kernels/activation.h"
#include "kernels/softmax.h"
#include "nn/encoder.h"
#include "nn/heads.h"
#include "tasks/check_numbers.h"
#include "tasks/sentence_vector.h"

namespace pocketbert {
namespace {

Result<size_t> LabelsPerText(const Head& head, std::optional<size_t> top_k) {
  const size_t labels = head.spec.labels.size();
  if (top_k && *top_k == 0) return InvalidArgumentError("top_k is 0, expected 1 or more");
  return std::min(top_k.value_or(labels), labels);
}

// What the head reads: [texts, head inputs].
TensorView<const float> HeadInputs(const Model& model, const Head& head,
                                   TensorView<const float> hidden, const TokenBatch& batch,
                                   Session& session) {
  if (head.spec.input == HeadInput::kSentenceVector) {
    return SentenceVectors(model, hidden, batch, ModelVectorOptions(model), session);
  }
  const std::array mode = {head.spec.input == HeadInput::kMeanToken ? PoolingMode::kMean
                                                                   : PoolingMode::kCls};
  TensorView<float> pooled = session.workspace.Alloc<float>(batch.sequences(), hidden.cols);
  Pool(mode, hidden, batch, 0, pooled);
  return pooled;
}

void LogitsToScores(ScoreFunction function, TensorView<float> logits) {
  switch (function) {
    case ScoreFunction::kNone: return;
    case ScoreFunction::kSigmoid: return Activate(Activation::kSigmoid, logits);
    case ScoreFunction::kSoftmax: return Softmax(1, logits);
  }
}

// Appends the indices and scores of the `count` best labels of one text.
void AppendBest(std::span<const float> scores, size_t count, Classification& result) {
  std::vector<uint32_t> order = CountUp(scores.size());
  SortIndices(order, [&](uint32_t a, uint32_t b) { return scores[a] > scores[b]; });
  for (size_t i = 0; i < count; ++i) {
    result.labels.push_back(order[i]);
    result.scores.push_back(scores[order[i]]);
  }
}

}  // namespace

Result<Classification> ClassifyBatch(const Model& model, TaskSession& task, TextList list,
                                     const ClassifyOptions& options) {
  PB_ASSIGN_OR_RETURN(const Head* head, model.RequireHead(options.head));
  PB_ASSIGN_OR_RETURN(const size_t labels_per_text, LabelsPerText(*head, options.top_k));
  PB_ASSIGN_OR_RETURN(TextBatch batch, FillBatch(model, task, list, {}, options.length));
  Classification result{.labels_per_text = labels_per_text,
                        .tokens = batch.Lengths(),
                        .truncated = std::move(batch.truncated)};
  if (result.texts() == 0) return result;

  const ScoreFunction function = options.activation.value_or(head->spec.score_function);
  HeadConfig config = head->spec.config;
  if (function == ScoreFunction::kNone) config.temperature = 1;
  Workspace::Scope scope(task.session.workspace);
  const TensorView<float> hidden =  // [tokens, hidden_size]
      RunEncoder(model.encoder_config(), model.encoder(), batch.view(), task.session);
  const TensorView<const float> inputs =  // [texts, head inputs]
      HeadInputs(model, *head, hidden, batch.view(), task.session);
  const TensorView<float> scores =  // [texts, labels]
      RunHead(config, head->weights, inputs, task.session);
  LogitsToScores(function, scores);
  for (size_t r = 0; r < scores.rows; ++r) {
    PB_RETURN_IF_ERROR(CheckNumbers(list.first_number + r, scores.Rows(r, r + 1), "scores"));
    AppendBest(scores.Row(r), labels_per_text, result);
  }
  return result;
}

Result<Classification> Classify(const Model& model, TaskSession& task,
                                std::span<const TextPair> texts, const ClassifyOptions& options) {
  PB_ASSIGN_OR_RETURN(Classification all, ClassifyBatch(model, task, {texts}, options));
  while (all.texts() < texts.size()) {
    const size_t done = all.texts();
    PB_ASSIGN_OR_RETURN(const Classification more,
                        ClassifyBatch(model, task, {texts.subspan(done), done}, options));
    all.labels.insert(all.labels.end(), more.labels.begin(), more.labels.end());
    all.scores.insert(all.scores.end(), more.scores.begin(), more.scores.end());
    all.tokens.insert(all.tokens.end(), more.tokens.begin(), more.tokens.end());
    all.truncated.insert(all.truncated.end(), more.truncated.begin(), more.truncated.end());
  }
  return all;
}

}  // namespace pocketbert
