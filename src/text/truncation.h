#pragma once
// Truncation: how much of a text or pair is kept, and the overflow windows of the rest.

#include <optional>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/encode_options.h"

namespace pocketbert {

// tokenizer.json's "truncation"; older files lack "direction".
Result<std::optional<Truncation>> ReadTruncation(Json json);

// Tokens [begin, end) of a text.
struct Window {
  size_t begin;
  size_t end;

  size_t size() const { return end - begin; }
  bool operator==(const Window&) const = default;
};

// Tokens to keep of the first and of the second text.
struct KeptLengths {
  size_t first;
  size_t second;
};

// How `room` tokens are shared by texts of these lengths (second: absent for one text). Errors
// (kInvalidArgument): the text that the strategy cuts is absent or too short for what must go.
Result<KeptLengths> ShareRoom(size_t first, std::optional<size_t> second, size_t room,
                              TruncationStrategy strategy);

// The windows over `length` tokens, each of at most `kept`, overlapping by `stride`; the first is
// the main one. If kept is 0 the main one is empty and one more holds all. Needs stride < kept
// where something is cut.
std::vector<Window> CutWindows(size_t length, size_t kept, size_t stride, Side direction);

}  // namespace pocketbert
