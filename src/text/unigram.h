#pragma once
// Unigram: a word becomes those entries of the vocabulary, laid end to end, whose scores
// (logarithms of probabilities) have the largest sum. Characters that are no entry count as unknown
// ones, 10 below the least score; a run of unknown ones is one token.
//
//   "▁unhappy" → ▁un happy    if -7.1 + -9.4 is more than any other way
//
// Time for a word is its length times that of the longest entry, which is bounded.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/whole_words.h"
#include "text/word_model.h"

namespace pocketbert {

class Unigram final : public WordModel {
 public:
  // Entries of more bytes are refused.
  static constexpr size_t kLongestEntry = 1024;

  // `json` is tokenizer.json's "model", of this type.
  Status Load(Json json, ModelData&& data);

  bool Tokenize(std::string_view word, WordScratch& scratch,
                std::vector<WordToken>& out) const override;
  bool unknown_keeps_text() const override { return true; }
  std::span<const double> scores() const override { return scores_; }

 private:
  size_t NoteLengths(const uint8_t*& at, const uint8_t* end);
  size_t LongestAt(std::string_view text) const;
  bool FindBest(std::string_view word, std::vector<UnigramNode>& nodes) const;
  void AppendPiece(std::string_view word, uint32_t begin, uint32_t end,
                   std::vector<WordToken>& out) const;

  std::vector<double> scores_;  // by id
  double unknown_score_ = 0;
  // Of entries longer than kHeadBytes the longest, by the hash of their first kHeadBytes.
  static constexpr size_t kHeadBytes = 6;
  static constexpr int kLengthBits = 14;
  static size_t LengthSlot(const char* head) {
    return static_cast<size_t>((LoadBytes(head, kHeadBytes) * 0x9E3779B97F4A7C15u) >>
                               (64 - kLengthBits));
  }
  std::vector<uint16_t> longest_;
  bool falls_back_to_bytes_ = false;
  std::array<int32_t, 256> byte_ids_;  // of <0x00> … <0xFF>, -1 where there is none
  WholeWords whole_words_;
};

// Reads vocabulary and scores: [["<s>", 0.0], …].
Status ReadUnigramData(Json json, ModelData& data);

}  // namespace pocketbert
