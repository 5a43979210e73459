#include "text/word_model.h"

#include <utility>

#include "base/json_fields.h"
#include "text/bpe.h"
#include "text/component_json.h"
#include "text/unigram.h"
#include "text/word_level.h"
#include "text/word_piece.h"

namespace pocketbert {
namespace {

using ModelResult = Result<std::unique_ptr<const WordModel>>;

ModelResult MakeWordPiece(Json json, ModelData&& data, bool) {
  PB_ASSIGN_OR_RETURN(WordPiece model, WordPiece::FromJson(json, std::move(data.vocabulary)));
  return std::unique_ptr<const WordModel>(new WordPiece(std::move(model)));
}
ModelResult MakeWordLevel(Json json, ModelData&& data, bool) {
  auto model = std::make_unique<WordLevel>();
  PB_RETURN_IF_ERROR(model->Load(json, std::move(data.vocabulary)));
  return std::unique_ptr<const WordModel>(std::move(model));
}
ModelResult MakeUnigram(Json json, ModelData&& data, bool) {
  auto model = std::make_unique<Unigram>();
  PB_RETURN_IF_ERROR(model->Load(json, std::move(data)));
  return std::unique_ptr<const WordModel>(std::move(model));
}
ModelResult MakeBpe(Json json, ModelData&& data, bool byte_level) {
  auto model = std::make_unique<Bpe>();
  PB_RETURN_IF_ERROR(model->Load(json, std::move(data), byte_level));
  return std::unique_ptr<const WordModel>(std::move(model));
}

Status ReadVocabularyOnly(Json json, ModelData& data) {
  PB_ASSIGN_OR_RETURN(const Json vocab, json.GetObject("vocab"));
  PB_ASSIGN_OR_RETURN(data.vocabulary, ReadTextVocabulary(vocab));
  return Done{};
}

Status ReadVocabularyAndMerges(Json json, ModelData& data) {
  PB_RETURN_IF_ERROR(ReadVocabularyOnly(json, data));
  return ReadBpeData(json, data);
}

struct ModelType {
  std::string_view name;
  ModelResult (*make)(Json json, ModelData&& data, bool byte_level);
  Status (*read)(Json json, ModelData& data);
};
constexpr ModelType kTypes[] = {
    {"WordPiece", MakeWordPiece, ReadVocabularyOnly},
    {"BPE", MakeBpe, ReadVocabularyAndMerges},
    {"Unigram", MakeUnigram, ReadUnigramData},
    {"WordLevel", MakeWordLevel, ReadVocabularyOnly},
};

// Which model an old file without "type" holds, told by its members as in the reference.
std::string_view GuessType(Json json) {
  if (json.Find("merges")) return "BPE";
  if (json.FindOrNull("vocab").is_array()) return "Unigram";
  if (json.Find("continuing_subword_prefix") && json.Find("max_input_chars_per_word")) {
    return "WordPiece";
  }
  return "WordLevel";
}

Result<const ModelType*> TypeOf(Json json) {
  PB_RETURN_IF_ERROR(json.AsObject());
  std::string_view name = GuessType(json);
  const Json type_json = json.FindOrNull("type");
  if (!type_json.is_null()) {
    PB_ASSIGN_OR_RETURN(name, type_json.AsString());
  }
  for (const ModelType& type : kTypes) {
    if (type.name == name) return &type;
  }
  return UnsupportedComponent(type_json, "WordPiece, BPE, Unigram, WordLevel");
}

}  // namespace

Result<Vocabulary> ReadTextVocabulary(Json json) {
  std::vector<VocabularyEntry> entries;
  entries.reserve(json.size());
  for (auto [text, id_json] : json.Members()) {
    PB_ASSIGN_OR_RETURN(const int64_t id, id_json.AsInt(0, UINT32_MAX));
    entries.push_back({text, static_cast<uint32_t>(id)});
  }
  return Vocabulary::FromEntries(entries, json.Path());
}

Result<std::string_view> ModelTypeName(Json json) {
  PB_ASSIGN_OR_RETURN(const ModelType* const type, TypeOf(json));
  return type->name;
}

ModelResult MakeWordModel(Json json, ModelData&& data, bool byte_level) {
  PB_ASSIGN_OR_RETURN(const ModelType* const type, TypeOf(json));
  if (byte_level && type->make != MakeBpe) {
    return UnsupportedError(Message(json.Path()) + " is of type " + type->name +
                            ", which is not supported with the pre_tokenizer ByteLevel");
  }
  return type->make(json, std::move(data), byte_level);
}

Result<ModelData> ReadModelData(Json json) {
  PB_ASSIGN_OR_RETURN(const ModelType* const type, TypeOf(json));
  ModelData data;
  PB_RETURN_IF_ERROR(type->read(json, data));
  return data;
}

}  // namespace pocketbert
