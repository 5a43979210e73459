#include "quantize/describe_import.h"

#include <algorithm>

#include "base/json.h"
#include "io/dtype.h"
#include "io/safetensors.h"
#include "model/folder_texts.h"

namespace pocketbert {
namespace {

int64_t AsInt(uint64_t value) { return static_cast<int64_t>(value); }

template <typename Texts>
void WriteStrings(std::string_view key, const Texts& texts, JsonWriter& writer) {
  writer.Key(key).BeginArray();
  for (const std::string& text : texts) writer.String(text);
  writer.EndArray();
}

void WriteHeadList(std::span<const HeadSpec> heads, JsonWriter& writer) {
  writer.Key("tasks").BeginArray().String("embed");
  for (const HeadTask task :
       {HeadTask::kClassify, HeadTask::kTag, HeadTask::kAnswer, HeadTask::kFillMask}) {
    const auto is_for = [&](const HeadSpec& head) { return head.task == task; };
    if (std::any_of(heads.begin(), heads.end(), is_for)) writer.String(HeadTaskName(task));
  }
  writer.EndArray().Key("heads").BeginArray();
  for (const HeadSpec& head : heads) {
    writer.BeginObject().Key("name").String(head.name);
    writer.Key("task").String(HeadTaskName(head.task));
    WriteStrings("labels", head.labels, writer);
    writer.EndObject();
  }
  writer.EndArray();
}

// A text of the metadata, which must be there.
Result<std::string_view> MetadataText(const SafetensorsHeader& header, std::string_view name,
                                      std::string_view key) {
  const std::optional<std::string_view> text = header.Metadata(key);
  if (!text) return FormatError(Message(name) + ": metadata key \"" + key + "\" is missing");
  return *text;
}

// True for weights as a checkpoint has them: no scales, no vocabulary.
bool IsParameter(const TensorInfo& tensor) {
  return tensor.name != one_file::kVocabularyTensor &&
         !tensor.name.ends_with(one_file::kScaleSuffix);
}

}  // namespace

Result<std::string> DescribeImport(const ImportFacts& facts) {
  const EncoderConfig& encoder = facts.config.encoder;
  PB_ASSIGN_OR_RETURN(const JsonDocument tokenizer, ParseJson(facts.tokenizer_text, "tokenizer"));
  PB_ASSIGN_OR_RETURN(const Json model, tokenizer.root().GetObject("model"));
  PB_ASSIGN_OR_RETURN(const std::string_view type, model.GetString("type"));
  const Json extras = tokenizer.root().FindOrNull("pocketbert");
  const Json own_limit = extras.FindOrNull("model_max_length");
  uint64_t limit = encoder.max_tokens();
  if (!own_limit.is_null()) {
    PB_ASSIGN_OR_RETURN(const int64_t length, own_limit.AsInt(0, INT32_MAX));
    limit = static_cast<uint64_t>(length);
  }
  limit = std::min<uint64_t>(facts.sentence.max_length.value_or(limit), encoder.max_tokens());
  JsonWriter writer;
  writer.BeginObject().Key("modelType").String(facts.config.model_type);
  WriteStrings("architectures", facts.config.architectures, writer);
  WriteHeadList(facts.heads, writer);
  writer.Key("tokenizer").BeginObject().Key("type").String(type);
  writer.Key("vocabularySize").Int(AsInt(encoder.vocab_size)).EndObject();
  writer.Key("layers").Int(AsInt(encoder.layers));
  writer.Key("hiddenSize").Int(AsInt(encoder.hidden_size));
  writer.Key("dimensions").Int(AsInt(facts.sentence.Dimensions(encoder.hidden_size)));
  writer.Key("maxTokens").Int(AsInt(limit));
  writer.Key("precision").String(PrecisionName(facts.precision));
  writer.Key("parameters").Int(AsInt(facts.parameters));
  writer.Key("fileBytes").Int(AsInt(facts.file_bytes));
  WriteStrings("ignoredTensors", facts.ignored, writer);
  writer.EndObject();
  return writer.TakeText();
}

Result<std::string> DescribeOneFile(std::string_view name, std::span<const uint8_t> bytes,
                                    std::optional<uint64_t> file_bytes) {
  PB_ASSIGN_OR_RETURN(const SafetensorsHeader header,
                      ParseSafetensorsHeader(name, bytes, file_bytes));
  PB_RETURN_IF_ERROR(one_file::CheckFormat(header, name));
  const auto place = [&](std::string_view key) {
    return std::string(name) + ": metadata " + std::string(key);
  };
  PB_ASSIGN_OR_RETURN(const std::string_view config_text,
                      MetadataText(header, name, one_file::kConfigKey));
  PB_ASSIGN_OR_RETURN(const HfConfig config,
                      ParseHfConfig(config_text, place(one_file::kConfigKey)));
  PB_ASSIGN_OR_RETURN(const std::string_view sentence_text,
                      MetadataText(header, name, one_file::kSentenceKey));
  PB_ASSIGN_OR_RETURN(const SentenceConfig sentence,
                      ParseSentenceConfig(sentence_text, place(one_file::kSentenceKey),
                                          config.encoder.hidden_size));
  PB_ASSIGN_OR_RETURN(const std::string_view heads_text,
                      MetadataText(header, name, one_file::kHeadsKey));
  PB_ASSIGN_OR_RETURN(const std::vector<HeadSpec> heads,
                      ParseHeads(heads_text, place(one_file::kHeadsKey)));
  PB_ASSIGN_OR_RETURN(const std::string_view tokenizer,
                      MetadataText(header, name, one_file::kTokenizerKey));
  uint64_t parameters = 0;
  bool int8 = false;
  for (const TensorInfo& tensor : header.tensors) {
    if (!IsParameter(tensor)) continue;
    parameters += tensor.elements();
    int8 = int8 || tensor.dtype == DType::kI8;
  }
  return DescribeImport({config, sentence, heads, tokenizer, {},
                         int8 ? Precision::kInt8 : Precision::kFloat32, parameters,
                         file_bytes.value_or(header.file_bytes())});
}

}  // namespace pocketbert
