#pragma once
// Heads that a model carries: what they read, their sizes and names, their labels.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/hf_config.h"
#include "nn/heads.h"

namespace pocketbert {

// What a head is for.
enum class HeadTask {
  kClassify,  // scores of labels for a text or a pair
  kTag,       // scores of labels for each token
  kAnswer,    // two scores for each token: how well an answer begins there, and ends there
  kFillMask,  // scores of all words of the vocabulary for a token
};

// "classify", "tag", "answer", "fill_mask".
std::string_view HeadTaskName(HeadTask task);

// What a head reads.
enum class HeadInput {
  kClsToken,        // the last hidden state of the first token, [hidden_size]
  kSentenceVector,  // what embedding a text gives, [dimensions]
  kMeanToken,       // the mean of the tokens' last hidden states, [hidden_size]
  kTokens,          // a token's last hidden state, [hidden_size] each
};

// How logits become scores unless the caller says otherwise.
enum class ScoreFunction { kNone, kSigmoid, kSoftmax };

// "none", "sigmoid", "softmax".
std::string_view ScoreFunctionName(ScoreFunction function);

struct HeadSpec {
  std::string name;  // "default" for a checkpoint's own heads, else that of heads/NAME.json
  std::string type;  // the family's name ("bert", "distilbert", …) or "enhanced"
  HeadTask task = HeadTask::kClassify;
  HeadInput input = HeadInput::kClsToken;
  HeadConfig config;
  std::string activation_name;      // of config.activation, for ActivationFromName
  std::vector<std::string> labels;  // [config.outputs]; kAnswer, kFillMask: none
  ScoreFunction score_function = ScoreFunction::kSoftmax;
};

// How scores are made for a problem type and a number of outputs.
ScoreFunction StandardScoreFunction(ProblemType problem, size_t outputs);

// Reads heads/NAME.json. `vector_size` is the length of the model's sentence vectors.
Result<HeadSpec> ParseHeadFile(std::string_view text, std::string_view file, const HfConfig& config,
                               size_t vector_size);

// To and from the `heads` text of a one-file model.
std::string WriteHeads(std::span<const HeadSpec> heads);
Result<std::vector<HeadSpec>> ParseHeads(std::string_view text, std::string_view file);

}  // namespace pocketbert
