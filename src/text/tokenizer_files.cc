// CompileFiles: a model folder's tokenizer files into the compiled form. Where tokenizer.json and
// tokenizer_config.json disagree the latter is obeyed, as transformers does, and the difference is
// noted.

#include <algorithm>
#include <utility>

#include "text/component_json.h"
#include "text/merged_tokens.h"
#include "text/tokenizer_state.h"

namespace pocketbert {
namespace {

constexpr std::string_view kTokenizerJson = "tokenizer.json";
constexpr std::string_view kTokenizerConfig = "tokenizer_config.json";

// Classes whose vocab.txt alone makes a BERT tokenizer.
constexpr std::string_view kBertClasses[] = {
    "BertTokenizer",      "DistilBertTokenizer",  "ElectraTokenizer", "MobileBertTokenizer",
    "ConvBertTokenizer",  "SqueezeBertTokenizer", "LayoutLMTokenizer", "RetriBertTokenizer",
    "FunnelTokenizer",    "LxmertTokenizer",      "RoFormerTokenizer", "PreTrainedTokenizer",
};

// Options of BertNormalizer and what tokenizer_config.json calls them.
struct NormalizerKey {
  std::string_view option;
  std::string_view config_key;
};
constexpr NormalizerKey kNormalizerKeys[] = {
    {"handle_chinese_chars", "tokenize_chinese_chars"},
    {"strip_accents", "strip_accents"},
    {"lowercase", "do_lower_case"},
};

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

class Compiler {
 public:
  explicit Compiler(const TokenizerFiles& files) : files_(files) {}

  Result<CompiledFiles> Run() {
    PB_RETURN_IF_ERROR(ParseAll());
    PB_RETURN_IF_ERROR(ReadVocabulary());
    const TokenFiles token_files = {tokenizer_.root(), config_.root(), special_map_.root(),
                                    added_map_.root()};
    PB_ASSIGN_OR_RETURN(const MergedTokens tokens, MergedTokens::Create(token_files, vocabulary_));
    differences_ = tokens.differences();
    PB_RETURN_IF_ERROR(Write(tokens));
    return CompiledFiles{writer_.TakeText(), std::move(vocabulary_)};
  }

 private:
  Status Parse(const std::optional<std::string_view>& text, std::string_view name,
               JsonDocument& document) {
    if (!text) return Done{};
    PB_ASSIGN_OR_RETURN(document, ParseJson(*text, name));
    PB_RETURN_IF_ERROR(document.root().AsObject());
    return Done{};
  }

  Status ParseAll() {
    if (!files_.tokenizer_json && !files_.vocab_txt) {
      return FormatError("neither tokenizer.json nor vocab.txt was found; one is needed");
    }
    PB_RETURN_IF_ERROR(Parse(files_.tokenizer_json, kTokenizerJson, tokenizer_));
    PB_RETURN_IF_ERROR(Parse(files_.tokenizer_config_json, kTokenizerConfig, config_));
    PB_RETURN_IF_ERROR(
        Parse(files_.special_tokens_map_json, "special_tokens_map.json", special_map_));
    return Parse(files_.added_tokens_json, "added_tokens.json", added_map_);
  }

  Status ReadVocabulary() {
    if (!has_tokenizer_json()) {
      PB_ASSIGN_OR_RETURN(vocabulary_, Vocabulary::FromLines(*files_.vocab_txt, "vocab.txt"));
      return CheckVocabularyOnly();
    }
    const Json root = tokenizer_.root();
    if (const Json version = root.FindOrNull("version"); !version.is_null()) {
      PB_ASSIGN_OR_RETURN(std::string_view text, version.AsString());
      if (text != "1.0") return UnsupportedComponent(version, "1.0");
    }
    PB_ASSIGN_OR_RETURN(Json model, root.GetObject("model"));
    PB_RETURN_IF_ERROR(WordPiece::CheckType(model));
    PB_ASSIGN_OR_RETURN(Json vocab, model.GetObject("vocab"));
    std::vector<VocabularyEntry> entries;
    entries.reserve(vocab.size());
    for (auto [text, id_json] : vocab.Members()) {
      PB_ASSIGN_OR_RETURN(int64_t id, id_json.AsInt(0, UINT32_MAX));
      entries.push_back({text, static_cast<uint32_t>(id)});
    }
    PB_ASSIGN_OR_RETURN(vocabulary_, Vocabulary::FromEntries(entries, vocab.Path()));
    return Done{};
  }

  // What a tokenizer_config.json may not ask of a vocab.txt without tokenizer.json.
  Status CheckVocabularyOnly() const {
    const Json config = config_.root();
    PB_ASSIGN_OR_RETURN(std::string_view name, TokenizerClass());
    if (!name.empty() &&
        std::find(std::begin(kBertClasses), std::end(kBertClasses), name) ==
            std::end(kBertClasses)) {
      return UnsupportedComponent(config.FindOrNull("tokenizer_class"),
                                  "BertTokenizer and its kin for a folder without tokenizer.json");
    }
    PB_ASSIGN_OR_RETURN(bool basic, config.BoolOr("do_basic_tokenize", true));
    if (!basic) {
      return UnsupportedComponent(config.FindOrNull("do_basic_tokenize"),
                                  "true for a folder without tokenizer.json");
    }
    return Done{};
  }

  // Without "Fast" at its end; empty if the file does not tell.
  Result<std::string_view> TokenizerClass() const {
    PB_ASSIGN_OR_RETURN(std::string_view name, config_.root().StringOr("tokenizer_class", ""));
    if (name.ends_with("Fast")) name.remove_suffix(4);
    return name;
  }

  Status Write(const MergedTokens& tokens) {
    const Json root = tokenizer_.root();
    writer_.BeginObject().Key("version").String("1.0");
    writer_.Key("truncation").Value(root.FindOrNull("truncation"));
    writer_.Key("padding").Value(root.FindOrNull("padding"));
    writer_.Key("added_tokens").BeginArray();
    for (const AddedToken& token : tokens.added()) WriteToken(token);
    writer_.EndArray();
    PB_RETURN_IF_ERROR(WriteNormalizer());
    if (has_tokenizer_json()) {
      for (const std::string_view key : {"pre_tokenizer", "post_processor", "decoder"}) {
        writer_.Key(key).Value(root.FindOrNull(key));
      }
    } else {
      PB_RETURN_IF_ERROR(WriteBertComponents(tokens));
    }
    WriteModel(tokens);
    PB_RETURN_IF_ERROR(WriteExtras(tokens));
    writer_.EndObject();
    return Done{};
  }

  void WriteToken(const AddedToken& token) {
    writer_.BeginObject();
    if (token.id >= 0) writer_.Key("id").Int(token.id);
    writer_.Key("content").String(token.content);
    writer_.Key("single_word").Bool(token.single_word).Key("lstrip").Bool(token.lstrip);
    writer_.Key("rstrip").Bool(token.rstrip).Key("normalized").Bool(token.normalized);
    writer_.Key("special").Bool(token.special).EndObject();
  }

  Status WriteNormalizer() {
    writer_.Key("normalizer");
    const Json config = config_.root();
    const Json normalizer = tokenizer_.root().FindOrNull("normalizer");
    if (has_tokenizer_json()) {
      const Json type = normalizer.FindOrNull("type");
      PB_ASSIGN_OR_RETURN(std::string_view tokenizer_class, TokenizerClass());
      // The general class has no such options of its own.
      const bool overruled = type.is_string() && type.AsString().value() == "BertNormalizer" &&
                             tokenizer_class != "PreTrainedTokenizer";
      if (!overruled) {
        writer_.Value(normalizer);
        return Done{};
      }
    }
    writer_.BeginObject().Key("type").String("BertNormalizer");
    for (auto [key, value] : normalizer.Members()) {
      const bool known = std::any_of(std::begin(kNormalizerKeys), std::end(kNormalizerKeys),
                                     [&](const NormalizerKey& k) { return k.option == key; });
      if (!known && key != "type") writer_.Key(key).Value(value);
    }
    for (const NormalizerKey& key : kNormalizerKeys) {
      PB_RETURN_IF_ERROR(WriteNormalizerOption(key, config, normalizer));
    }
    writer_.EndObject();
    return Done{};
  }

  Status WriteNormalizerOption(const NormalizerKey& key, Json config, Json normalizer) {
    const std::optional<Json> in_config = config.Find(key.config_key);
    const std::optional<Json> in_file = normalizer.Find(key.option);
    // Only strip_accents may be null: as lowercase says.
    const bool obeyed = in_config && (!in_config->is_null() || key.option == "strip_accents");
    if (obeyed && !in_config->is_null()) PB_RETURN_IF_ERROR(in_config->AsBool());
    if (obeyed && in_file && in_config->Describe() != in_file->Describe()) {
      std::string text = "normalizer.";
      text.append(key.option).append(": tokenizer_config.json says ").append(key.config_key);
      text.append(" ").append(in_config->Describe()).append(", tokenizer.json says ");
      differences_.push_back(text + in_file->Describe() + "; the former is obeyed");
    }
    if (obeyed) {
      writer_.Key(key.option).Value(*in_config);
    } else if (in_file) {
      writer_.Key(key.option).Value(*in_file);
    }
    return Done{};
  }

  // Pre-tokenizer, template and decoder of a BERT tokenizer that is a vocab.txt.
  Status WriteBertComponents(const MergedTokens& tokens) {
    const std::string cls = tokens.RoleOf("[CLS]");
    const std::string sep = tokens.RoleOf("[SEP]");
    const int32_t cls_id = vocabulary_.Find(cls);
    const int32_t sep_id = vocabulary_.Find(sep);
    if (cls_id < 0 || sep_id < 0) {
      return FormatError(Message("vocab.txt has no special token ") +
                         Quoted(cls_id < 0 ? cls : sep));
    }
    writer_.Key("pre_tokenizer").BeginObject().Key("type").String("BertPreTokenizer").EndObject();
    writer_.Key("post_processor").BeginObject().Key("type").String("BertProcessing");
    writer_.Key("sep").BeginArray().String(sep).Int(sep_id).EndArray();
    writer_.Key("cls").BeginArray().String(cls).Int(cls_id).EndArray().EndObject();
    writer_.Key("decoder").BeginObject().Key("type").String("WordPiece");
    writer_.Key("prefix").String("##").Key("cleanup").Bool(true).EndObject();
    return Done{};
  }

  void WriteModel(const MergedTokens& tokens) {
    writer_.Key("model").BeginObject().Key("type").String("WordPiece");
    if (has_tokenizer_json()) {
      for (auto [key, value] : tokenizer_.root().FindOrNull("model").Members()) {
        if (key != "vocab" && key != "type") writer_.Key(key).Value(value);
      }
    } else {
      writer_.Key("unk_token").String(tokens.RoleOf("[UNK]"));
      writer_.Key("continuing_subword_prefix").String("##");
      writer_.Key("max_input_chars_per_word").Int(100);
    }
    writer_.EndObject();
  }

  Status WriteExtras(const MergedTokens& tokens) {
    writer_.Key("pocketbert").BeginObject().Key("special").BeginObject();
    for (const TokenRole& role : tokens.roles()) writer_.Key(role.key).String(role.token.content);
    writer_.EndObject();
    PB_ASSIGN_OR_RETURN(double length, config_.root().DoubleOr("model_max_length", 0));
    if (length >= 1 && length < 1e6) {
      writer_.Key("model_max_length").Int(static_cast<int64_t>(length));
    }
    writer_.Key("differences").BeginArray();
    for (const std::string& difference : differences_) writer_.String(difference);
    writer_.EndArray().EndObject();
    return Done{};
  }

  bool has_tokenizer_json() const { return files_.tokenizer_json.has_value(); }

  const TokenizerFiles& files_;
  JsonDocument tokenizer_;
  JsonDocument config_;
  JsonDocument special_map_;
  JsonDocument added_map_;
  Vocabulary vocabulary_;
  std::vector<std::string> differences_;
  JsonWriter writer_;
};

}  // namespace

Result<CompiledFiles> CompileFiles(const TokenizerFiles& files) { return Compiler(files).Run(); }

}  // namespace pocketbert
