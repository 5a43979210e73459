#pragma once
// TokenList: the tokens of one text, before template and truncation.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/encoding.h"

namespace pocketbert {

struct TokenList {
  // All of one length.
  std::vector<int32_t> ids;
  std::vector<Range> offsets;
  std::vector<int32_t> word_ids;

  size_t size() const { return ids.size(); }
  void Add(int32_t id, Range range, int32_t word_id) {
    ids.push_back(id);
    offsets.push_back(range);
    word_ids.push_back(word_id);
  }
  // Drops what comes before the last `count`, once that is worth the copying.
  void KeepLast(size_t count) {
    if (size() / 2 <= count) return;
    const auto drop = static_cast<ptrdiff_t>(size() - count);
    ids.erase(ids.begin(), ids.begin() + drop);
    offsets.erase(offsets.begin(), offsets.begin() + drop);
    word_ids.erase(word_ids.begin(), word_ids.begin() + drop);
  }
};

// Tokens [begin, end) of a list.
struct Window {
  size_t begin;
  size_t end;

  size_t size() const { return end - begin; }
  bool operator==(const Window&) const = default;
};

}  // namespace pocketbert
