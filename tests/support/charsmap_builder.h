#pragma once
// Builds small charsmaps (see text/charsmap.h for their form).

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace pocketbert {

using CharsmapKeys = std::map<std::string, std::string>;

namespace charsmap_detail {

struct Node {
  std::map<uint8_t, Node> children;
  int image = -1;
};

// The children of the node at `place` stand at base ^ byte; each node has 256 places of its own.
inline void Place(const Node& node, uint32_t place, uint32_t& next, std::vector<uint32_t>& units) {
  const uint32_t base = next;
  next += 256;
  units.resize(next);
  units[place] |= (place ^ base) << 10;
  if (node.image >= 0) {
    units[place] |= 1u << 8;
    units[base] = 1u << 31 | static_cast<uint32_t>(node.image);
  }
  for (const auto& [byte, child] : node.children) {
    units[base ^ byte] = byte;
    Place(child, base ^ byte, next, units);
  }
}

}  // namespace charsmap_detail

inline std::string BuildCharsmap(const CharsmapKeys& keys) {
  charsmap_detail::Node root;
  std::string images;
  for (const auto& [key, image] : keys) {
    charsmap_detail::Node* node = &root;
    for (const char c : key) node = &node->children[static_cast<uint8_t>(c)];
    node->image = static_cast<int>(images.size());
    images += image;
    images += '\0';
  }
  std::vector<uint32_t> units(256);
  uint32_t next = 256;
  charsmap_detail::Place(root, 0, next, units);
  std::string bytes(4 + 4 * units.size(), '\0');
  const auto size = static_cast<uint32_t>(4 * units.size());
  std::memcpy(bytes.data(), &size, 4);
  std::memcpy(bytes.data() + 4, units.data(), size);
  return bytes + images;
}

}  // namespace pocketbert
