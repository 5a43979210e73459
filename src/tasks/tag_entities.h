#pragma once
// Tagging: the entities of a text (or its parts of speech, its punctuation …), from the labels that
// a head gives each token.

#include <cstddef>
#include <cstdint>
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

  size_t texts() const { return counts.size(); }
};

// Tags as many texts, from the first, as fit one batch of the session: at least one if there is one,
// whatever its length. What a text gives depends on the text, the model and the options only, bit
// for bit. A token goes on with the word before it if both are of one pre-token; or, where the model
// does not mark such tokens (by "##"), if no blank (U+0020) is its first character or before it. An
// unknown token never does. Errors: those of CutIntoWindows, Model::RequireHead and ScoreWindows.
Result<Tagging> TagBatch(const Model& model, TaskSession& session, TextList list,
                         const TagOptions& options);

// Tags all texts, batch after batch.
Result<Tagging> Tag(const Model& model, TaskSession& session, std::span<const TextPair> texts,
                    const TagOptions& options);

}  // namespace pocketbert
