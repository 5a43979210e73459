#pragma once
// Tagging: the entities of a text (or its parts of speech, its punctuation …), from the labels that
// a head gives each token.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "tasks/join_entities.h"
#include "tasks/task_session.h"
#include "tasks/text_batch.h"
#include "tasks/token_windows.h"

namespace pocketbert {

struct TagOptions {
  // A text of any length is read; where two windows overlap, each counts in its half.
  WindowOptions windows;
  Aggregation aggregation = Aggregation::kSimple;
  // Groups (kNone: labels) that are left out.
  std::vector<std::string_view> ignore_labels = {"O"};
};

struct Tagging {
  std::vector<uint32_t> counts;   // [texts] entities of each text
  std::vector<uint32_t> tokens;   // [texts] tokens of each text, uncut, special ones included
  std::vector<Entity> entities;   // of all texts, in the order of the texts and within them
  std::vector<uint8_t> prefixes;  // [labels] letters before the group's name; kNone: all 0
  double begun = 0;               // share of the text after these that is done, from 0 to below 1

  size_t texts() const { return counts.size(); }
};

// Tagging in steps of at most one batch of the session. What a text gives depends on the text, the
// model and the options only, bit for bit. A token goes on with the word before it if both are of
// one pre-token; or, where the model does not mark such tokens (by "##"), if no blank (U+0020) is
// its first character or before it. An unknown token never does.
class TagRun {
 public:
  TagRun();
  ~TagRun();

  // Tags as many texts, from the first, as fit one batch: at least one if there is one. A text of
  // more windows takes several steps, of which the last gives it; each of them is asked for with the
  // same options and the texts that were not given yet. Errors, which end the run: those of
  // CutIntoWindows, Model::RequireHead and ScoreWindows.
  Result<Tagging> Step(const Model& model, TaskSession& session, TextList list,
                       const TagOptions& options);

 private:
  struct Begun;
  std::unique_ptr<Begun> begun_;  // none: no text is in the middle
};

// Tags all texts, step after step.
Result<Tagging> Tag(const Model& model, TaskSession& session, std::span<const TextPair> texts,
                    const TagOptions& options);

}  // namespace pocketbert
