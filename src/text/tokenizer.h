#pragma once
// Tokenizer: text to ids and back, as the files of a Hugging Face model say.
//
//   PB_ASSIGN_OR_RETURN(Tokenizer tokenizer, Tokenizer::FromFiles({.tokenizer_json = bytes}));
//   PB_ASSIGN_OR_RETURN(Encodings encodings, tokenizer.Encode("Hello world!", {}, {}));
//   // tokens with the ids [101, 7592, 2088, 999, 102]
//
// A text passes these stages, one file each, named as in tokenizer.json: added tokens → normalizer
// → pre_tokenizer → model → truncation → post_processor (template) → padding. ASCII words take a
// shorter way to the same outcome (plain_words.h). Ids and offsets equal those of Hugging Face's
// tokenizers 0.23.3. Time is linear in the length of the text.
//
// Texts are UTF-8; an invalid sequence counts as U+FFFD (by the WHATWG rule), one UTF-16 unit.
// A tokenizer is const after construction; any number of threads may use one.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/encode_options.h"
#include "text/encoding.h"

namespace pocketbert {

// Names that SentencePiece's own files have in model folders.
inline constexpr std::string_view kSentencepieceModels[] = {"sentencepiece.bpe.model",
                                                            "spiece.model", "spm.model"};

// Contents of a model folder's files; absent files stay empty optionals. One of these must be
// there, and the first that is there is taken: tokenizer_json; vocab_json with merges_txt (RoBERTa
// and its kin); vocab_txt (BERT and its kin).
struct TokenizerFiles {
  std::optional<std::string_view> tokenizer_json = {};
  std::optional<std::string_view> vocab_json = {};
  std::optional<std::string_view> merges_txt = {};
  std::optional<std::string_view> vocab_txt = {};
  std::optional<std::string_view> tokenizer_config_json = {};
  std::optional<std::string_view> special_tokens_map_json = {};
  std::optional<std::string_view> added_tokens_json = {};
  // One of kSentencepieceModels is there: nothing here reads it, and the error says so.
  bool has_sentencepiece_model = false;
};

// Ids of the tokens with a role; -1 where the tokenizer has none.
struct SpecialIds {
  int32_t cls = -1;
  int32_t sep = -1;
  int32_t pad = -1;
  int32_t mask = -1;
  int32_t unk = -1;
};

struct DecodeOptions {
  bool skip_special_tokens = true;
  // Undo the blanks before punctuation; absent: as the file's decoder says.
  std::optional<bool> clean_up = {};
};

struct TextPair {
  std::string_view text;
  std::optional<std::string_view> pair = {};
};

struct TokenizerState;  // tokenizer_state.h

class Tokenizer {
 public:
  // Errors: kFormat (a file that is not what it should be), kUnsupported (a component, option or
  // pattern that nothing here can compute; the message names it).
  static Result<Tokenizer> FromFiles(const TokenizerFiles& files);

  // The compiled form: all but the vocabulary as JSON, and the vocabulary as a compact block (see
  // model_data.h), whose bytes must stay where they are as long as the tokenizer. Behaves in every
  // way like the tokenizer it was made from, and loads much faster.
  static Result<Tokenizer> FromCompiled(std::string_view config_json,
                                        std::span<const uint8_t> vocabulary);
  std::string CompiledConfig() const;
  std::vector<uint8_t> CompiledVocabulary() const;

  ~Tokenizer();
  Tokenizer(Tokenizer&& other) noexcept;
  Tokenizer& operator=(Tokenizer&& other) noexcept;

  // Errors, all kInvalidArgument: max_length below the number of template tokens, a stride that
  // leaves no room, a padding option out of range. kTooLong: a text of 1 GB or more, a word
  // (without a place to part it) of more than 8 MB for BPE and Unigram, a text on which a pattern
  // takes too many steps. kFormat: the text needs the unknown token and the vocabulary has none.
  Result<Encodings> Encode(std::string_view text, std::optional<std::string_view> pair,
                           const EncodeOptions& options) const;
  // As Encode one by one, but padded to a common length if the options ask for padding.
  Result<Encodings> EncodeBatch(std::span<const TextPair> texts,
                                const EncodeOptions& options) const;
  // Tokens of each, template tokens included, of a text of any length in little memory. Errors: as
  // those of Encode without options.
  Result<std::vector<uint32_t>> CountBatch(std::span<const TextPair> texts) const;

  // Ids outside the vocabulary are passed over, as in the reference.
  std::string Decode(std::span<const int32_t> ids, const DecodeOptions& options) const;

  // Added tokens come before entries of the vocabulary.
  std::optional<int32_t> TokenToId(std::string_view token) const;
  std::optional<std::string_view> IdToToken(int32_t id) const;
  // Number of entries, added tokens included.
  size_t vocab_size() const;
  // One more than the largest id; an embedding table needs this many rows.
  size_t id_limit() const;

  const SpecialIds& special_ids() const;
  // Whether tokens that continue a word begin with a prefix, as WordPiece's do ("##").
  bool marks_continuations() const;
  // Template tokens that Encode sets around one text (pair: two texts).
  size_t special_token_count(bool pair) const;

  // What the files say about truncation and padding; Encode uses neither by itself.
  const std::optional<Truncation>& file_truncation() const;
  const std::optional<Padding>& file_padding() const;
  // model_max_length of tokenizer_config.json, if it is below 1,000,000 (files write 1e30 for
  // "none").
  std::optional<size_t> model_max_length() const;

  // Where tokenizer_config.json and tokenizer.json disagree; the former was obeyed, as transformers
  // does. One readable sentence each, e.g. `lowercase: tokenizer_config.json says false, …`.
  const std::vector<std::string>& differences() const;

 private:
  explicit Tokenizer(std::unique_ptr<const TokenizerState> state);
  std::unique_ptr<const TokenizerState> state_;
};

}  // namespace pocketbert
