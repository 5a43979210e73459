#include "text/decoder.h"

#include "base/json_fields.h"

namespace pocketbert {
namespace {

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

}  // namespace

Result<Decoder> Decoder::FromJson(Json json) {
  Decoder decoder;
  if (json.is_null()) return decoder;
  JsonFields fields(json);
  fields.RequiredString("type");
  fields.Choice("type", 0, "WordPiece");
  decoder.joins_pieces_ = true;
  decoder.prefix_ = fields.String("prefix", "##");
  decoder.cleans_up_ = fields.Bool("cleanup", true);
  PB_RETURN_IF_ERROR(fields.Finish());
  return decoder;
}

std::string Decoder::Decode(std::span<const std::string_view> tokens, bool clean_up) const {
  std::string text;
  std::string piece;
  for (size_t i = 0; i < tokens.size(); ++i) {
    std::string_view token = tokens[i];
    piece.clear();
    if (i > 0) {
      if (joins_pieces_ && token.starts_with(prefix_)) {
        token.remove_prefix(prefix_.size());
      } else {
        piece.push_back(' ');
      }
    }
    piece.append(token);
    if (clean_up) {
      for (const Replacement& replacement : kCleanUp) ReplaceAll(piece, replacement);
    }
    text.append(piece);
  }
  return text;
}

}  // namespace pocketbert
