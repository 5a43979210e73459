#pragma once
// TokenBatch: the tokens of several sequences back to back, without padding.
//
//   sequences [101 7592 102] and [101 102]:
//   ids     = [101 7592 102 101 102]
//   offsets = [0 3 5]                  // sequence s is tokens [offsets[s], offsets[s + 1])

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pocketbert {

// A view; the caller owns the arrays. A sequence may be empty. Ids, type ids and positions must lie
// inside the model's tables (checked: a violation is a bug of the caller and stops).
struct TokenBatch {
  std::span<const int32_t> ids;        // [tokens]
  std::span<const uint8_t> type_ids;   // [tokens], or empty: all 0
  std::span<const uint32_t> offsets;   // [sequences + 1], rising from 0 to tokens
  // Rows of the position table [tokens], or empty: config.first_position, + 1, + 2, … in every
  // sequence.
  std::span<const uint32_t> positions = {};

  size_t tokens() const { return ids.size(); }
  size_t sequences() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  size_t begin(size_t sequence) const { return offsets[sequence]; }
  size_t end(size_t sequence) const { return offsets[sequence + 1]; }
  size_t length(size_t sequence) const { return end(sequence) - begin(sequence); }
  // The sequence that holds token `token` < tokens().
  size_t SequenceOf(size_t token) const {
    const auto after = std::upper_bound(offsets.begin(), offsets.end(), token);
    return static_cast<size_t>(after - offsets.begin()) - 1;
  }
};

}  // namespace pocketbert
