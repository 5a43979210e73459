#include "tasks/join_entities.h"

#include <catch2/catch_amalgamated.hpp>
#include <limits>
#include <utility>

namespace pocketbert {
namespace {

using Strings = std::vector<std::string>;

struct Word {
  std::string label;
  float score = 0.5f;
  bool continues = false;
};

// Tokens of one unit each, a blank after each word; a token's other scores are a tenth of 1 - its
// best.
std::vector<std::string> Join(const Strings& labels, Aggregation aggregation,
                              const std::vector<Word>& words) {
  const std::vector<TagLabel> read = ReadTagLabels(labels);
  std::vector<Entity> entities;
  EntityJoiner joiner(read, aggregation, entities);
  uint32_t at = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    std::vector<float> scores(labels.size(), (1 - words[i].score) / 10);
    for (size_t k = 0; k < labels.size(); ++k) {
      if (labels[k] == words[i].label) scores[k] = words[i].score;
    }
    if (i > 0 && !words[i].continues) ++at;
    joiner.Add({7, {at, at + 1}, 0, {}}, i + 1, words[i].continues, scores);
    ++at;
  }
  joiner.Finish();
  std::vector<std::string> found;
  for (const Entity& entity : entities) {
    const size_t prefix = aggregation == Aggregation::kNone ? 0 : read[entity.label].prefix;
    found.push_back(labels[entity.label].substr(prefix) + " " +
                    std::to_string(entity.range.begin) + "-" + std::to_string(entity.range.end));
  }
  return found;
}

const Strings kBio = {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"};
const Strings kBioes = {"O", "B-PER", "I-PER", "E-PER", "S-PER", "S-LOC"};

TEST_CASE("B- and I-: as transformers groups them") {
  const auto simple = [](const std::vector<Word>& words) {
    return Join(kBio, Aggregation::kSimple, words);
  };
  CHECK(simple({{"B-PER"}, {"I-PER"}, {"O"}}) == Strings{"PER 0-3", "O 4-5"});
  CHECK(simple({{"B-PER"}, {"B-PER"}}) == Strings{"PER 0-1", "PER 2-3"});
  CHECK(simple({{"I-PER"}, {"I-LOC"}, {"I-LOC"}}) == Strings{"PER 0-1", "LOC 2-5"});
  CHECK(simple({{"B-PER"}, {"I-LOC"}}) == Strings{"PER 0-1", "LOC 2-3"});
  CHECK(simple({{"O"}, {"O"}}) == Strings{"O 0-3"});
  CHECK(simple({}).empty());
  CHECK(Join(kBio, Aggregation::kNone, {{"B-PER"}, {"I-PER"}}) ==
        Strings{"B-PER 0-1", "I-PER 2-3"});
}

TEST_CASE("E- ends an entity and S- is one of its own") {
  const auto simple = [](const std::vector<Word>& words) {
    return Join(kBioes, Aggregation::kSimple, words);
  };
  CHECK(simple({{"B-PER"}, {"I-PER"}, {"E-PER"}, {"I-PER"}}) == Strings{"PER 0-5", "PER 6-7"});
  CHECK(simple({{"S-PER"}, {"S-PER"}, {"I-PER"}, {"S-LOC"}}) ==
        Strings{"PER 0-1", "PER 2-3", "PER 4-5", "LOC 6-7"});
}

TEST_CASE("labels without a scheme are groups, whatever letters they begin with") {
  const Strings labels = {"NOUN", "E-MAIL", "S-BAHN", "-", ""};
  CHECK(Join(labels, Aggregation::kSimple,
             {{"E-MAIL"}, {"E-MAIL"}, {"S-BAHN"}, {"-"}, {""}, {"NOUN"}, {"NOUN"}}) ==
        Strings{"E-MAIL 0-3", "S-BAHN 4-5", "- 6-7", " 8-9", "NOUN 10-13"});
}

TEST_CASE("words: the first token, the best mean, the most certain token") {
  const std::vector<Word> words = {{"B-PER", 0.5f}, {"B-LOC", 0.6f, true}, {"B-PER", 0.5f, true}};
  CHECK(Join(kBio, Aggregation::kFirst, words) == Strings{"PER 0-3"});
  CHECK(Join(kBio, Aggregation::kMax, words) == Strings{"LOC 0-3"});
  CHECK(Join(kBio, Aggregation::kAverage, words) == Strings{"PER 0-3"});
  CHECK(Join(kBio, Aggregation::kSimple, words) == Strings{"PER 0-1", "LOC 1-2", "PER 2-3"});
}

TEST_CASE("an entity's score is the mean of its parts'") {
  const std::vector<TagLabel> read = ReadTagLabels(kBio);
  const auto score = [&](Aggregation aggregation) {
    std::vector<Entity> entities;
    EntityJoiner joiner(read, aggregation, entities);
    joiner.Add({7, {0, 1}, 0, {}}, 1, false, std::vector<float>{0, 0.5f, 0.25f, 0, 0});
    joiner.Add({7, {1, 2}, 0, {}}, 2, true, std::vector<float>{0, 0.25f, 0.75f, 0, 0});
    joiner.Add({7, {3, 4}, 1, {}}, 3, false, std::vector<float>{0, 0, 1, 0, 0});
    joiner.Finish();
    REQUIRE(entities.size() == 1);
    return entities[0].score;
  };
  CHECK(score(Aggregation::kSimple) == 0.75f);  // (0.5 + 0.75 + 1) / 3
  CHECK(score(Aggregation::kFirst) == 0.75f);   // (0.5 + 1) / 2
  CHECK(score(Aggregation::kMax) == 0.875f);    // (0.75 + 1) / 2
}

TEST_CASE("the mean of a word's scores decides before the grouping") {
  const std::vector<TagLabel> read = ReadTagLabels(kBio);
  std::vector<Entity> entities;
  EntityJoiner joiner(read, Aggregation::kAverage, entities);
  joiner.Add({7, {0, 1}, 0, {}}, 1, false, std::vector<float>{0, 0.5f, 0.25f, 0, 0});
  joiner.Add({7, {1, 2}, 0, {}}, 2, true, std::vector<float>{0, 0.25f, 0.75f, 0, 0});
  joiner.Finish();
  REQUIRE(entities.size() == 1);
  CHECK(entities[0].label == 2);  // (0.25 + 0.75) / 2 > (0.5 + 0.25) / 2
  CHECK(entities[0].score == 0.5f);
}

TEST_CASE("scores that are no numbers harm nothing") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Aggregation aggregation : {Aggregation::kNone, Aggregation::kSimple,
                                        Aggregation::kFirst, Aggregation::kAverage,
                                        Aggregation::kMax}) {
    const std::vector<TagLabel> read = ReadTagLabels(kBio);
    std::vector<Entity> entities;
    EntityJoiner joiner(read, aggregation, entities);
    joiner.Add({7, {0, 1}, 0, {}}, 1, false, std::vector<float>(5, nan));
    joiner.Add({7, {1, 2}, 0, {}}, 2, true, std::vector<float>(5, nan));
    joiner.Finish();
    CHECK_FALSE(entities.empty());
  }
}

}  // namespace
}  // namespace pocketbert
