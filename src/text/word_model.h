#pragma once
// WordModel: what turns a word (a piece of the pre-tokenized text) into tokens. The kinds are
// WordPiece, Bpe, Unigram and WordLevel; MakeWordModel decides which.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/model_data.h"
#include "text/vocabulary.h"

namespace pocketbert {

// A token and the bytes [begin, end) of its word that it stands for.
struct WordToken {
  int32_t id;
  uint32_t begin;
  uint32_t end;
};

// A part of a word on its way through Bpe.
struct BpeSymbol {
  int32_t id;
  uint32_t size;    // in bytes
  uint32_t rank;    // of the merge with the next symbol; UINT32_MAX: there is none
  int32_t result;   // of that merge
  int32_t before;   // places of the neighbours in a long word; -1: none
  int32_t after;
};

// A merge that a long word may still make; smaller ones come first.
struct BpeCandidate {
  uint64_t rank_and_place;
  int32_t result;
};

// The best way to the end of some bytes of a word in Unigram.
struct UnigramNode {
  double score;
  uint32_t begin;  // of the last piece; UINT32_MAX: no way leads here
  int32_t id;
};

// Scratch for any number of words, one after the other.
struct WordScratch {
  std::vector<BpeSymbol> symbols;
  std::vector<BpeCandidate> candidates;
  std::vector<UnigramNode> nodes;
  std::string text;
};

class WordPiece;

class WordModel {
 public:
  virtual ~WordModel() = default;

  // Appends the tokens of a word (not empty, valid UTF-8). False if the unknown token is needed and
  // there is none.
  virtual bool Tokenize(std::string_view word, WordScratch& scratch,
                        std::vector<WordToken>& out) const = 0;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  // -1 if there is none.
  int32_t unk_id() const { return unk_id_; }
  const std::string& unk_token() const { return unk_token_; }

  // This, if it is of that kind; else null.
  virtual const WordPiece* word_piece() const { return nullptr; }
  // Tokens that continue a word begin with a prefix ("##").
  bool marks_continuations() const { return marks_continuations_; }
  // The text of an unknown token is what it stands for, not the unknown token's.
  virtual bool unknown_keeps_text() const { return false; }

  // What it was made from, to be written.
  virtual std::span<const double> scores() const { return {}; }
  virtual std::vector<BpeMerge> merges() const { return {}; }

 protected:
  WordModel() = default;
  WordModel(WordModel&&) = default;
  WordModel& operator=(WordModel&&) = default;

  Vocabulary vocabulary_;
  std::string unk_token_;
  int32_t unk_id_ = -1;
  bool marks_continuations_ = false;
};

// `json` is tokenizer.json's "model"; its tables are in `data`. `byte_level`: words are to be read
// as if they were in the form of byte_level.h. Errors: a type or option that is not supported
// (kUnsupported), what is not of the right kind (kFormat).
Result<std::unique_ptr<const WordModel>> MakeWordModel(Json json, ModelData&& data,
                                                       bool byte_level);

// "WordPiece", "BPE", "Unigram" or "WordLevel", as "type" says or else the members of an old file;
// the same errors.
Result<std::string_view> ModelTypeName(Json json);

// {"text": id, …}
Result<Vocabulary> ReadTextVocabulary(Json json);

// Reads the tables out of tokenizer.json's "model"; the same errors.
Result<ModelData> ReadModelData(Json json);

}  // namespace pocketbert
