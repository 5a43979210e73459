#include "model/checkpoint_heads.h"

namespace pocketbert {
namespace {

// What a family calls the parts of its heads; null: there is none. In the order of ModelFamily.
struct FamilyHeads {
  const char* type;
  // ForSequenceClassification
  const char* dense;
  const char* activation;
  const char* output;
  // ForMaskedLM; the last map is `words`, of which there is only the bias if it is tied
  const char* words_dense;
  const char* words_norm;
  const char* words;
  const char* words_activation;  // null: the encoder's
};
constexpr const char* kPredictions = "cls.predictions";
constexpr const char* kTransform = "cls.predictions.transform.dense";
constexpr const char* kTransformNorm = "cls.predictions.transform.LayerNorm";
constexpr FamilyHeads kFamilyHeads[] = {
    {"bert", "pooler.dense", "tanh", "classifier", kTransform, kTransformNorm, kPredictions,
     nullptr},
    {"distilbert", "pre_classifier", "relu", "classifier", "vocab_transform", "vocab_layer_norm",
     "vocab_projector", nullptr},
    {"electra", "classifier.dense", "gelu", "classifier.out_proj", "generator_predictions.dense",
     "generator_predictions.LayerNorm", "generator_lm_head", "gelu"},
    {"roberta", "classifier.dense", "tanh", "classifier.out_proj", "lm_head.dense",
     "lm_head.layer_norm", "lm_head", "gelu"},
    {"mpnet", "classifier.dense", "tanh", "classifier.out_proj", "lm_head.dense",
     "lm_head.layer_norm", "lm_head", "gelu"},
    {"albert", "pooler.dense", "tanh", "classifier", "predictions.dense", "predictions.LayerNorm",
     "predictions", nullptr},
    {"deberta", "pooler.dense", "gelu", "classifier", kTransform, kTransformNorm, kPredictions,
     nullptr},
    {"modernbert", "head.dense", "gelu", "classifier", "head.dense", "head.norm", "decoder",
     "gelu"},
    {"nomic", "pooler.dense", "tanh", "classifier", nullptr, nullptr, nullptr, nullptr},
    {"gte", "pooler.dense", "tanh", "classifier", nullptr, nullptr, nullptr, nullptr},
};

ScoreFunction StandardFunction(const HfConfig& config, HeadTask task, size_t outputs) {
  if (task == HeadTask::kClassify) return StandardScoreFunction(config.problem_type, outputs);
  return ScoreFunction::kSoftmax;
}

void SetActivation(const HfConfig& config, const char* name, HeadSpec& head) {
  head.activation_name = config.head_activation.empty() ? name : config.head_activation;
  head.config.activation = ActivationFromName(head.activation_name).value();
}

// ModernBERT has one kind of head for all tasks: dense, activation, norm on what `input` says.
void SetModernBertDense(const HfConfig& config, HeadSpec& head) {
  head.config.dense_name = "head.dense";
  head.config.norm_name = "head.norm";
  head.config.dense_bias = config.head_bias;
  head.config.norm_bias = config.encoder.norm_bias;
  SetActivation(config, "gelu", head);
}

void SetMaskedWords(const HfConfig& config, const FamilyHeads& family, HeadSpec& head) {
  if (family.words == nullptr) return;
  head.config.tied_output = config.tie_word_embeddings;
  head.config.dense_name = family.words_dense;
  head.config.norm_name = family.words_norm;
  head.config.output_name = family.words;
  head.config.inner = config.encoder.embedding_size;
  if (family.words_activation != nullptr) {
    SetActivation(config, family.words_activation, head);
  } else {
    head.activation_name = config.activation_name;
    head.config.activation = config.encoder.activation;
  }
}

void SetClassifier(const HfConfig& config, const FamilyHeads& family, HeadSpec& head) {
  head.config.dense_name = family.dense;
  head.config.output_name =
      config.predicts_next_sentence() ? "cls.seq_relationship" : family.output;
  SetActivation(config, family.activation, head);
}

Status SetLabels(const HfConfig& config, size_t outputs, HeadSpec& head) {
  if (!config.predicts_next_sentence()) head.labels = config.labels;
  if (head.labels.empty()) {
    for (size_t i = 0; i < outputs; ++i) head.labels.push_back("LABEL_" + std::to_string(i));
  }
  if (head.labels.size() == outputs) return Done{};
  return FormatError(Message("tensor ") + head.config.output_name + ".weight has " + outputs +
                     " rows, one a label, but config.json names " + head.labels.size() +
                     " labels");
}

}  // namespace

std::vector<HeadTask> CheckpointHeadTasks(const HfConfig& config) {
  if (config.HasArchitecture("ForTokenClassification")) return {HeadTask::kTag};
  if (config.HasArchitecture("ForQuestionAnswering")) return {HeadTask::kAnswer};
  if (config.HasArchitecture("ForMultipleChoice")) return {};
  if (config.HasArchitecture("ForMaskedLM") || config.HasArchitecture("ForPreTraining")) {
    return {HeadTask::kClassify, HeadTask::kFillMask};
  }
  return {HeadTask::kClassify};
}

Result<HeadSpec> CheckpointHead(const HfConfig& config, size_t outputs, HeadTask task) {
  const FamilyHeads& family = kFamilyHeads[static_cast<size_t>(config.family)];
  const bool modern = config.family == ModelFamily::kModernBert;
  HeadSpec head;
  head.name = "default";
  head.type = family.type;
  head.task = task;
  head.input = task == HeadTask::kClassify ? HeadInput::kClsToken : HeadInput::kTokens;
  head.activation_name = "linear";
  head.config.inputs = head.config.inner = config.encoder.hidden_size;
  head.config.outputs = outputs;
  head.config.activation = Activation::kLinear;
  head.config.norm_eps = config.encoder.layer_norm_eps;
  head.score_function = StandardFunction(config, task, outputs);
  switch (task) {
    case HeadTask::kClassify:
      if (config.head_mean) head.input = HeadInput::kMeanToken;
      SetClassifier(config, family, head);
      break;
    case HeadTask::kTag:
      head.config.output_name = "classifier";
      break;
    case HeadTask::kAnswer:
      head.config.output_name = modern ? "classifier" : "qa_outputs";
      break;
    case HeadTask::kFillMask:
      SetMaskedWords(config, family, head);
      break;
  }
  if (modern && !head.config.output_name.empty()) SetModernBertDense(config, head);
  if (task == HeadTask::kClassify || task == HeadTask::kTag) {
    PB_RETURN_IF_ERROR(SetLabels(config, outputs, head));
  }
  return head;
}

}  // namespace pocketbert
