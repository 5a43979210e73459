#pragma once
// From texts to a TokenBatch: encoding, cutting to the model's length, filling a batch.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "nn/batch.h"
#include "tasks/task_session.h"
#include "text/tokenizer.h"

namespace pocketbert {

// What to do with a text of too many tokens.
enum class Truncate { kEnd, kStart, kError };

struct LengthOptions {
  Truncate truncate = Truncate::kEnd;
  // Most tokens of a text (or pair), special tokens included; from 1 to the model's. Absent: the
  // model's.
  std::optional<size_t> max_length = std::nullopt;
  // Which text of a pair is cut.
  TruncationStrategy strategy = TruncationStrategy::kLongestFirst;
};

// A stretch of a caller's list of texts.
struct TextList {
  std::span<const TextPair> texts;
  // Place of texts[0] in the caller's list, for messages: `text 12: …`.
  size_t first_number = 0;
};

// `error` with the number of its text before it: `text 12: …`.
Error AboutText(size_t number, Error error);

// The most tokens of a text: what was asked for, or the model's. Errors: kInvalidArgument, out of
// range.
Result<size_t> MostTokens(const Model& model, std::optional<size_t> asked);

// Errors: kUnsupported, a token type that the model does not have.
Status CheckTypes(const Model& model, std::span<const Token> tokens);

// Owns the tokens of some texts.
struct TextBatch {
  std::vector<int32_t> ids;         // [tokens]
  std::vector<uint8_t> type_ids;    // [tokens]; empty if the model has no token types
  std::vector<uint32_t> ranges;     // [tokens, 2] begin and end in the text, the prefix counted in
  std::vector<uint32_t> offsets{0};  // [texts + 1]
  std::vector<uint8_t> truncated;   // [texts] 1 where a text was cut

  size_t texts() const { return truncated.size(); }
  TokenBatch view() const { return {.ids = ids, .type_ids = type_ids, .offsets = offsets}; }
  // Tokens of each text.
  std::vector<uint32_t> Lengths() const;
  // Takes all but the first `count` texts off.
  void Keep(size_t count);
};

// Encodes as many texts, from the first, as fit a batch of the session: at least one if there is
// one. `prefix` is put before each text. Errors name the text by its number: kTooLong if
// Truncate::kError was asked for and it has too many tokens; kInvalidArgument for max_length out of
// range or below the special tokens, or if the text that may be cut is too short for it;
// kUnsupported for a token type that the model does not have.
Result<TextBatch> FillBatch(const Model& model, const TaskSession& session, TextList list,
                            std::string_view prefix, const LengthOptions& options);

}  // namespace pocketbert
