#pragma once
// TokenList: the tokens of one text, before template and truncation.

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
};

// Tokens [begin, end) of a list.
struct Window {
  size_t begin;
  size_t end;

  size_t size() const { return end - begin; }
  bool operator==(const Window&) const = default;
};

}  // namespace pocketbert
