#include "model/head_config.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/json.h"
#include "base/json_fields.h"

namespace pocketbert {
namespace {

constexpr int64_t kMaxWidth = int64_t{1} << 20;
// Lists as JsonFields::Choice takes them, in the order of the enums.
constexpr const char* kScoreFunctions = "none, sigmoid, softmax";
constexpr const char* kInputs = "cls_token, sentence_vector, mean_token, tokens";
constexpr const char* kTasks = "classify, tag, answer, fill_mask";

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

void ReadLabelList(JsonFields& fields, std::vector<std::string>& labels) {
  for (const Json item : fields.RequiredArray("labels").Items()) {
    if (!item.is_string()) return fields.Fail(item.ErrorExpected("a label"));
    labels.emplace_back(item.AsString().value());
  }
}

Status CheckTemperature(Json json, const HeadConfig& config) {
  if (config.temperature > 0 && std::isfinite(config.temperature)) return Done{};
  return json.Find("temperature")->ErrorExpected("a positive number");
}

Status CheckLabelCount(std::string_view file, const HeadSpec& head) {
  const bool labelled = head.task == HeadTask::kClassify || head.task == HeadTask::kTag;
  if (!labelled || head.labels.size() == head.config.outputs) return Done{};
  return FormatError(Message(file) + ": head " + head.name + " has " + head.labels.size() +
                     " labels, but " + head.config.outputs + " outputs");
}

// Item `index` of a list such as kTasks.
std::string_view Item(std::string_view list, size_t index) {
  for (; index > 0; --index) list.remove_prefix(list.find(", ") + 2);
  return list.substr(0, list.find(", "));
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

Status ParseHead(Json json, HeadSpec& head) {
  JsonFields fields(json);
  HeadConfig& config = head.config;
  const auto text = [&](const char* key) { return std::string(fields.RequiredString(key)); };
  const auto size = [&](const char* key) {
    return static_cast<size_t>(fields.RequiredInt(key, 1, kMaxWidth));
  };
  head.name = text("name");
  head.type = text("type");
  head.task = static_cast<HeadTask>(fields.Choice("task", 0, kTasks));
  head.input = static_cast<HeadInput>(fields.Choice("input", 0, kInputs));
  head.score_function = static_cast<ScoreFunction>(fields.Choice("scores", 0, kScoreFunctions));
  config.dense_name = text("dense");
  config.norm_name = std::string(fields.String("norm", ""));
  config.output_name = text("output");
  config.inputs = size("inputs");
  config.inner = size("inner");
  config.outputs = size("outputs");
  config.dense_bias = fields.Bool("dense_bias", true);
  config.norm_bias = fields.Bool("norm_bias", true);
  config.norm_eps = static_cast<float>(fields.Double("norm_eps", 1e-12));
  config.tied_output = fields.Bool("tied_output", false);
  config.temperature = static_cast<float>(fields.Double("temperature", 1));
  head.activation_name = text("activation");
  const std::optional<Activation> activation = ActivationFromName(head.activation_name);
  ReadLabelList(fields, head.labels);
  PB_RETURN_IF_ERROR(fields.FinishOpen());
  const bool complete = !config.output_name.empty() &&
                        (!config.dense_name.empty() ||
                         (config.inner == config.inputs && config.norm_name.empty()));
  if (!complete || !activation || !(config.norm_eps >= 0 && config.norm_eps <= 1)) {
    return json.ErrorExpected(
        "a head with an output map, sizes that fit, a known activation and norm_eps in 0 … 1");
  }
  config.activation = *activation;
  PB_RETURN_IF_ERROR(CheckTemperature(json, config));
  return CheckLabelCount(json.Path(), head);
}

}  // namespace

std::string_view ScoreFunctionName(ScoreFunction function) {
  return Item(kScoreFunctions, static_cast<size_t>(function));
}

std::string_view HeadTaskName(HeadTask task) {
  return Item(kTasks, static_cast<size_t>(task));
}

ScoreFunction StandardScoreFunction(ProblemType problem, size_t outputs) {
  if (problem == ProblemType::kRegression) return ScoreFunction::kNone;
  if (problem == ProblemType::kMultiLabel || outputs == 1) return ScoreFunction::kSigmoid;
  return ScoreFunction::kSoftmax;
}

Result<HeadSpec> ParseHeadFile(std::string_view text, std::string_view file, const HfConfig& config,
                               size_t vector_size) {
  PB_ASSIGN_OR_RETURN(const JsonDocument document, ParseJson(text, file));
  const Json json = document.root();
  JsonFields fields(json);
  HeadSpec head;
  head.type = "enhanced";
  head.name = std::string(fields.RequiredString("name"));
  fields.Choice("type", 0, "EnhancedClassifier");
  const std::string_view scores = fields.String("probabilities", "");
  head.config.temperature = static_cast<float>(fields.Double("temperature", 1));
  ReadLabelList(fields, head.labels);
  PB_RETURN_IF_ERROR(fields.FinishOpen());
  PB_RETURN_IF_ERROR(ReadInput(json, head));
  head.config.inputs =
      head.input == HeadInput::kClsToken ? config.encoder.hidden_size : vector_size;
  PB_RETURN_IF_ERROR(ReadLayers(json, head));
  PB_RETURN_IF_ERROR(CheckTemperature(json, head.config));
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
    writer.Key("input").String(Item(kInputs, static_cast<size_t>(head.input)));
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
    HeadSpec head;
    PB_RETURN_IF_ERROR(ParseHead(item, head));
    const bool taken = std::any_of(heads.begin(), heads.end(), [&](const HeadSpec& other) {
      return other.name == head.name && other.task == head.task;
    });
    if (taken) return FormatError(Message(item.Path()) + ": a second head is named " + head.name);
    heads.push_back(std::move(head));
  }
  return heads;
}

}  // namespace pocketbert
