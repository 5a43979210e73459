#pragma once
// Classification: scores of a head's labels for one text or a pair of texts.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "tasks/task_session.h"
#include "tasks/text_batch.h"

namespace pocketbert {

struct ClassifyOptions {
  LengthOptions length;
  // Name of the head; "": `default`, or the only one.
  std::string head;
  // How logits become scores; absent: as the head says. kNone: the logits as they are, not divided
  // by the head's temperature.
  std::optional<ScoreFunction> activation;
  // Best labels to keep for each text; absent: all.
  std::optional<size_t> top_k;
};

struct Classification {
  size_t labels_per_text = 0;
  // [texts, labels_per_text] indices into the head's labels, best first.
  std::vector<uint32_t> labels = {};
  std::vector<float> scores = {};  // [texts, labels_per_text]
  std::vector<uint32_t> tokens;    // [texts] tokens that were computed, special ones included
  std::vector<uint8_t> truncated;  // [texts] 1 where a text was cut

  size_t texts() const { return tokens.size(); }
};

// Classifies as many texts, from the first, as fit one batch of the session: at least one if there
// is one. A text's scores depend on the text, the model and the options only, bit for bit. Labels
// of equal score keep their order. Errors: those of FillBatch and Model::RequireHead; kInvalidArgument
// for a top_k of 0; kFormat for scores that are no numbers.
Result<Classification> ClassifyBatch(const Model& model, TaskSession& session, TextList list,
                                     const ClassifyOptions& options);

// Classifies all texts, batch after batch.
Result<Classification> Classify(const Model& model, TaskSession& session,
                                std::span<const TextPair> texts, const ClassifyOptions& options);

}  // namespace pocketbert
