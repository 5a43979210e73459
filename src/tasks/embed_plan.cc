#include "tasks/embed_plan.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace pocketbert {
namespace {

// ---- Prompts

using Prompts = std::vector<std::pair<std::string, std::string>>;

const std::string* FindPrompt(const Prompts& prompts, std::string_view name) {
  for (const auto& [known, text] : prompts) {
    if (known == name) return &text;
  }
  return nullptr;
}

ErrorBox NoSuchPrompt(std::string_view option, std::string_view name, const Prompts& prompts) {
  std::string known;
  for (const auto& [prompt, text] : prompts) known += (known.empty() ? "" : ", ") + prompt;
  return InvalidArgumentError(Message(option) + " is \"" + name +
                              "\", which is no prompt of this model; it has " +
                              (known.empty() ? "none" : known));
}

// As sentence-transformers' encode_query and encode_document look for one.
Result<const std::string*> PromptOfKind(const Prompts& prompts, std::string_view kind) {
  constexpr std::array<std::string_view, 3> kDocumentNames = {"document", "passage", "corpus"};
  const std::string* prompt = FindPrompt(prompts, kind);
  if (prompt != nullptr || kind == "query") return prompt;
  if (std::find(kDocumentNames.begin(), kDocumentNames.end(), kind) == kDocumentNames.end()) {
    return NoSuchPrompt("kind", kind, prompts);
  }
  for (std::string_view name : kDocumentNames) {
    if (prompt == nullptr) prompt = FindPrompt(prompts, name);
  }
  return prompt;
}

Result<std::string> ChoosePrompt(const SentenceConfig& sentence, const EmbedOptions& options) {
  if (options.prompt) return *options.prompt;
  if (!options.prompt_name.empty()) {
    const std::string* prompt = FindPrompt(sentence.prompts, options.prompt_name);
    if (prompt == nullptr) {
      return NoSuchPrompt("promptName", options.prompt_name, sentence.prompts);
    }
    return *prompt;
  }
  const std::string* prompt = nullptr;
  if (!options.kind.empty()) {
    PB_ASSIGN_OR_RETURN(prompt, PromptOfKind(sentence.prompts, options.kind));
  }
  if (prompt == nullptr && sentence.default_prompt_name) {
    prompt = FindPrompt(sentence.prompts, *sentence.default_prompt_name);
  }
  return prompt == nullptr ? std::string() : *prompt;
}

// Tokens of the prompt at the beginning of a text, [CLS] included: those of the prompt alone, but
// for its last, [SEP].
Result<size_t> PromptTokens(const Model& model, std::string_view prompt) {
  PB_ASSIGN_OR_RETURN(const Encodings encodings, model.tokenizer().Encode(prompt, {}, {}));
  const size_t tokens = encodings.tokens.size();
  return tokens == 0 ? 0 : tokens - 1;
}

// ---- Options of the vectors

const BoundStep* FirstDense(const Model& model) {
  for (const BoundStep& step : model.steps()) {
    if (step.step.kind == SentenceStep::Kind::kDense) return &step;
  }
  return nullptr;
}

// Sets one pooling mode in place of the model's; a Dense module takes vectors of one width.
Status SetPooling(const Model& model, const PoolingMode& mode, VectorOptions& chosen) {
  const size_t width = model.encoder_config().hidden_size;
  const BoundStep* dense = FirstDense(model);
  if (dense != nullptr && dense->linear.inputs() != width) {
    return InvalidArgumentError(Message("pooling \"") + PoolingModeName(mode) + "\" gives " +
                                width + " values, but the Dense module " + dense->step.dense.path +
                                " takes " + (dense->linear.inputs()));
  }
  if (dense == nullptr) chosen.dimensions = width;
  chosen.pooling = std::span(&mode, 1);
  return Done{};
}

// The result views `options`.
Result<VectorOptions> ChooseVectorOptions(const Model& model, const EmbedOptions& options) {
  VectorOptions chosen = ModelVectorOptions(model);
  chosen.normalize = options.normalize.value_or(chosen.normalize);
  if (options.pooling) PB_RETURN_IF_ERROR(SetPooling(model, *options.pooling, chosen));
  return chosen;
}

// `most` is what there is, and becomes what is kept.
Status Shorten(const EmbedOptions& options, size_t& most) {
  const size_t dimensions = options.dimensions.value_or(most);
  if (dimensions < 1 || dimensions > most) {
    return InvalidArgumentError(Message("dimensions is ") + dimensions + ", expected 1 to " + most);
  }
  most = dimensions;
  return Done{};
}

}  // namespace

Result<EmbedPlan> PlanEmbedding(const Model& model, const EmbedOptions& options) {
  EmbedPlan plan;
  PB_ASSIGN_OR_RETURN(plan.prompt, ChoosePrompt(model.sentence(), options));
  PB_ASSIGN_OR_RETURN(plan.vectors, ChooseVectorOptions(model, options));
  PB_RETURN_IF_ERROR(Shorten(options, plan.vectors.dimensions));
  if (!model.sentence().include_prompt && !plan.prompt.empty()) {
    PB_ASSIGN_OR_RETURN(plan.vectors.skipped_tokens, PromptTokens(model, plan.prompt));
  }
  return plan;
}

Result<EmbedPlan> PlanTokens(const Model& model, const EmbedOptions& options) {
  EmbedPlan plan;
  PB_ASSIGN_OR_RETURN(plan.prompt, ChoosePrompt(model.sentence(), options));
  plan.vectors.normalize = options.normalize.value_or(true);
  plan.vectors.dimensions = model.encoder_config().hidden_size;
  PB_RETURN_IF_ERROR(Shorten(options, plan.vectors.dimensions));
  return plan;
}

}  // namespace pocketbert
