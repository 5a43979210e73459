#pragma once
// Hugging Face's config.json: which of its keys matter to an encoder, with the defaults that its
// configuration classes have for keys that are missing.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "nn/config.h"

namespace pocketbert {

// The families; each has a row in the name table of bind_weights.cc.
enum class ModelFamily { kBert, kDistilBert, kElectra };

// How a classifier's outputs become scores, from `problem_type`.
enum class ProblemType {
  kUnset,        // not given: sigmoid for one output, else softmax
  kRegression,   // raw values
  kSingleLabel,  // softmax (sigmoid for one output)
  kMultiLabel,   // a sigmoid for each
};

struct HfConfig {
  ModelFamily family = ModelFamily::kBert;
  std::string model_type;                  // "bert", "distilbert", "electra"
  std::vector<std::string> architectures;  // as given, e.g. "BertForSequenceClassification"
  EncoderConfig encoder;
  // In the order of the outputs; from id2label (whose keys count as numbers), or LABEL_0, LABEL_1,
  // … for num_labels; empty if the file has neither.
  std::vector<std::string> labels;
  ProblemType problem_type = ProblemType::kUnset;

  // True if an architecture ends with `suffix`, e.g. "ForSequenceClassification".
  bool HasArchitecture(std::string_view suffix) const;
};

// Parses the text of config.json; `file` names it in messages. Errors: not JSON, a key of the wrong
// type or range, hidden_size no multiple of the heads (kFormat); a model_type, hidden_act,
// position_embedding_type, is_decoder, add_cross_attention, pruned_heads or quantization_config
// that nothing here computes (kUnsupported). Each names the key, what was found and what was
// expected.
Result<HfConfig> ParseHfConfig(std::string_view text, std::string_view file = "config.json");

}  // namespace pocketbert
