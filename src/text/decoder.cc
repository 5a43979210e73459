#include "text/decoder.h"

#include <utility>

#include "text/byte_level.h"
#include "text/byte_tokens.h"
#include "text/utf8.h"

namespace pocketbert {
namespace {

using Step = Decoder::Step;
using Kind = Step::Kind;
using Tokens = std::vector<std::string>;

struct Replacement {
  std::string_view from;
  std::string_view to;
};
// In this order, on each token by itself, as in the reference.
constexpr Replacement kCleanUp[] = {
    {" .", "."},   {" ?", "?"},     {" !", "!"},
    {" ,", ","},   {" ' ", "'"},    {" n't", "n't"},
    {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"},
    {" 've", "'ve"}, {" 're", "'re"},
};

void ReplaceAll(std::string& text, const Replacement& replacement) {
  if (replacement.from.empty()) return;
  size_t found = text.find(replacement.from);
  if (found == std::string::npos) return;
  std::string replaced;
  size_t at = 0;
  for (; found != std::string::npos; found = text.find(replacement.from, at)) {
    replaced.append(text, at, found - at).append(replacement.to);
    at = found + replacement.from.size();
  }
  text = replaced.append(text, at);
}

void CleanUp(std::string& text) {
  for (const Replacement& replacement : kCleanUp) ReplaceAll(text, replacement);
}

void JoinPieces(const Step& step, bool clean_up, Tokens& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::string& token = tokens[i];
    if (i > 0 && token.starts_with(step.text)) {
      token.erase(0, step.text.size());
    } else if (i > 0) {
      token.insert(0, " ");
    }
    if (clean_up) CleanUp(token);
  }
}

// The bytes of all tokens together; a token with other characters stands for itself.
void JoinBytes(Tokens& tokens) {
  std::string bytes;
  for (const std::string& token : tokens) bytes += BytesOfChars(token).value_or(token);
  tokens.assign(1, MakeValidUtf8(bytes));
}

void HideBlanks(const Step& step, Tokens& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    ReplaceAll(tokens[i], {step.text, i == 0 && step.drops_first ? "" : " "});
  }
}

// Runs of byte tokens; one that is no valid text gives U+FFFD for each byte.
void JoinByteTokens(Tokens& tokens) {
  Tokens joined;
  std::string bytes;
  const auto finish = [&] {
    if (bytes.empty()) return;
    if (IsValidUtf8(bytes)) {
      joined.push_back(bytes);
    } else {
      for (size_t i = 0; i < bytes.size(); ++i) joined.push_back("\xEF\xBF\xBD");
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    const int byte = ByteOfToken(token);
    if (byte >= 0) {
      bytes.push_back(static_cast<char>(byte));
    } else {
      finish();
      joined.push_back(std::move(token));
    }
  }
  finish();
  tokens = std::move(joined);
}

void Fuse(Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += token;
  tokens.assign(1, text);
}

void StripEnds(const Step& step, Tokens& tokens) {
  for (std::string& token : tokens) {
    for (size_t i = 0; i < step.left && token.starts_with(step.text); ++i) {
      token.erase(0, step.text.size());
    }
    for (size_t i = 0; i < step.right && token.ends_with(step.text); ++i) {
      token.erase(token.size() - step.text.size());
    }
  }
}

// A pattern that takes too many steps leaves a token as it is.
void ReplacePattern(const Step& step, Tokens& tokens) {
  std::vector<Piece> places;
  for (std::string& token : tokens) {
    places.clear();
    if (!step.pattern.FindAll(token, places).ok()) continue;
    std::string replaced;
    size_t at = 0;
    for (const Piece& place : places) {
      replaced.append(token, at, place.begin - at).append(step.text);
      at = place.end;
    }
    token = replaced.append(token, at);
  }
}

void EndWords(const Step& step, Tokens& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    ReplaceAll(tokens[i], {step.text, i + 1 == tokens.size() ? "" : " "});
  }
}

void ReadWordPiece(JsonFields& fields, Step& step) {
  step.kind = Kind::kWordPiece;
  step.text = fields.String("prefix", "##");
  fields.Bool("cleanup", true);
}

void ReadByteLevel(JsonFields& fields, Step& step) {
  for (const char* key : {"add_prefix_space", "trim_offsets", "use_regex"}) fields.Bool(key, true);
  step.kind = Kind::kByteLevel;
}

void ReadMetaspace(JsonFields& fields, Step& step) {
  step.kind = Kind::kMetaspace;
  step.text = fields.String("replacement", "\u2581");
  fields.Any("str_rep");
  fields.Bool("split", true);
  const bool prefixes = fields.Bool("add_prefix_space", true);
  step.drops_first = fields.Choice("prepend_scheme", prefixes ? 0 : 2, "always, first, never") < 2;
}

template <Kind kind>
void ReadPlain(JsonFields&, Step& step) {
  step.kind = kind;
}

void ReadStrip(JsonFields& fields, Step& step) {
  step.kind = Kind::kStrip;
  step.text = fields.RequiredString("content");
  step.left = static_cast<size_t>(fields.Int("start", 0, 0, INT32_MAX));
  step.right = static_cast<size_t>(fields.Int("stop", 0, 0, INT32_MAX));
  if (step.text.empty()) step.left = step.right = 0;
}

void ReadReplace(JsonFields& fields, Step& step) {
  step.kind = Kind::kReplace;
  step.pattern = ReadPattern(fields, "pattern");
  step.text = fields.RequiredString("content");
}

void ReadBpe(JsonFields& fields, Step& step) {
  step.kind = Kind::kBpe;
  step.text = fields.String("suffix", "</w>");
}

struct Type {
  std::string_view name;
  void (*read)(JsonFields&, Step&);
};
constexpr Type kTypes[] = {
    {"WordPiece", ReadWordPiece},
    {"ByteLevel", ReadByteLevel},
    {"Metaspace", ReadMetaspace},
    {"ByteFallback", ReadPlain<Kind::kByteFallback>},
    {"Fuse", ReadPlain<Kind::kFuse>},
    {"Strip", ReadStrip},
    {"Replace", ReadReplace},
    {"BPEDecoder", ReadBpe},
};
constexpr std::string_view kSupported =
    "WordPiece, ByteLevel, Metaspace, ByteFallback, Fuse, Strip, Replace, BPEDecoder, Sequence";

}  // namespace

Result<Decoder> Decoder::FromJson(Json json) {
  Decoder decoder;
  if (!json.is_null()) PB_RETURN_IF_ERROR(decoder.Add(json));
  return decoder;
}

// Recurses at most as deep as ParseJson lets brackets nest.
Status Decoder::Add(Json json) {
  JsonFields fields(json);
  const std::string_view name = fields.RequiredString("type");
  if (name == "Sequence") {
    const Json list = fields.RequiredArray("decoders");
    PB_RETURN_IF_ERROR(fields.Finish());
    for (Json item : list.Items()) PB_RETURN_IF_ERROR(Add(item));
    return Done{};
  }
  for (const Type& type : kTypes) {
    if (type.name != name) continue;
    type.read(fields, steps_.emplace_back());
    if (steps_.back().kind == Kind::kWordPiece) cleans_up_ = fields.Bool("cleanup", true);
    return fields.Finish();
  }
  PB_RETURN_IF_ERROR(fields.FinishOpen());
  return UnsupportedComponent(json.FindOrNull("type"), kSupported);
}

std::string Decoder::Decode(std::span<const std::string_view> tokens, bool clean_up) const {
  Tokens parts(tokens.begin(), tokens.end());
  if (steps_.empty()) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) parts[i].insert(0, " ");
      if (clean_up) CleanUp(parts[i]);
    }
  }
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Kind::kWordPiece: JoinPieces(step, clean_up, parts); break;
      case Kind::kByteLevel: JoinBytes(parts); break;
      case Kind::kMetaspace: HideBlanks(step, parts); break;
      case Kind::kByteFallback: JoinByteTokens(parts); break;
      case Kind::kFuse: Fuse(parts); break;
      case Kind::kStrip: StripEnds(step, parts); break;
      case Kind::kReplace: ReplacePattern(step, parts); break;
      case Kind::kBpe: EndWords(step, parts); break;
    }
  }
  Fuse(parts);
  const bool by_token = steps_.empty() || steps_[0].kind == Kind::kWordPiece;
  if (clean_up && !by_token) CleanUp(parts[0]);
  return std::move(parts[0]);
}

}  // namespace pocketbert
