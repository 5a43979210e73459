#pragma once
// From the labels of tokens to entities: which tokens are a word, which words an entity.
//
//   tokens   anna   smith  ##son  met   lyon
//   labels   B-PER  I-PER  I-PER  O     B-LOC
//   simple   anna smithson: PER · met: O · lyon: LOC

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text/encoding.h"

namespace pocketbert {

// What becomes one entity; names as in transformers.
enum class Aggregation {
  kNone,     // each token
  kSimple,   // tokens whose labels go on
  kFirst,    // words whose labels go on; a word has the label of its first token,
  kAverage,  // or the best of the mean of its tokens' scores,
  kMax,      // or that of its most certain token
};

// A label read by its scheme. B- begins an entity and I- goes on with one of the same group; in
// models that have them E- (L-) ends one and S- (U-) is one of its own. A label without such a
// prefix, as all are in models without B- and I-, is a group that goes on.
struct TagLabel {
  uint32_t group = 0;  // the first label of the same group
  uint8_t prefix = 0;  // letters before the group's name: 2 or 0
  bool begins = false;
  bool ends = false;
};
std::vector<TagLabel> ReadTagLabels(std::span<const std::string> labels);

struct Entity {
  uint32_t label;  // of its first token; with the others, but kNone, only the group counts
  float score;     // the mean over the tokens, or words, that it was joined from
  Range range;     // in the text
  uint32_t index;  // place of its first token, special ones counted
  int32_t id;      // of its first token
};

// Takes the tokens of one text in order and appends its entities to a list, those of label "O" too.
class EntityJoiner {
 public:
  EntityJoiner(std::span<const TagLabel> labels, Aggregation aggregation,
               std::vector<Entity>& entities)
      : labels_(labels), aggregation_(aggregation), entities_(entities) {}

  // `scores` [labels]; `continues`: the token goes on with the word before it.
  void Add(const Token& token, size_t index, bool continues, std::span<const float> scores);
  // The text has ended; more may be added for another.
  void Finish();

 private:
  void AddToWord(const Token& token, std::span<const float> scores);
  void FinishWord();
  void FinishEntity();

  std::span<const TagLabel> labels_;
  Aggregation aggregation_;
  std::vector<Entity>& entities_;
  // The word that may still go on: what is known of it, its tokens, the sums of their scores.
  Entity word_ = {};
  size_t word_tokens_ = 0;
  std::vector<double> sums_;  // [labels], for kAverage
  // The entity that may still go on: its parts, the sum of their scores, the last one's label.
  Entity entity_ = {};
  size_t parts_ = 0;
  double part_scores_ = 0;
  uint32_t last_label_ = 0;
};

}  // namespace pocketbert
