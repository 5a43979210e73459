#pragma once
// Where grapheme clusters end (extended ones, UAX #29).

#include <string_view>

#include "text/char_category.h"

namespace pocketbert {

// Walks over the clusters of one text. Regional indicators count as joining nothing: clusters of
// theirs are longer than anybody here asks about.
class ClusterWalker {
 public:
  // `text` is valid UTF-8.
  explicit ClusterWalker(std::string_view text)
      : parts_(CharTables::Get().cluster_parts), text_(text) {}

  // The end of the cluster that begins at byte `begin`, which is below the text's size.
  size_t EndOf(size_t begin) const;

 private:
  const CharTable& parts_;
  const std::string_view text_;
};

}  // namespace pocketbert
