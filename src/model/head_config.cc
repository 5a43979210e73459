#include "model/head_config.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/json.h"
#include "base/json_fields.h"

namespace pocketbert {
namespace {

constexpr int64_t kMaxWidth = int64_t{1} << 20;
constexpr std::string_view kScoreFunctions[] = {"none", "sigmoid", "softmax"};
constexpr std::string_view kInputs[] = {"cls_token", "sentence_vector", "mean_token", "tokens"};
constexpr std::string_view kTasks[] = {"classify", "tag", "answer", "fill_mask"};

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// `input` of a head file is prose: "[CLS]", "mean-pooled, L2-normalized sentence vector", ….
Status ReadInput(Json json, HeadSpec& head) {
  PB_ASSIGN_OR_RETURN(const std::string_view text, json.StringOr("input", "sentence vector"));
  const std::string lower = LowerAscii(text);
  const bool cls = Contains(lower, "cls");
  const bool vector = Contains(lower, "vector") || Contains(lower, "pooled") ||
                      Contains(lower, "sentence") || Contains(lower, "embedding");
  if (!cls && !vector) return json.Find("input")->ErrorExpected("[CLS] or the sentence vector");
  head.input = cls ? HeadInput::kClsToken : HeadInput::kSentenceVector;
  return Done{};
}

// What one entry of a head file's `layers` is: a linear map (name, in, out), an activation, or a
// dropout, which does nothing outside of training.
Status ReadLinear(Json layer, HeadConfig& config, std::string& first, std::string& second) {
  PB_ASSIGN_OR_RETURN(const std::string_view name, layer.GetString("name"));
  PB_ASSIGN_OR_RETURN(const int64_t in, layer.GetInt("in", 1, kMaxWidth));
  PB_ASSIGN_OR_RETURN(const int64_t out, layer.GetInt("out", 1, kMaxWidth));
  const bool is_first = first.empty();
  if (!second.empty()) {
    return UnsupportedError(Message(layer.Path()) + " is a third linear map, expected at most 2");
  }
  (is_first ? first : second) = std::string(name);
  const size_t expected = is_first ? config.inputs : config.inner;
  if (static_cast<size_t>(in) != expected) {
    return FormatError(Message(layer.Path()) + ": in is " + in + ", expected " + expected +
                       ", the size of what the layer reads");
  }
  (is_first ? config.inner : config.outputs) = static_cast<size_t>(out);
  return Done{};
}

Status ReadLayers(Json json, HeadSpec& head) {
  PB_ASSIGN_OR_RETURN(const Json layers, json.GetArray("layers"));
  std::string first, second;
  for (const Json layer : layers.Items()) {
    if (layer.Find("in")) {
      PB_RETURN_IF_ERROR(ReadLinear(layer, head.config, first, second));
    } else if (layer.Find("activation")) {
      PB_ASSIGN_OR_RETURN(const std::string_view name, layer.GetString("activation"));
      const std::optional<Activation> activation = ActivationFromName(name);
      if (!activation || first.empty() || !head.activation_name.empty()) {
        return UnsupportedError(Message(layer.Path()) + ": activation \"" + name +
                                "\" is unknown, or not the one between two linear maps");
      }
      head.activation_name = std::string(name);
      head.config.activation = *activation;
    } else if (!layer.Find("dropout")) {
      return UnsupportedError(Message(layer.Path()) +
                              " is no linear map (name, in, out), activation or dropout");
    }
  }
  if (first.empty()) return layers.ErrorExpected("one or two linear maps");
  const std::string prefix = "heads." + head.name + ".";
  if (second.empty()) {
    if (!head.activation_name.empty())
      return layers.ErrorExpected("no activation after the last map");
    head.config.outputs = head.config.inner;
    head.config.inner = head.config.inputs;
    head.config.output_name = prefix + first;
    head.activation_name = "linear";
    return Done{};
  }
  if (head.activation_name.empty()) {
    head.activation_name = "linear";
    head.config.activation = Activation::kLinear;
  }
  head.config.dense_name = prefix + first;
  head.config.output_name = prefix + second;
  return Done{};
}

Status ReadLabelList(Json json, std::vector<std::string>& labels) {
  PB_ASSIGN_OR_RETURN(const Json list, json.GetArray("labels"));
  for (const Json item : list.Items()) {
    PB_ASSIGN_OR_RETURN(const std::string_view label, item.AsString());
    labels.emplace_back(label);
  }
  return Done{};
}

Status ReadTemperature(Json json, HeadConfig& config) {
  PB_ASSIGN_OR_RETURN(const double temperature, json.DoubleOr("temperature", 1));
  config.temperature = static_cast<float>(temperature);
  if (!(config.temperature > 0) || !std::isfinite(config.temperature)) {
    return json.Find("temperature")->ErrorExpected("a positive number");
  }
  return Done{};
}

Status CheckLabelCount(std::string_view file, const HeadSpec& head) {
  const bool labelled = head.task == HeadTask::kClassify || head.task == HeadTask::kTag;
  if (!labelled || head.labels.size() == head.config.outputs) return Done{};
  return FormatError(Message(file) + ": head " + head.name + " has " + head.labels.size() +
                     " labels, but " + head.config.outputs + " outputs");
}

template <size_t N>
std::optional<size_t> IndexOf(const std::string_view (&names)[N], std::string_view name) {
  const auto* found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<size_t>(found - std::begin(names));
}

// The members that heads/NAME.json heads and BERT's classifier do without.
Status ParseMore(Json json, HeadSpec& head) {
  HeadConfig& config = head.config;
  JsonFields fields(json);
  const std::string_view name = fields.String("task", kTasks[0]);
  const std::optional<size_t> task = IndexOf(kTasks, name);
  if (!task) return json.FindOrNull("task").ErrorExpected("the task of a head");
  head.task = static_cast<HeadTask>(*task);
  config.norm_name = std::string(fields.String("norm", ""));
  config.norm_eps = static_cast<float>(fields.Double("norm_eps", 1e-12));
  config.norm_bias = fields.Bool("norm_bias", true);
  config.dense_bias = fields.Bool("dense_bias", true);
  config.tied_output = fields.Bool("tied_output", false);
  PB_RETURN_IF_ERROR(fields.FinishOpen());
  if (!(config.norm_eps >= 0 && config.norm_eps <= 1)) {
    return json.FindOrNull("norm_eps").ErrorExpected("a number in 0 … 1");
  }
  return Done{};
}

void WriteMore(const HeadSpec& head, JsonWriter& writer) {
  const HeadConfig& config = head.config;
  if (head.task != HeadTask::kClassify) writer.Key("task").String(HeadTaskName(head.task));
  if (!config.norm_name.empty()) {
    writer.Key("norm").String(config.norm_name);
    writer.Key("norm_eps").Double(static_cast<double>(config.norm_eps));
    writer.Key("norm_bias").Bool(config.norm_bias);
  }
  if (!config.dense_bias) writer.Key("dense_bias").Bool(false);
  if (config.tied_output) writer.Key("tied_output").Bool(true);
}

Result<HeadSpec> ParseHead(Json json) {
  HeadSpec head;
  PB_ASSIGN_OR_RETURN(head.name, json.GetString("name"));
  PB_ASSIGN_OR_RETURN(head.type, json.GetString("type"));
  PB_ASSIGN_OR_RETURN(const std::string_view input, json.GetString("input"));
  const auto input_index = IndexOf(kInputs, input);
  if (!input_index) return json.Find("input")->ErrorExpected("what a head can read");
  head.input = static_cast<HeadInput>(*input_index);
  PB_RETURN_IF_ERROR(ParseMore(json, head));
  PB_ASSIGN_OR_RETURN(head.config.dense_name, json.GetString("dense"));
  PB_ASSIGN_OR_RETURN(head.config.output_name, json.GetString("output"));
  size_t* const sizes[] = {&head.config.inputs, &head.config.inner, &head.config.outputs};
  constexpr std::string_view kSizeKeys[] = {"inputs", "inner", "outputs"};
  for (size_t i = 0; i < std::size(sizes); ++i) {
    PB_ASSIGN_OR_RETURN(const int64_t size, json.GetInt(kSizeKeys[i], 1, kMaxWidth));
    *sizes[i] = static_cast<size_t>(size);
  }
  if (head.config.output_name.empty() ||
      (head.config.dense_name.empty() &&
       (head.config.inner != head.config.inputs || !head.config.norm_name.empty()))) {
    return json.ErrorExpected("a head with an output map and sizes that fit");
  }
  PB_ASSIGN_OR_RETURN(head.activation_name, json.GetString("activation"));
  const std::optional<Activation> activation = ActivationFromName(head.activation_name);
  if (!activation) return json.Find("activation")->ErrorExpected("an activation function");
  head.config.activation = *activation;
  PB_RETURN_IF_ERROR(ReadTemperature(json, head.config));
  PB_RETURN_IF_ERROR(ReadLabelList(json, head.labels));
  PB_ASSIGN_OR_RETURN(const std::string_view scores, json.GetString("scores"));
  const auto function = IndexOf(kScoreFunctions, scores);
  if (!function) return json.Find("scores")->ErrorExpected("none, sigmoid or softmax");
  head.score_function = static_cast<ScoreFunction>(*function);
  PB_RETURN_IF_ERROR(CheckLabelCount(json.Path(), head));
  return head;
}

}  // namespace

std::string_view ScoreFunctionName(ScoreFunction function) {
  return kScoreFunctions[static_cast<size_t>(function)];
}

std::string_view HeadTaskName(HeadTask task) { return kTasks[static_cast<size_t>(task)]; }

ScoreFunction StandardScoreFunction(ProblemType problem, size_t outputs) {
  if (problem == ProblemType::kRegression) return ScoreFunction::kNone;
  if (problem == ProblemType::kMultiLabel || outputs == 1) return ScoreFunction::kSigmoid;
  return ScoreFunction::kSoftmax;
}

Result<HeadSpec> ParseHeadFile(std::string_view text, std::string_view file, const HfConfig& config,
                               size_t vector_size) {
  PB_ASSIGN_OR_RETURN(const JsonDocument document, ParseJson(text, file));
  const Json json = document.root();
  HeadSpec head;
  head.type = "enhanced";
  PB_ASSIGN_OR_RETURN(head.name, json.GetString("name"));
  PB_ASSIGN_OR_RETURN(const std::string_view type, json.StringOr("type", "EnhancedClassifier"));
  if (type != "EnhancedClassifier") {
    return UnsupportedError(Message(file) + ": type \"" + type +
                            "\" is unknown, expected EnhancedClassifier");
  }
  PB_RETURN_IF_ERROR(ReadInput(json, head));
  head.config.inputs =
      head.input == HeadInput::kClsToken ? config.encoder.hidden_size : vector_size;
  PB_RETURN_IF_ERROR(ReadLayers(json, head));
  PB_RETURN_IF_ERROR(ReadTemperature(json, head.config));
  PB_RETURN_IF_ERROR(ReadLabelList(json, head.labels));
  PB_ASSIGN_OR_RETURN(const std::string_view scores, json.StringOr("probabilities", ""));
  head.score_function = Contains(scores, "sigmoid")
                            ? ScoreFunction::kSigmoid
                            : StandardScoreFunction(ProblemType::kUnset, head.config.outputs);
  PB_RETURN_IF_ERROR(CheckLabelCount(file, head));
  return head;
}

std::string WriteHeads(std::span<const HeadSpec> heads) {
  JsonWriter writer;
  writer.BeginArray();
  for (const HeadSpec& head : heads) {
    const HeadConfig& config = head.config;
    writer.BeginObject().Key("name").String(head.name).Key("type").String(head.type);
    writer.Key("input").String(kInputs[static_cast<size_t>(head.input)]);
    writer.Key("dense").String(config.dense_name).Key("output").String(config.output_name);
    writer.Key("inputs").Int(static_cast<int64_t>(config.inputs));
    writer.Key("inner").Int(static_cast<int64_t>(config.inner));
    writer.Key("outputs").Int(static_cast<int64_t>(config.outputs));
    writer.Key("activation").String(head.activation_name);
    writer.Key("temperature").Double(static_cast<double>(config.temperature));
    WriteMore(head, writer);
    writer.Key("labels").BeginArray();
    for (const std::string& label : head.labels) writer.String(label);
    writer.EndArray().Key("scores").String(ScoreFunctionName(head.score_function)).EndObject();
  }
  writer.EndArray();
  return writer.TakeText();
}

Result<std::vector<HeadSpec>> ParseHeads(std::string_view text, std::string_view file) {
  PB_ASSIGN_OR_RETURN(const JsonDocument document, ParseJson(text, file));
  PB_ASSIGN_OR_RETURN(const Json list, document.root().AsArray());
  std::vector<HeadSpec> heads;
  for (const Json item : list.Items()) {
    PB_ASSIGN_OR_RETURN(HeadSpec head, ParseHead(item));
    const bool taken = std::any_of(heads.begin(), heads.end(), [&](const HeadSpec& other) {
      return other.name == head.name && other.task == head.task;
    });
    if (taken) return FormatError(Message(item.Path()) + ": a second head is named " + head.name);
    heads.push_back(std::move(head));
  }
  return heads;
}

}  // namespace pocketbert
