#pragma once
// Vectors of parts of texts: of long texts in windows (one of each, or their mean), and of tokens,
// which is what late interaction (ColBERT's MaxSim) compares.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "tasks/embed_plan.h"
#include "tasks/task_session.h"
#include "tasks/text_batch.h"
#include "tasks/token_windows.h"

namespace pocketbert {

struct PartOptions {
  // Of windows: length.max_length is theirs, and nothing is cut away. Of tokens: pooling is not used,
  // and an absent `normalize` means that each token's vector has length 1.
  EmbedOptions embed;
  // Parts are tokens, special ones and those of the prompt included, and not windows.
  bool tokens = false;
  // Each window has a vector; else a text has the mean of them, weighted by their tokens of the text.
  bool each = false;
  // Tokens that a window shares with the one before it, as in WindowOptions.
  size_t stride = 0;
};

// Of one step. Windows of a text that is in the middle are in `data` (with `each`) and `parts`, but
// in no count yet.
struct PartEmbeddings {
  size_t dimensions = 0;
  std::vector<float> data = {};  // [parts, or texts for windows without `each`, dimensions]
  // [parts, 3] of all texts, in order: tokens that were computed, special ones and the prompt
  // included; begin and end in UTF-16 units of the text, without the prompt, 0 and 0 if it is
  // nothing of it.
  std::vector<uint32_t> parts = {};
  std::vector<uint32_t> counts = {};    // [texts] parts of each text
  std::vector<uint8_t> truncated = {};  // tokens: [texts] 1 where a text was cut
  double begun = 0;  // share of the text after these that is done, from 0 to below 1

  size_t texts() const { return counts.size(); }
};

// Embeds parts in steps of at most one batch of the session. What a text gives depends on the text,
// the model and the options only, bit for bit. A text of one window has the vector that EmbedBatch
// gives.
class PartsRun {
 public:
  // Embeds the parts of as many texts, from the first, as fit one batch: at least one if there is
  // one. A text of more windows takes several steps, as with TagRun::Step. Errors, which end the
  // run: those of FillBatch, CutIntoWindows and PlanEmbedding; kTooLong for more than 64 MB of
  // windows' vectors.
  Result<PartEmbeddings> Step(const Model& model, TaskSession& session, TextList list,
                              const PartOptions& options);

 private:
  Result<PartEmbeddings> StepWindows(const Model& model, TaskSession& session, TextList list,
                                     const PartOptions& options);
  void AddWindow(const WindowPlace& place, std::span<const float> vector, bool normalize,
                 PartEmbeddings& result);

  WindowQueue queue_;        // at its end: no text is in the middle
  std::vector<float> mean_;  // [dimensions] of the text that is; empty if each window has a vector
};

}  // namespace pocketbert
