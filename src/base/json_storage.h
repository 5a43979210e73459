#pragma once
// How a parsed JSON text lies in memory: one flat list of nodes in the order of the text. Private
// to base/json*.cc.
//
//   {"a":[1,2]}  →  0 object(next 5)  1 "a"(next 2)  2 array(next 5)  3 1(next 4)  4 2(next 5)
//
// A container's node is followed by those of its members (key, value, key, value …) or items;
// `next` is the node after the whole value, so that a value can be skipped in one step.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace pocketbert {

struct JsonNode {
  JsonKind kind = JsonKind::kNull;
  uint32_t next = 1;
  union {
    int64_t integer = 0;
    uint64_t unsigned_integer;
    bool boolean;
    struct {
      uint32_t begin, size;
    } text;  // kString; kDouble keeps its digits
    struct {
      uint32_t count;
      uint32_t index;  // 1 + where its keys begin in sorted_keys; 0: few members, not sorted
    } container;
  };
};

struct JsonStorage {
  std::string name;
  std::vector<JsonNode> nodes;
  std::string texts;
  // Key nodes of the larger objects, by text; equal keys in the order of the text.
  std::vector<uint32_t> sorted_keys;

  std::string_view Text(const JsonNode& node) const {
    return std::string_view(texts).substr(node.text.begin, node.text.size);
  }
};

}  // namespace pocketbert
