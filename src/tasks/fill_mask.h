#pragma once
// Filling masks: the words that fit best where a text has the mask token.
//
//   "the old [MASK] was slow", top_k 2  →  masks [1], words_per_mask 2,
//   ids [4602 3899], scores [0.31 0.12], texts "boat" + "the old boat was slow" + "dog" + …

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "tasks/task_session.h"
#include "tasks/text_batch.h"

namespace pocketbert {

struct FillMaskOptions {
  LengthOptions length;
  // Words to keep for each mask, from 1; at most as many as there are to choose from are given.
  size_t top_k = 5;
  // Words to choose from; none: the whole vocabulary. One that is no entry of the vocabulary counts
  // as its first token, as in transformers, and FilledMasks::notes says so.
  std::span<const TextPair> targets = {};
};

struct FilledMasks {
  size_t words_per_mask = 0;
  std::vector<uint32_t> masks = {};  // [texts] masks in each text
  std::vector<int32_t> ids = {};     // [masks of all texts, words_per_mask] best first
  std::vector<float> scores = {};    // the same; shares of the whole vocabulary, 0 to 1
  // For each id its text and the text of the whole sequence with it, as transformers decodes them:
  // with special tokens if the text has several masks, of which the others stay. UTF-8, back to
  // back, as SplitTexts of text_block.h takes them.
  std::vector<uint8_t> texts = {};
  std::vector<uint32_t> ends = {};  // [2 * ids] where in `texts` each of them ends
  // JSON text: a list of one sentence for each target in whose place another token was taken.
  std::string notes = {};
  std::vector<uint32_t> tokens = {};    // [texts] tokens that were computed, special ones included
  std::vector<uint8_t> truncated = {};  // [texts] 1 where a text was cut

  size_t size() const { return tokens.size(); }
};

// Fills the masks of as many texts, from the first, as fit one batch of the session: at least one
// if there is one. Only the rows of masks go through the decoder, a few at a time. What is given for
// a text depends on text, model and options only, bit for bit; words of equal score
// stand in the order of their ids (or of the targets).
// Errors: those of FillBatch and Model::RequireHead; kInvalidArgument for a top_k of 0, a text
// without a mask (in the part that is kept), a target without any known token, or more than 4
// million tokens in the sequences of one text; kUnsupported for a tokenizer without a mask token;
// kFormat if the model's scores are no numbers.
Result<FilledMasks> FillMaskBatch(const Model& model, TaskSession& task, TextList list,
                                  const FillMaskOptions& options);

// Workspace that FillMaskBatch takes at most, beside what RunEncoder does.
size_t FillMaskWorkspaceBytes(const HeadConfig& config, size_t threads);

}  // namespace pocketbert
