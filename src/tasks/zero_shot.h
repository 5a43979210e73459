#pragma once
// Zero-shot classification: labels that no head was trained on, by a head that says whether one
// text follows from another (natural language inference). Each label makes a hypothesis, such as
// "This example is politics.", which is the second text of a pair.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "tasks/task_session.h"
#include "tasks/text_batch.h"

namespace pocketbert {

struct ZeroShotOptions {
  LengthOptions length;
  std::string head;  // as in ClassifyOptions
};

struct Hypotheses {
  // [pairs, 2] logits of contradiction and of entailment.
  std::vector<float> logits;
  // Which of the head's labels is taken for entailment.
  size_t entailment = 0;
  std::vector<uint32_t> tokens;    // [pairs] tokens that were computed, special ones included
  std::vector<uint8_t> truncated;  // [pairs] 1 where a pair was cut
};

// Judges as many pairs of text and hypothesis, from the first, as fit one batch of the session. As
// in transformers, entailment is the head's first label that begins with "entail", case ignored,
// else the last; contradiction the first, or the last if entailment is the first. Errors: those of
// ClassifyBatch; kUnsupported for a head of one label; kFormat if a logit is no number.
Result<Hypotheses> ZeroShotBatch(const Model& model, TaskSession& task, TextList list,
                                 const ZeroShotOptions& options);

// Scores, 0 to 1, of the labels of texts that have `labels` hypotheses each, one text after the
// other: their shares by entailment (softmax over the labels); or with `each`, or of a single
// label, entailment against contradiction of each label for itself. `logits` is changed.
std::vector<float> LabelShares(std::span<float> logits, size_t labels, bool each);

}  // namespace pocketbert
