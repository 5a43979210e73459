#pragma once
// All that a Tokenizer holds; made by BuildTokenizer from the compiled form.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "text/added_tokens.h"
#include "text/decoder.h"
#include "text/normalizer.h"
#include "text/plain_words.h"
#include "text/post_processor.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer.h"
#include "text/word_model.h"

namespace pocketbert {

struct TokenizerState {
  std::string config_json;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  std::unique_ptr<const WordModel> model;
  AddedTokens added_tokens;
  PostProcessor post_processor;
  Decoder decoder;
  std::optional<Truncation> truncation;
  std::optional<Padding> padding;
  SpecialIds special_ids;
  std::optional<size_t> model_max_length;
  std::vector<std::string> differences;

  // A long text may be worked on by parts, each of which ends where this says.
  PreTokenizer::Parts parts = PreTokenizer::Parts::kNone;
  // There if the model and the stages are those of BERT, and then all works on parts.
  std::optional<PlainWords> plain_words = {};
  size_t vocab_size = 0;
  size_t id_limit = 0;

  std::optional<int32_t> TokenToId(std::string_view token) const;
};

// `config_json` is a tokenizer.json without the tables of the model, and with places in
// ModelData::charsmaps where it has charsmaps; and with one more member "pocketbert" (all of whose
// members may be absent):
//   special           {"cls_token": "[CLS]", …}
//   model_max_length  512
//   differences       ["…"]
// `name` stands for it in messages.
Result<std::unique_ptr<const TokenizerState>> BuildTokenizer(std::string config_json,
                                                             std::string_view name,
                                                             ModelData&& data);

// The compiled form of a model folder's files.
struct CompiledFiles {
  std::string config_json;
  ModelData data;
};
Result<CompiledFiles> CompileFiles(const TokenizerFiles& files);

}  // namespace pocketbert
