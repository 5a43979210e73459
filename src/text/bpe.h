#pragma once
// Bpe: a word begins as its characters; then, again and again, the two neighbours whose merge has
// the lowest rank become one token, the leftmost first, until no two merge.
//
//   "hugs" → h u g s → h ug s → hug s    by the merges "u g" (rank 0), "h ug" (rank 1)
//
// Few symbols are searched for the lowest rank one by one; for many there is a heap, so that time
// is their number times its logarithm.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/merge_table.h"
#include "text/text_index.h"
#include "text/whole_words.h"
#include "text/word_model.h"

namespace pocketbert {

class Bpe final : public WordModel {
 public:
  // `json` is tokenizer.json's "model", of this type. With `byte_level` words are plain bytes and
  // the vocabulary holds their visible form (byte_level.h).
  Status Load(Json json, ModelData&& data, bool byte_level);

  bool Tokenize(std::string_view word, WordScratch& scratch,
                std::vector<WordToken>& out) const override;
  std::vector<BpeMerge> merges() const override { return table_.All(); }

 private:
  // Characters that no token was found for, waiting to become one unknown token.
  struct Unknown {
    bool waits = false;
    uint32_t size = 0;
  };

  Status ReadOptions(Json json);
  Status IndexBytes();
  int32_t FindWhole(std::string_view word) const;
  bool Start(std::string_view word, WordScratch& scratch) const;
  bool StartChar(std::string_view text, uint32_t size, Unknown& unknown,
                 std::vector<BpeSymbol>& symbols) const;
  void MergeFew(std::vector<BpeSymbol>& symbols) const;
  void MergeMany(WordScratch& scratch) const;
  void Rank(std::vector<BpeSymbol>& symbols, size_t at) const;

  MergeTable table_;
  bool byte_level_ = false;
  bool fuses_unknown_ = false;
  bool falls_back_to_bytes_ = false;
  bool ignores_merges_ = false;  // for words that are entries
  bool needs_unknown_ = false;   // unk_token is given
  std::string prefix_;           // of all characters but the first
  std::string suffix_;           // of the last character
  std::array<int32_t, 256> byte_ids_;   // of <0x00> … <0xFF>
  std::array<int32_t, 256> start_ids_;  // byte level: of each byte's character
  TextIndex bytes_index_;               // byte level: entries by the bytes they stand for
  WholeWords whole_words_;
};

// Reads the merges, ["a b", …] or [["a", "b"], …], for the vocabulary that `data` has.
Status ReadBpeData(Json json, ModelData& data);

// The same from the lines of a merges.txt ("a b"; a first line "#version: …" is passed over).
Status ReadMergeLines(std::string_view text, ModelData& data);

}  // namespace pocketbert
