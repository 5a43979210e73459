#pragma once
// Decoder: token texts back to a readable text, by the steps of tokenizer.json's "decoder" (a
// Sequence is laid flat).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/component_json.h"

namespace pocketbert {

class Decoder {
 public:
  // Supported types: WordPiece, ByteLevel, Metaspace, ByteFallback, Fuse, Strip, Replace,
  // BPEDecoder, Sequence, null (tokens joined by blanks). Others are refused by name.
  static Result<Decoder> FromJson(Json json);

  // ["hello", "##s", "!"] → "hellos!" (with clean-up; "hellos !" without)
  // Valid UTF-8, whatever bytes the tokens stand for.
  std::string Decode(std::span<const std::string_view> tokens, bool clean_up) const;

  // Whether the file asks for clean-up: no blank before . ? ! , and before English endings.
  bool cleans_up() const { return cleans_up_; }

  struct Step;

 private:
  Status Add(Json json);

  std::vector<Step> steps_;
  bool cleans_up_ = false;
};

struct Decoder::Step {
  enum class Kind : uint8_t {
    kWordPiece,     // a blank before each token but the first and those with the prefix `text`
    kByteLevel,     // see byte_level.h
    kMetaspace,     // `text` stands for a blank
    kByteFallback,  // see byte_tokens.h
    kFuse,          // all tokens become one
    kStrip,         // up to `left` and `right` times `text` comes off a token's ends
    kReplace,       // `pattern` becomes `text`
    kBpe,           // `text` ends a word
  };
  Kind kind = Kind::kWordPiece;
  std::string text = {};
  TextPattern pattern = {};
  bool drops_first = false;  // kMetaspace: blanks of the first token
  size_t left = 0;
  size_t right = 0;
};

}  // namespace pocketbert
