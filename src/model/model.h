#pragma once
// Model: one opened file. Const after Open, so that any number of sessions may share it.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/safetensors.h"
#include "model/head_config.h"
#include "model/hf_config.h"
#include "model/one_file.h"
#include "model/sentence_config.h"
#include "nn/heads.h"
#include "nn/weights.h"

namespace pocketbert {

class Tokenizer;

// A head with its weights bound.
struct Head {
  HeadSpec spec;
  HeadWeights weights;
};

// A step after pooling with its weights bound (kNormalize has none).
struct BoundStep {
  SentenceStep step;
  LinearWeights linear;
};

class Model {
 public:
  // Takes a file of our one-file format (a Hugging Face folder becomes one by ModelImporter).
  // Checks that every tensor is there in the right shape and type, that every token id has an
  // embedding row, and repacks int8 matrices for the kernels, in the file's own memory where it
  // can. Errors name the file and the tensor or key.
  static Result<Model> Open(TensorFile file);
  ~Model();
  Model(Model&& other) noexcept;
  Model& operator=(Model&& other) noexcept;

  const HfConfig& config() const { return config_; }
  const EncoderConfig& encoder_config() const { return config_.encoder; }
  const EncoderWeights& encoder() const { return encoder_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }

  const SentenceConfig& sentence() const { return sentence_; }
  // The steps after pooling, in order.
  std::span<const BoundStep> steps() const { return steps_; }
  // Length of the vector that embedding a text gives.
  size_t dimensions() const { return sentence_.Dimensions(config_.encoder.hidden_size); }

  // Of all tasks.
  std::span<const Head> heads() const { return heads_; }
  // True if one of them is for `task`.
  bool HasHead(HeadTask task) const;
  // The head for `task` that is named `name`; "" means `default`, or the only one. An error
  // (kInvalidArgument, or kUnsupported if the file has no head for the task at all) that names what
  // is missing and what there is.
  Result<const Head*> RequireHead(std::string_view name,
                                  HeadTask task = HeadTask::kClassify) const;

  // Most tokens of a text, special tokens included: the smaller of the files' limit and the
  // position table.
  size_t max_length() const;

  Precision precision() const { return precision_; }
  // The name given at the import, may be empty.
  const std::string& source() const { return source_; }
  // Fidelity figures as JSON text, or "".
  const std::string& fidelity() const { return fidelity_; }
  // Tensors of the source that nothing here uses, as JSON text (an array), or "".
  const std::string& ignored_tensors() const { return ignored_tensors_; }
  // Bytes held by weights and tokenizer.
  size_t weight_bytes() const;

 private:
  friend class ModelBinder;
  Model();

  // The file's bytes, and what did not fit in place; all views below point into them.
  std::vector<ByteBlock> blocks_;
  HfConfig config_;
  EncoderWeights encoder_;
  std::unique_ptr<Tokenizer> tokenizer_;
  SentenceConfig sentence_;
  std::vector<BoundStep> steps_;
  std::vector<Head> heads_;
  Precision precision_ = Precision::kInt8;
  std::string source_, fidelity_, ignored_tensors_;
};

}  // namespace pocketbert
