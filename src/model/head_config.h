#pragma once
// Classification heads that a model carries: what they read, their sizes and names, their labels.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/hf_config.h"
#include "nn/heads.h"

namespace pocketbert {

// What a head reads.
enum class HeadInput {
  kClsToken,        // the last hidden state of the first token, [hidden_size]
  kSentenceVector,  // what embedding a text gives, [dimensions]
};

// How logits become scores unless the caller says otherwise.
enum class ScoreFunction { kNone, kSigmoid, kSoftmax };

// "none", "sigmoid", "softmax".
std::string_view ScoreFunctionName(ScoreFunction function);

struct HeadSpec {
  std::string name;  // "default" for a checkpoint's own head, else that of heads/NAME.json
  std::string type;  // "bert", "distilbert", "electra", "enhanced"
  HeadInput input = HeadInput::kClsToken;
  HeadConfig config;
  std::string activation_name;      // of config.activation, for ActivationFromName
  std::vector<std::string> labels;  // [config.outputs]
  ScoreFunction score_function = ScoreFunction::kSoftmax;
};

// The head of a checkpoint of this family with `outputs` outputs. The labels are those of `config`;
// if it lists none, LABEL_0, LABEL_1, …. An error if their numbers differ.
Result<HeadSpec> CheckpointHead(const HfConfig& config, size_t outputs);

// Reads heads/NAME.json. `vector_size` is the length of the model's sentence vectors.
Result<HeadSpec> ParseHeadFile(std::string_view text, std::string_view file, const HfConfig& config,
                               size_t vector_size);

// To and from the `heads` text of a one-file model.
std::string WriteHeads(std::span<const HeadSpec> heads);
Result<std::vector<HeadSpec>> ParseHeads(std::string_view text, std::string_view file);

}  // namespace pocketbert
