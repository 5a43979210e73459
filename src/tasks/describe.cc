#include "tasks/describe.h"

#include <string_view>

#include "base/json.h"

namespace pocketbert {
namespace {

void WriteStrings(std::string_view key, const std::vector<std::string>& values,
                  JsonWriter& writer) {
  writer.Key(key).BeginArray();
  for (const std::string& value : values) writer.String(value);
  writer.EndArray();
}

std::string_view SideName(Side side) { return side == Side::kLeft ? "left" : "right"; }

std::string_view StrategyName(TruncationStrategy strategy) {
  switch (strategy) {
    case TruncationStrategy::kLongestFirst: return "longest_first";
    case TruncationStrategy::kOnlyFirst: return "only_first";
    case TruncationStrategy::kOnlySecond: return "only_second";
  }
  PB_CHECK(false && "unknown truncation strategy");
}

int64_t AsInt(size_t value) { return static_cast<int64_t>(value); }

void WriteTruncation(const Truncation& truncation, JsonWriter& writer) {
  writer.Key("truncation").BeginObject();
  writer.Key("maxLength").Int(AsInt(truncation.max_length));
  writer.Key("strategy").String(StrategyName(truncation.strategy));
  writer.Key("stride").Int(AsInt(truncation.stride));
  writer.Key("direction").String(SideName(truncation.direction)).EndObject();
}

void WritePadding(const Padding& padding, JsonWriter& writer) {
  writer.Key("padding").BeginObject();
  if (padding.length) {
    writer.Key("length").Int(AsInt(*padding.length));
  } else {
    writer.Key("length").String("longest");
  }
  writer.Key("direction").String(SideName(padding.direction));
  writer.Key("padToMultipleOf").Int(AsInt(padding.pad_to_multiple_of));
  if (padding.pad_id) writer.Key("padId").Int(*padding.pad_id);
  writer.Key("padTypeId").Int(padding.pad_type_id).EndObject();
}

void WriteTokenizer(const Tokenizer& tokenizer, JsonWriter& writer) {
  writer.BeginObject().Key("vocabularySize").Int(AsInt(tokenizer.vocab_size()));
  writer.Key("idLimit").Int(AsInt(tokenizer.id_limit()));
  writer.Key("specialTokens").BeginObject();
  const SpecialIds& ids = tokenizer.special_ids();
  const std::pair<std::string_view, int32_t> roles[] = {
      {"unk", ids.unk}, {"cls", ids.cls}, {"sep", ids.sep}, {"pad", ids.pad}, {"mask", ids.mask}};
  for (const auto& [role, id] : roles) {
    if (id >= 0) writer.Key(role).Int(id);
  }
  writer.EndObject();
  if (tokenizer.file_truncation()) WriteTruncation(*tokenizer.file_truncation(), writer);
  if (tokenizer.file_padding()) WritePadding(*tokenizer.file_padding(), writer);
  WriteStrings("differences", tokenizer.differences(), writer);
  writer.EndObject();
}

void WriteHeads(const Model& model, JsonWriter& writer) {
  writer.Key("heads").BeginArray();
  for (const Head& head : model.heads()) {
    if (head.spec.task != HeadTask::kClassify) continue;
    writer.BeginObject().Key("name").String(head.spec.name).Key("type").String(head.spec.type);
    WriteStrings("labels", head.spec.labels, writer);
    writer.Key("activation").String(ScoreFunctionName(head.spec.score_function));
    writer.Key("temperature").Double(head.spec.config.temperature).EndObject();
  }
  writer.EndArray();
}

void WriteSentence(const Model& model, JsonWriter& writer) {
  const SentenceConfig& sentence = model.sentence();
  writer.Key("dimensions").Int(AsInt(model.dimensions()));
  writer.Key("pooling").BeginArray();
  for (PoolingMode mode : sentence.pooling) writer.String(PoolingModeName(mode));
  writer.EndArray().Key("normalize").Bool(sentence.normalizes());
  writer.Key("prompts").BeginObject();
  for (const auto& [name, text] : sentence.prompts) writer.Key(name).String(text);
  writer.EndObject();
  if (sentence.default_prompt_name) {
    writer.Key("defaultPromptName").String(*sentence.default_prompt_name);
  }
  writer.Key("similarity").String(sentence.similarity);
}

// A member whose value is JSON text already, or is left out if that is empty.
void WriteJsonMember(std::string_view key, const std::string& text, JsonWriter& writer) {
  if (text.empty()) return;
  const Result<JsonDocument> document = ParseJson(text, key);
  if (document.ok()) writer.Key(key).Value(document.value().root());
}

}  // namespace

std::string DescribeTokenizer(const Tokenizer& tokenizer) {
  JsonWriter writer;
  WriteTokenizer(tokenizer, writer);
  return writer.TakeText();
}

std::string DescribeModel(const Model& model, const TaskSession& task) {
  const HfConfig& config = model.config();
  const EncoderConfig& encoder = config.encoder;
  JsonWriter writer;
  writer.BeginObject().Key("source").String(model.source());
  writer.Key("modelType").String(config.model_type);
  WriteStrings("architectures", config.architectures, writer);
  writer.Key("tasks").BeginArray().String("embed");
  for (const HeadTask head :
       {HeadTask::kClassify, HeadTask::kTag, HeadTask::kAnswer, HeadTask::kFillMask}) {
    if (model.HasHead(head)) writer.String(HeadTaskName(head));
  }
  writer.EndArray();
  WriteHeads(model, writer);
  const auto tagger = model.RequireHead("", HeadTask::kTag);
  WriteStrings("tags", tagger.ok() ? tagger.value()->spec.labels : std::vector<std::string>(),
               writer);
  WriteSentence(model, writer);
  writer.Key("maxLength").Int(AsInt(model.max_length()));
  writer.Key("positions").Int(AsInt(encoder.max_positions));
  writer.Key("layers").Int(AsInt(encoder.layers));
  writer.Key("hiddenSize").Int(AsInt(encoder.hidden_size));
  writer.Key("precision").String(PrecisionName(model.precision()));
  // As a text, which JavaScript parses in a hundredth of the time: it may hold a thousand numbers.
  if (!model.fidelity().empty()) writer.Key("fidelity").String(model.fidelity());
  WriteJsonMember("ignoredTensors", model.ignored_tensors(), writer);
  writer.Key("weightBytes").Int(AsInt(model.weight_bytes()));
  writer.Key("scratchBytes").Int(AsInt(task.session.workspace.capacity()));
  writer.Key("tokenizer");
  WriteTokenizer(model.tokenizer(), writer);
  return writer.EndObject().TakeText();
}

}  // namespace pocketbert
