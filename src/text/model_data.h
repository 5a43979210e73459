#pragma once
// ModelData: the big tables of a tokenizer: vocabulary, scores of a Unigram model, merges of a BPE
// model, charsmaps of Precompiled normalizers; and their compact form.
//
// The form of a vocabulary alone is that of vocabulary.h. Else: 8 bytes "PBPARTS1"; the number of
// parts; for each its kind and its size in bytes, then its bytes (numbers are u32, little-endian).
// Kinds:
//   1  vocabulary, see vocabulary.h
//   2  scores, for each id an f32 as a number of 32 bits: how far it is from the one before (the
//      first from 0), zigzag, as a variable-length number; scores mostly fall from id to id
//   3  scores, one f64 for each id
//   4  merges in order of rank: for each the ids of its left and right part, and how far its result
//      is from the id after the result before, zigzag, all as variable-length numbers
//   5  charsmap, see charsmap.h; the order tells which normalizer's
// Variable-length: 7 bits a byte, low first, high bit: more follow. Zigzag: 0, -1, 1, -2 … are
// written as 0, 1, 2, 3 …

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/vocabulary.h"

namespace pocketbert {

// Two tokens that stand side by side become one.
struct BpeMerge {
  int32_t left;
  int32_t right;
  int32_t result;

  bool operator==(const BpeMerge&) const = default;
};

struct ModelData {
  Vocabulary vocabulary = {};
  std::vector<double> scores = {};   // by id; empty where the model has none
  std::vector<BpeMerge> merges = {};
  std::vector<std::string> charsmaps = {};

  // The bytes must stay where they are as long as the vocabulary. Errors (kFormat): bytes that are not of the form above; ids of merges that are not in the
  // vocabulary; scores that are no finite numbers or not one for each id.
  static Result<ModelData> FromBytes(std::span<const uint8_t> bytes);
};

// The parts of a ModelData, wherever they are kept.
struct ModelParts {
  const Vocabulary& vocabulary;
  std::span<const double> scores;
  std::span<const BpeMerge> merges;
  std::span<const std::string_view> charsmaps;
};
std::vector<uint8_t> SerializeModel(const ModelParts& parts);

}  // namespace pocketbert
