#include "tasks/join_entities.h"

#include <algorithm>
#include <string_view>

namespace pocketbert {
namespace {

bool HasPrefix(const std::string& label, std::string_view letters) {
  return label.size() > 2 && label[1] == '-' && letters.find(label[0]) != std::string_view::npos;
}

// The label of the highest score; the first of equals.
template <typename T>
uint32_t Best(std::span<const T> scores) {
  size_t best = 0;
  for (size_t i = 1; i < scores.size(); ++i) {
    if (scores[i] > scores[best]) best = i;
  }
  return static_cast<uint32_t>(best);
}

}  // namespace

std::vector<TagLabel> ReadTagLabels(std::span<const std::string> labels) {
  const bool has_scheme = std::any_of(labels.begin(), labels.end(), [](const std::string& label) {
    return HasPrefix(label, "BI");
  });
  std::vector<TagLabel> read(labels.size());
  const auto group_name = [&](size_t i) {
    return std::string_view(labels[i]).substr(read[i].prefix);
  };
  for (size_t i = 0; i < labels.size(); ++i) {
    TagLabel& label = read[i];
    if (has_scheme && HasPrefix(labels[i], "BIELSU")) label.prefix = 2;
    label.begins = label.prefix != 0 && HasPrefix(labels[i], "BSU");
    label.ends = label.prefix != 0 && HasPrefix(labels[i], "ELSU");
    size_t group = 0;
    while (group_name(group) != group_name(i)) ++group;
    label.group = static_cast<uint32_t>(group);
  }
  return read;
}

void EntityJoiner::Add(const Token& token, size_t index, bool continues,
                       std::span<const float> scores) {
  const bool by_word = aggregation_ >= Aggregation::kFirst;
  if (word_tokens_ > 0 && !(by_word && continues)) FinishWord();
  if (word_tokens_ == 0) {
    word_ = {.label = 0,
             .score = 0,
             .range = token.range,
             .index = static_cast<uint32_t>(index),
             .id = token.id};
    if (aggregation_ == Aggregation::kAverage) sums_.assign(scores.size(), 0.0);
  }
  AddToWord(token, scores);
}

void EntityJoiner::AddToWord(const Token& token, std::span<const float> scores) {
  word_.range.end = token.range.end;
  const bool is_first = word_tokens_++ == 0;
  if (aggregation_ == Aggregation::kAverage) {
    for (size_t i = 0; i < scores.size(); ++i) sums_[i] += scores[i];
    return;
  }
  const uint32_t best = Best(scores);
  if (!is_first && (aggregation_ != Aggregation::kMax || !(scores[best] > word_.score))) return;
  word_.label = best;
  word_.score = scores[best];
}

void EntityJoiner::FinishWord() {
  if (aggregation_ == Aggregation::kAverage) {
    word_.label = Best(std::span<const double>(sums_));
    word_.score = static_cast<float>(sums_[word_.label] / static_cast<double>(word_tokens_));
  }
  word_tokens_ = 0;
  if (aggregation_ == Aggregation::kNone) {
    entities_.push_back(word_);
    return;
  }
  const TagLabel& label = labels_[word_.label];
  const TagLabel& last = labels_[last_label_];
  const bool goes_on = parts_ > 0 && label.group == last.group && !label.begins && !last.ends;
  if (!goes_on) {
    FinishEntity();
    entity_ = word_;
  }
  entity_.range.end = word_.range.end;
  last_label_ = word_.label;
  part_scores_ += word_.score;
  ++parts_;
}

void EntityJoiner::FinishEntity() {
  if (parts_ == 0) return;
  entity_.score = static_cast<float>(part_scores_ / static_cast<double>(parts_));
  entities_.push_back(entity_);
  parts_ = 0;
  part_scores_ = 0;
}

void EntityJoiner::Finish() {
  if (word_tokens_ > 0) FinishWord();
  FinishEntity();
}

}  // namespace pocketbert
