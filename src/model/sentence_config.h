#pragma once
// What sentence-transformers' files say about turning token vectors into one vector per text:
// modules.json, 1_Pooling/config.json, 2_Dense/config.json, sentence_bert_config.json,
// config_sentence_transformers.json.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "kernels/activation.h"
#include "model/folder_texts.h"
#include "nn/pooling.h"

namespace pocketbert {

// A Dense module: vector = activation(W vector + b).
struct DenseConfig {
  std::string path;    // the module's folder, e.g. "2_Dense"
  size_t inputs = 0;   // in_features
  size_t outputs = 0;  // out_features
  bool bias = true;
  std::string activation_name;  // of ActivationFromName
  Activation activation = Activation::kTanh;

  // Canonical name of its linear map: "modules.2_Dense.linear".
  std::string LinearName() const { return "modules." + path + ".linear"; }
};

// One module after the pooling.
struct SentenceStep {
  enum class Kind { kDense, kNormalize };
  Kind kind = Kind::kNormalize;
  DenseConfig dense;  // kDense only
};

struct SentenceConfig {
  // False: the folder has no modules.json; then mean pooling and scaling to length 1 are our
  // choice.
  bool from_modules = false;
  // Folder of the encoder's own files within the folder, e.g. "0_Transformer"; mostly "".
  std::string transformer_path;
  std::vector<PoolingMode> pooling = {PoolingMode::kMean};
  // False: a prompt's tokens take part in attention but not in pooling.
  bool include_prompt = true;
  // In order; without modules.json one kNormalize.
  std::vector<SentenceStep> steps;
  // Most tokens of a text, special tokens included, if the files name it (max_seq_length). It goes
  // before the tokenizer's own limit; the position table may allow fewer.
  std::optional<uint64_t> max_length;
  // Texts are lower-cased before anything else (sentence_bert_config.json). Only models whose
  // tokenizer does so anyway are imported, so a one-file model does not hold it.
  bool do_lower_case = false;
  std::vector<std::pair<std::string, std::string>> prompts;  // name, text
  std::optional<std::string> default_prompt_name;
  std::string similarity;  // similarity_fn_name ("cosine", …) or ""

  // True if the last step scales to length 1.
  bool normalizes() const;
  // Length of the final vector.
  size_t Dimensions(size_t hidden_size) const;
};

// "cls", "max", "mean", "mean_sqrt_len", "weighted_mean", "last_token".
std::string_view PoolingModeName(PoolingMode mode);
// Takes these and sentence-transformers' own spellings.
std::optional<PoolingMode> PoolingModeFromName(std::string_view name);

// Folder of a module of modules.json, without a slash at its end; "" for the top one.
Result<std::string_view> ModulePath(Json module);

// Reads the folder's files. `hidden_size` is that of the encoder, which the modules' sizes must
// fit. A module, pooling mode, activation or option that is not known is refused by name.
Result<SentenceConfig> ReadSentenceFiles(const FolderTexts& files, size_t hidden_size);

// To and from the `sentence` text of a one-file model.
std::string WriteSentenceConfig(const SentenceConfig& config);
Result<SentenceConfig> ParseSentenceConfig(std::string_view text, std::string_view file,
                                           size_t hidden_size);

}  // namespace pocketbert
