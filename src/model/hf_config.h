#pragma once
// Hugging Face's config.json: which of its keys matter to an encoder, with the defaults that its
// configuration classes have for keys that are missing.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/family_config.h"
#include "nn/config.h"

namespace pocketbert {

// How a classifier's outputs become scores, from `problem_type`.
enum class ProblemType {
  kUnset,        // not given: sigmoid for one output, else softmax
  kRegression,   // raw values
  kSingleLabel,  // softmax (sigmoid for one output)
  kMultiLabel,   // a sigmoid for each
};

struct HfConfig {
  ModelFamily family = ModelFamily::kBert;
  std::string model_type;                  // "bert", "xlm-roberta", …
  std::vector<std::string> architectures;  // as given, e.g. "BertForSequenceClassification"
  EncoderConfig encoder;
  std::string activation_name;  // of encoder.activation, for ActivationFromName
  // What config.json says about the family's heads beside problem_type and labels.
  std::string head_activation;      // for ActivationFromName, or "": the family's own
  bool head_mean = false;           // classifier_pooling is "mean", not "cls"
  bool head_bias = true;            // classifier_bias
  bool tie_word_embeddings = true;  // masked words are scored by the table of word embeddings
  // In the order of the outputs; from id2label (whose keys count as numbers), or LABEL_0, LABEL_1,
  // … for num_labels; empty if the file has neither.
  std::vector<std::string> labels;
  ProblemType problem_type = ProblemType::kUnset;

  // True if an architecture ends with `suffix`, e.g. "ForSequenceClassification".
  bool HasArchitecture(std::string_view suffix) const;
  // True if the classifier tells whether a second text follows the first (BERT's pretraining).
  bool predicts_next_sentence() const;
};

// Parses the text of config.json; `file` names it in messages. Errors: not JSON, a key of the wrong
// type or range, hidden_size no multiple of the heads (kFormat); a model_type or an option that
// nothing here computes, e.g. a hidden_act, is_decoder, quantization_config (kUnsupported). Each
// names the key, what was found and what was expected.
Result<HfConfig> ParseHfConfig(std::string_view text, std::string_view file = "config.json");

}  // namespace pocketbert
