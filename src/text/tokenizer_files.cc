// CompileFiles: a model folder's tokenizer files into the compiled form. Where tokenizer.json and
// tokenizer_config.json disagree the latter is obeyed, as transformers does, and the difference is
// noted.

#include <algorithm>
#include <span>
#include <utility>

#include "base/json_fields.h"
#include "text/base64.h"
#include "text/bpe.h"
#include "text/component_json.h"
#include "text/merged_tokens.h"
#include "text/tokenizer_state.h"

namespace pocketbert {
namespace {

// Classes whose vocab.txt alone makes a BERT tokenizer.
constexpr std::string_view kBertClasses[] = {
    "BertTokenizer",      "DistilBertTokenizer",  "ElectraTokenizer", "MobileBertTokenizer",
    "ConvBertTokenizer",  "SqueezeBertTokenizer", "LayoutLMTokenizer", "RetriBertTokenizer",
    "FunnelTokenizer",    "LxmertTokenizer",      "RoFormerTokenizer", "PreTrainedTokenizer",
};

// Classes whose vocab.json and merges.txt alone make a RoBERTa tokenizer.
constexpr std::string_view kRobertaClasses[] = {"RobertaTokenizer", "LongformerTokenizer",
                                                "BartTokenizer", "LEDTokenizer", "MvpTokenizer"};

// What a vocab.txt without tokenizer.json stands for; options of the normalizer are taken from
// tokenizer_config.json or have their defaults.
constexpr std::string_view kBertTokenizer =
    R"({"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},)"
    R"("decoder":{"type":"WordPiece"},"model":{"type":"WordPiece"}})";

// What vocab.json and merges.txt stand for, but for add_prefix_space.
constexpr std::string_view kRobertaTokenizer =
    R"({"pre_tokenizer":{"type":"ByteLevel"},"decoder":{"type":"ByteLevel"},)"
    R"("model":{"type":"BPE"}})";

// Options of BertNormalizer and what tokenizer_config.json calls them.
struct NormalizerKey {
  const char* option;
  const char* config_key;
};
constexpr NormalizerKey kNormalizerKeys[] = {
    {"handle_chinese_chars", "tokenize_chinese_chars"},
    {"strip_accents", "strip_accents"},
    {"lowercase", "do_lower_case"},
};

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

class Compiler {
 public:
  explicit Compiler(const TokenizerFiles& files)
      : files_(files),
        has_tokenizer_json_(files.tokenizer_json.has_value()),
        is_roberta_(!has_tokenizer_json_ && files.vocab_json && files.merges_txt) {}

  Result<CompiledFiles> Run() {
    PB_RETURN_IF_ERROR(ParseAll());
    PB_RETURN_IF_ERROR(ReadVocabulary());
    const TokenFiles token_files = {has_tokenizer_json_ ? tokenizer_.root() : Json(),
                                    config_.root(), special_map_.root(), added_map_.root(),
                                    is_roberta_};
    PB_ASSIGN_OR_RETURN(const MergedTokens tokens,
                        MergedTokens::Create(token_files, data_.vocabulary));
    differences_ = tokens.differences();
    PB_RETURN_IF_ERROR(Write(tokens));
    return CompiledFiles{writer_.TakeText(), std::move(data_)};
  }

 private:
  static Status Parse(const std::optional<std::string_view>& text, const char* name,
                      JsonDocument& document) {
    if (!text) return Done{};
    PB_ASSIGN_OR_RETURN(document, ParseJson(*text, name));
    PB_RETURN_IF_ERROR(document.root().AsObject());
    return Done{};
  }

  Status ParseAll() {
    if (!has_tokenizer_json_ && !is_roberta_ && !files_.vocab_txt) {
      if (files_.has_sentencepiece_model) {
        return UnsupportedError(
            "a SentencePiece model (sentencepiece.bpe.model, spiece.model, spm.model) without "
            "tokenizer.json is not supported: save_pretrained() of transformers' AutoTokenizer "
            "writes tokenizer.json");
      }
      return FormatError("neither tokenizer.json, nor vocab.json with merges.txt, nor vocab.txt "
                         "was found; one is needed");
    }
    PB_RETURN_IF_ERROR(
        Parse(files_.tokenizer_json.value_or(is_roberta_ ? kRobertaTokenizer : kBertTokenizer),
              "tokenizer.json", tokenizer_));
    if (is_roberta_) PB_RETURN_IF_ERROR(Parse(files_.vocab_json, "vocab.json", vocab_));
    PB_RETURN_IF_ERROR(Parse(files_.tokenizer_config_json, "tokenizer_config.json", config_));
    PB_RETURN_IF_ERROR(
        Parse(files_.special_tokens_map_json, "special_tokens_map.json", special_map_));
    return Parse(files_.added_tokens_json, "added_tokens.json", added_map_);
  }

  // The class that tokenizer_config.json names, without "Fast" at its end; empty if it does not.
  std::string_view TokenizerClass() const {
    const Json json = config_.root().FindOrNull("tokenizer_class");
    if (!json.is_string()) return {};
    std::string_view name = json.AsString().value();
    if (name.ends_with("Fast")) name.remove_suffix(4);
    return name;
  }

  Status ReadVocabulary() {
    if (is_roberta_) {
      PB_ASSIGN_OR_RETURN(data_.vocabulary, ReadTextVocabulary(vocab_.root()));
      PB_RETURN_IF_ERROR(ReadMergeLines(*files_.merges_txt, data_));
      return CheckClass(kRobertaClasses,
                        "RobertaTokenizer and its kin for vocab.json and merges.txt");
    }
    if (!has_tokenizer_json_) {
      PB_ASSIGN_OR_RETURN(data_.vocabulary, Vocabulary::FromLines(*files_.vocab_txt, "vocab.txt"));
      return CheckVocabularyOnly();
    }
    JsonFields fields(tokenizer_.root());
    fields.Choice("version", 0, "1.0");
    const Json model = fields.RequiredObject("model");
    PB_RETURN_IF_ERROR(fields.FinishOpen());
    PB_ASSIGN_OR_RETURN(data_, ReadModelData(model));
    return Done{};
  }

  Status CheckClass(std::span<const std::string_view> classes, const char* supported) const {
    const std::string_view name = TokenizerClass();
    if (name.empty() || std::find(classes.begin(), classes.end(), name) != classes.end()) {
      return Done{};
    }
    return UnsupportedComponent(config_.root().FindOrNull("tokenizer_class"), supported);
  }

  // What a tokenizer_config.json may not ask of a vocab.txt without tokenizer.json.
  Status CheckVocabularyOnly() const {
    const Json config = config_.root();
    PB_RETURN_IF_ERROR(
        CheckClass(kBertClasses, "BertTokenizer and its kin for a folder without tokenizer.json"));
    PB_ASSIGN_OR_RETURN(const bool basic, config.BoolOr("do_basic_tokenize", true));
    if (basic) return Done{};
    return UnsupportedComponent(config.FindOrNull("do_basic_tokenize"),
                                "true for a folder without tokenizer.json");
  }

  Status Write(const MergedTokens& tokens) {
    const Json root = tokenizer_.root();
    writer_.BeginObject();
    for (const char* key : {"truncation", "padding", "decoder"}) {
      writer_.Key(key).Value(root.FindOrNull(key));
    }
    PB_ASSIGN_OR_RETURN(const bool prefixes, config_.root().BoolOr("add_prefix_space", false));
    writer_.Key("pre_tokenizer");
    if (is_roberta_) {
      writer_.BeginObject().Key("type").String("ByteLevel").Key("add_prefix_space").Bool(prefixes);
      writer_.EndObject();
    } else {
      writer_.Value(root.FindOrNull("pre_tokenizer"));
    }
    writer_.Key("added_tokens").BeginArray();
    for (const AddedToken& token : tokens.added()) WriteToken(token);
    writer_.EndArray();
    PB_RETURN_IF_ERROR(WriteNormalizer());
    PB_RETURN_IF_ERROR(WritePostProcessor(tokens));
    PB_RETURN_IF_ERROR(WriteModel(tokens));
    PB_RETURN_IF_ERROR(WriteExtras(tokens));
    writer_.EndObject();
    return Done{};
  }

  void WriteToken(const AddedToken& token) {
    writer_.BeginObject().Key("id").Int(token.id).Key("content").String(token.content);
    writer_.Key("single_word").Bool(token.single_word).Key("lstrip").Bool(token.lstrip);
    writer_.Key("rstrip").Bool(token.rstrip).Key("normalized").Bool(token.normalized);
    writer_.Key("special").Bool(token.special).EndObject();
  }

  Status WriteNormalizer() {
    writer_.Key("normalizer");
    const Json normalizer = tokenizer_.root().FindOrNull("normalizer");
    const Json type = normalizer.FindOrNull("type");
    // The general class has no such options of its own.
    if (!type.is_string() || type.AsString().value() != "BertNormalizer" ||
        (has_tokenizer_json_ && TokenizerClass() == "PreTrainedTokenizer")) {
      return WriteComponent(normalizer);
    }
    writer_.BeginObject();
    for (auto [key, value] : normalizer.Members()) {
      const bool merged = std::any_of(std::begin(kNormalizerKeys), std::end(kNormalizerKeys),
                                      [&](const NormalizerKey& k) { return k.option == key; });
      if (!merged) writer_.Key(key).Value(value);
    }
    for (const NormalizerKey& key : kNormalizerKeys) {
      PB_RETURN_IF_ERROR(WriteNormalizerOption(key, normalizer));
    }
    writer_.EndObject();
    return Done{};
  }

  // A normalizer; the charsmaps in it become parts of data_, with their places written instead.
  // Recurses at most as deep as ParseJson lets brackets nest.
  Status WriteComponent(Json normalizer) {
    const Json list = normalizer.FindOrNull("normalizers");
    const Json charsmap = normalizer.FindOrNull("precompiled_charsmap");
    if (!list.is_array() && charsmap.is_null()) {
      writer_.Value(normalizer);
      return Done{};
    }
    writer_.BeginObject();
    for (auto [key, value] : normalizer.Members()) {
      writer_.Key(key);
      if (key == "normalizers" && list.is_array()) {
        writer_.BeginArray();
        for (Json item : list.Items()) PB_RETURN_IF_ERROR(WriteComponent(item));
        writer_.EndArray();
      } else if (key == "precompiled_charsmap" && !value.is_null()) {
        PB_ASSIGN_OR_RETURN(const std::string_view text, value.AsString());
        std::optional<std::string> bytes = DecodeBase64(text);
        if (!bytes) return value.ErrorExpected("bytes in base64");
        writer_.Int(static_cast<int64_t>(data_.charsmaps.size()));
        data_.charsmaps.push_back(std::move(*bytes));
      } else {
        writer_.Value(value);
      }
    }
    writer_.EndObject();
    return Done{};
  }

  Status WriteNormalizerOption(const NormalizerKey& key, Json normalizer) {
    const std::optional<Json> in_config = config_.root().Find(key.config_key);
    const std::optional<Json> in_file = normalizer.Find(key.option);
    // Only strip_accents may be null: as lowercase says.
    const bool may_be_null = key.option == std::string_view("strip_accents");
    const bool obeyed = in_config && (may_be_null || !in_config->is_null());
    if (obeyed && !in_config->is_null()) PB_RETURN_IF_ERROR(in_config->AsBool());
    if (obeyed && in_file && in_config->Describe() != in_file->Describe()) {
      differences_.push_back((Message("normalizer.") + key.option +
                              ": tokenizer_config.json says " + key.config_key + " " +
                              in_config->Describe() + ", tokenizer.json says " +
                              in_file->Describe() + "; the former is obeyed")
                                 .TakeText());
    }
    if (obeyed) {
      writer_.Key(key.option).Value(*in_config);
    } else if (in_file) {
      writer_.Key(key.option).Value(*in_file);
    }
    return Done{};
  }

  Status WritePostProcessor(const MergedTokens& tokens) {
    writer_.Key("post_processor");
    if (has_tokenizer_json_) {
      writer_.Value(tokenizer_.root().FindOrNull("post_processor"));
      return Done{};
    }
    writer_.BeginObject();
    for (const char* key : {"cls", "sep"}) {
      const std::string token = tokens.RoleOf(key[0] == 'c' ? "[CLS]" : "[SEP]");
      const int32_t id = data_.vocabulary.Find(token);
      if (id < 0) {
        return FormatError(Message(is_roberta_ ? "vocab.json" : "vocab.txt") +
                           " has no special token " + Quoted(token));
      }
      writer_.Key(key).BeginArray().String(token).Int(id).EndArray();
    }
    if (is_roberta_) {
      PB_ASSIGN_OR_RETURN(const bool prefixes, config_.root().BoolOr("add_prefix_space", false));
      writer_.Key("type").String("RobertaProcessing").Key("trim_offsets").Bool(true);
      writer_.Key("add_prefix_space").Bool(prefixes);
    }
    writer_.EndObject();
    return Done{};
  }

  // All but the tables. The type is told by them where an old file does not name it.
  Status WriteModel(const MergedTokens& tokens) {
    const Json model = tokenizer_.root().FindOrNull("model");
    PB_ASSIGN_OR_RETURN(const std::string_view type, ModelTypeName(model));
    writer_.Key("model").BeginObject().Key("type").String(type);
    for (auto [key, value] : model.Members()) {
      if (key != "type" && key != "vocab" && key != "merges") writer_.Key(key).Value(value);
    }
    if (!has_tokenizer_json_ && !is_roberta_) {
      writer_.Key("unk_token").String(tokens.RoleOf("[UNK]"));
    }
    writer_.EndObject();
    return Done{};
  }

  Status WriteExtras(const MergedTokens& tokens) {
    writer_.Key("pocketbert").BeginObject().Key("special").BeginObject();
    for (const TokenRole& role : tokens.roles()) writer_.Key(role.key).String(role.token.content);
    writer_.EndObject();
    PB_ASSIGN_OR_RETURN(const double length, config_.root().DoubleOr("model_max_length", 0));
    if (length >= 1 && length < 1e6) {
      writer_.Key("model_max_length").Int(static_cast<int64_t>(length));
    }
    writer_.Key("differences").BeginArray();
    for (const std::string& difference : differences_) writer_.String(difference);
    writer_.EndArray().EndObject();
    return Done{};
  }

  const TokenizerFiles& files_;
  const bool has_tokenizer_json_;
  const bool is_roberta_;  // vocab.json and merges.txt
  JsonDocument tokenizer_;
  JsonDocument vocab_;
  JsonDocument config_;
  JsonDocument special_map_;
  JsonDocument added_map_;
  ModelData data_;
  std::vector<std::string> differences_;
  JsonWriter writer_;
};

}  // namespace

Result<CompiledFiles> CompileFiles(const TokenizerFiles& files) { return Compiler(files).Run(); }

}  // namespace pocketbert
