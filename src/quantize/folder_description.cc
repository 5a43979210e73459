#include "quantize/folder_description.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "base/sort.h"
#include "model/check_vocabulary.h"
#include "text/tokenizer.h"

namespace pocketbert {
namespace {

constexpr std::string_view kHeadFolder = "heads/";
constexpr std::string_view kJsonExtension = ".json";

// A file of the encoder's own folder, which ends with a slash or is "".
const std::string* FindText(const FolderTexts& files, std::string folder, std::string_view name) {
  return files.Find(folder.append(name));
}

// do_lower_case of sentence_bert_config.json means Python's lower() before tokenizing, which is
// what tokenizers of uncased models do anyway; for others it is not done here.
Status CheckLowerCase(const SentenceConfig& sentence, const Tokenizer& tokenizer) {
  if (!sentence.do_lower_case) return Done{};
  for (char letter = 'A'; letter <= 'Z'; ++letter) {
    const char upper[] = {letter};
    const char lower[] = {static_cast<char>(letter - 'A' + 'a')};
    PB_ASSIGN_OR_RETURN(const Encodings a, tokenizer.Encode({upper, 1}, std::nullopt, {}));
    PB_ASSIGN_OR_RETURN(const Encodings b, tokenizer.Encode({lower, 1}, std::nullopt, {}));
    const auto same_id = [](const Token& x, const Token& y) { return x.id == y.id; };
    if (!std::equal(a.tokens.begin(), a.tokens.end(), b.tokens.begin(), b.tokens.end(), same_id)) {
      return UnsupportedError(
          "sentence_bert_config.json: do_lower_case is true, but the tokenizer "
          "tells cases apart; this combination is not supported");
    }
  }
  return Done{};
}

Status ReadHeadFiles(const FolderTexts& files, ModelDescription& model) {
  const size_t vector_size = model.sentence.Dimensions(model.config.encoder.hidden_size);
  for (const FolderTexts::File& file : files.files()) {
    if (!file.path.starts_with(kHeadFolder) || !file.path.ends_with(kJsonExtension)) continue;
    PB_ASSIGN_OR_RETURN(HeadSpec spec,
                        ParseHeadFile(file.text, file.path, model.config, vector_size));
    model.head_files.push_back(
        {file.path.substr(0, file.path.size() - kJsonExtension.size()), std::move(spec)});
  }
  SortStably(model.head_files, [](const auto& a, const auto& b) { return a.stem < b.stem; });
  for (size_t i = 0; i < model.head_files.size(); ++i) {
    const std::string& name = model.head_files[i].spec.name;
    const bool taken = std::any_of(
        model.head_files.begin(), model.head_files.begin() + static_cast<ptrdiff_t>(i),
        [&](const ModelDescription::HeadFile& other) { return other.spec.name == name; });
    if (taken || name == "default" || name.empty()) {
      return FormatError(Message(model.head_files[i].stem) + ".json: name is \"" + name +
                         "\", which is empty, taken by another head, or reserved");
    }
  }
  return Done{};
}

}  // namespace

Result<FolderDescription> DescribeFolder(const FolderTexts& files) {
  FolderDescription folder;
  // modules.json may move the encoder's files into a folder of their own, as older models do.
  std::string transformer_path;
  if (const std::string* modules = files.Find("modules.json")) {
    PB_ASSIGN_OR_RETURN(const JsonDocument document, ParseJson(*modules, "modules.json"));
    for (const Json module : document.root().Items()) {
      PB_ASSIGN_OR_RETURN(const std::string_view path, ModulePath(module));
      if (!path.empty()) transformer_path.assign(path).append("/");
      break;
    }
  }
  const std::string* config = FindText(files, transformer_path, "config.json");
  if (config == nullptr)
    return FormatError("config.json is missing: expected a Hugging Face folder");
  folder.config_text = *config;
  ModelDescription& model = folder.model;
  PB_ASSIGN_OR_RETURN(model.config, ParseHfConfig(*config));
  PB_ASSIGN_OR_RETURN(model.sentence, ReadSentenceFiles(files, model.config.encoder.hidden_size));
  PB_RETURN_IF_ERROR(ReadHeadFiles(files, model));
  if (const std::string* index =
          FindText(files, transformer_path, "model.safetensors.index.json")) {
    model.shard_index = *index;
  }
  PB_ASSIGN_OR_RETURN(const Tokenizer tokenizer,
                      Tokenizer::FromFiles(FindTokenizerFiles(files, transformer_path)));
  PB_RETURN_IF_ERROR(CheckVocabulary("tokenizer", tokenizer, model.config.encoder.vocab_size));
  PB_RETURN_IF_ERROR(CheckLowerCase(model.sentence, tokenizer));
  folder.tokenizer_text = tokenizer.CompiledConfig();
  folder.vocabulary = tokenizer.CompiledVocabulary();
  return folder;
}

}  // namespace pocketbert
