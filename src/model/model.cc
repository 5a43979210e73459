#include "model/model.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/json.h"
#include "model/bind_weights.h"
#include "model/check_vocabulary.h"
#include "text/tokenizer.h"

namespace pocketbert {
namespace {

// The text of a metadata key, which must be there.
Result<std::string_view> Text(const TensorFile& file, std::string_view key) {
  const std::optional<std::string_view> text = file.header().Metadata(key);
  if (!text) {
    return FormatError(Message(file.name()) + ": metadata key \"" + key + "\" is missing");
  }
  return *text;
}

std::string TextOrEmpty(const TensorFile& file, std::string_view key) {
  return std::string(file.header().Metadata(key).value_or(""));
}

std::string Place(const TensorFile& file, std::string_view key) {
  return file.name() + ": metadata " + std::string(key);
}

struct Quantization {
  Precision precision;
  size_t group_size;
};

Result<Quantization> ReadQuantization(const TensorFile& file) {
  PB_ASSIGN_OR_RETURN(const std::string_view text, Text(file, one_file::kQuantizationKey));
  PB_ASSIGN_OR_RETURN(const JsonDocument document,
                      ParseJson(text, Place(file, one_file::kQuantizationKey)));
  PB_ASSIGN_OR_RETURN(const std::string_view name, document.root().GetString("precision"));
  const std::optional<Precision> precision = PrecisionFromName(name);
  if (!precision) return document.root().Find("precision")->ErrorExpected("int8 or float32");
  if (*precision == Precision::kFloat32) return Quantization{*precision, kGroupStep};
  PB_ASSIGN_OR_RETURN(const int64_t group_size,
                      document.root().GetInt("group_size", kGroupStep, kMaxGroupSize));
  if (group_size % kGroupStep != 0) {
    return document.root().Find("group_size")->ErrorExpected("a multiple of 32");
  }
  return Quantization{*precision, static_cast<size_t>(group_size)};
}

// Applies Bind to everything that a Visit… function lists; keeps the first error. With a precision,
// all matrices must have it: the layers run several of them on one input.
struct BindVisitor {
  WeightBinder& binder;
  Status& status;
  std::optional<Precision> precision = std::nullopt;

  template <typename Slot>
  void operator()(const TensorSpec& spec, Slot& slot) const {
    if (!status.ok()) return;
    status = binder.Bind(spec, slot);
    if constexpr (std::is_same_v<Slot, LinearWeights>) {
      if (status.ok() && precision && slot.is_i8() != (*precision == Precision::kInt8)) {
        status = binder.PrecisionError(spec.name, *precision);
      }
    }
  }
};

ErrorBox MissingHeadError(const HfConfig& config, HeadTask task) {
  constexpr std::string_view kMissing[] = {
      "no classification head: there is no tensor classifier.weight (or classifier.out_proj.weight) "
      "and no file heads/NAME.json",
      "no head for token classification",
      "no head for question answering",
      "no head for masked words",
  };
  return UnsupportedError(Message("the model has ") + kMissing[static_cast<size_t>(task)] +
                          "; architectures: " +
                          (config.architectures.empty() ? "none" : config.architectures[0]));
}

// What a head reads and, if it is tied to the word embeddings, gives has the encoder's sizes.
Status CheckHead(const HeadSpec& head, const EncoderConfig& encoder, size_t vector_size,
                 const std::string& place) {
  const size_t inputs =
      head.input == HeadInput::kSentenceVector ? vector_size : encoder.hidden_size;
  if (head.config.inputs != inputs) {
    return FormatError(Message(place) + ": head " + head.name + " reads " + head.config.inputs +
                       " values, expected " + inputs);
  }
  if (head.config.tied_output && (head.config.outputs != encoder.vocab_size ||
                                  head.config.inner != encoder.embedding_size)) {
    return FormatError(Message(place) + ": head " + head.name + " has " + head.config.inner +
                       " values and " + head.config.outputs + " outputs, expected " +
                       encoder.embedding_size + " and " + encoder.vocab_size);
  }
  return Done{};
}

Status BindStep(WeightBinder& binder, BoundStep& bound) {
  const DenseConfig& dense = bound.step.dense;
  if (bound.step.kind != SentenceStep::Kind::kDense) return Done{};
  Status status = Done{};
  VisitLinear(dense.LinearName(), dense.LinearName() + ".input_scale",
              {dense.outputs, dense.inputs, dense.bias}, bound.linear,
              BindVisitor{binder, status, {}});
  return status;
}

}  // namespace

// Fills a Model step by step; a friend of it.
class ModelBinder {
 public:
  explicit ModelBinder(TensorFile file) : file_(std::move(file)) {}

  Result<Model> Open() && {
    PB_RETURN_IF_ERROR(one_file::CheckFormat(file_.header(), file_.name()));
    PB_RETURN_IF_ERROR(ReadTexts());
    PB_RETURN_IF_ERROR(BindAll());
    model_.source_ = TextOrEmpty(file_, one_file::kSourceKey);
    model_.fidelity_ = TextOrEmpty(file_, one_file::kFidelityKey);
    model_.ignored_tensors_ = TextOrEmpty(file_, one_file::kIgnoredTensorsKey);
    model_.blocks_.push_back(std::move(file_).TakeBytes());
    return std::move(model_);
  }

 private:
  Status ReadTexts() {
    PB_ASSIGN_OR_RETURN(const std::string_view config, Text(file_, one_file::kConfigKey));
    PB_ASSIGN_OR_RETURN(model_.config_, ParseHfConfig(config, Place(file_, one_file::kConfigKey)));
    const size_t hidden = model_.config_.encoder.hidden_size;
    PB_ASSIGN_OR_RETURN(const std::string_view sentence, Text(file_, one_file::kSentenceKey));
    PB_ASSIGN_OR_RETURN(
        model_.sentence_,
        ParseSentenceConfig(sentence, Place(file_, one_file::kSentenceKey), hidden));
    PB_ASSIGN_OR_RETURN(const std::string_view heads, Text(file_, one_file::kHeadsKey));
    PB_ASSIGN_OR_RETURN(std::vector<HeadSpec> specs,
                        ParseHeads(heads, Place(file_, one_file::kHeadsKey)));
    for (HeadSpec& spec : specs) {
      PB_RETURN_IF_ERROR(CheckHead(spec, model_.config_.encoder,
                                   model_.sentence_.Dimensions(hidden),
                                   Place(file_, one_file::kHeadsKey)));
      model_.heads_.push_back({std::move(spec), {}});
    }
    PB_ASSIGN_OR_RETURN(quantization_, ReadQuantization(file_));
    model_.precision_ = quantization_.precision;
    return Done{};
  }

  Status BindAll() {
    WeightBinder binder(file_, quantization_.group_size);
    Status status = Done{};
    const EncoderConfig& config = model_.config_.encoder;
    model_.encoder_.layers.resize(config.weight_sets());
    VisitTensors(config, model_.encoder_, BindVisitor{binder, status, quantization_.precision});
    for (Head& head : model_.heads_) {
      VisitHeadTensors(head.spec.config, head.weights, BindVisitor{binder, status, {}});
      if (head.spec.config.tied_output) head.weights.words = model_.encoder_.words;
    }
    PB_RETURN_IF_ERROR(std::move(status));
    for (const SentenceStep& step : model_.sentence_.steps) {
      model_.steps_.push_back({step, {}});
      PB_RETURN_IF_ERROR(BindStep(binder, model_.steps_.back()));
    }
    PB_RETURN_IF_ERROR(BindTokenizer(binder));
    PB_RETURN_IF_ERROR(binder.CheckAllUsed());
    model_.blocks_ = binder.TakeBlocks();
    return Done{};
  }

  Status BindTokenizer(WeightBinder& binder) {
    PB_ASSIGN_OR_RETURN(const std::span<const uint8_t> vocabulary,
                        binder.Bytes(one_file::kVocabularyTensor));
    PB_ASSIGN_OR_RETURN(const std::string_view text, Text(file_, one_file::kTokenizerKey));
    PB_ASSIGN_OR_RETURN(Tokenizer tokenizer, Tokenizer::FromCompiled(text, vocabulary));
    PB_RETURN_IF_ERROR(CheckVocabulary(file_.name(), tokenizer, model_.config_.encoder.vocab_size));
    model_.tokenizer_ = std::make_unique<Tokenizer>(std::move(tokenizer));
    const size_t special = model_.tokenizer_->special_token_count(false);
    if (model_.max_length() < special) {
      return FormatError(Message(file_.name()) + ": max_seq_length (or model_max_length) is " +
                         model_.max_length() + ", expected at least " + special);
    }
    return Done{};
  }

  TensorFile file_;
  Quantization quantization_ = {};
  Model model_;
};

Model::Model() = default;
Model::~Model() = default;
Model::Model(Model&& other) noexcept = default;
Model& Model::operator=(Model&& other) noexcept = default;

Result<Model> Model::Open(TensorFile file) { return ModelBinder(std::move(file)).Open(); }

bool Model::HasHead(HeadTask task) const {
  return std::any_of(heads_.begin(), heads_.end(),
                     [&](const Head& head) { return head.spec.task == task; });
}

Result<const Head*> Model::RequireHead(std::string_view name, HeadTask task) const {
  if (!HasHead(task)) return MissingHeadError(config_, task);
  const std::string_view wanted = name.empty() ? "default" : name;
  std::string known;
  const Head* only = nullptr;
  size_t count = 0;
  for (const Head& head : heads_) {
    if (head.spec.task != task) continue;
    if (head.spec.name == wanted) return &head;
    known += (known.empty() ? "" : ", ") + head.spec.name;
    only = &head;
    ++count;
  }
  if (name.empty() && count == 1) return only;
  return InvalidArgumentError(
      Message((name.empty() ? std::string("the model has several heads, name one as option head")
                            : "the model has no head " + std::string(name))) +
      "; its heads are: " + known);
}

size_t Model::max_length() const {
  const size_t positions = config_.encoder.max_tokens();
  const uint64_t limit =
      sentence_.max_length.value_or(tokenizer_->model_max_length().value_or(positions));
  return static_cast<size_t>(std::min<uint64_t>(limit, positions));
}

size_t Model::weight_bytes() const {
  size_t bytes = 0;
  for (const ByteBlock& block : blocks_) bytes += block.size();
  return bytes;
}

}  // namespace pocketbert
