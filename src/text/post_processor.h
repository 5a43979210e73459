#pragma once
// PostProcessor: the template of special tokens around a text or a pair, e.g. [CLS] A [SEP] B
// [SEP].

#include <cstdint>
#include <span>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/encoding.h"
#include "text/truncation.h"

namespace pocketbert {

struct TemplatePiece {
  // 0 or 1: that text's tokens; -1: the special token `id`.
  int8_t sequence;
  int32_t id;
  int32_t type_id;

  // Of a text's tokens.
  TokenMarks marks() const { return {type_id, sequence}; }
  Token special() const { return {id, {}, -1, TokenMarks::Special(type_id)}; }
};

// What stands in the place of the two texts: a part of each.
struct TemplateInput {
  const std::vector<Token>* tokens[2] = {nullptr, nullptr};
  Window windows[2] = {{0, 0}, {0, 0}};
};

// Blanks at the ends of a token's text are left out of its range (ByteLevel's "trim_offsets").
struct BlankTrimming {
  bool trims = false;
  // One blank stays on a text's first token: it may be one that was set there ("add_prefix_space").
  bool keeps_first = false;
};

class PostProcessor {
 public:
  // Supported types: TemplateProcessing, BertProcessing and RobertaProcessing (both also without
  // "type"), ByteLevel, Sequence of ByteLevel and at most one of the others, null (no special
  // tokens). Others are refused by name, and so is a template that names a token not defined in it.
  static Result<PostProcessor> FromJson(Json json);

  const BlankTrimming& trimming() const { return trimming_; }

  std::span<const TemplatePiece> pieces(bool pair) const { return pair ? pair_ : single_; }
  size_t special_token_count(bool pair) const;

  // The template of a pair names the second text before the first.
  bool begins_with_second() const;

  // Largest id among the special tokens, -1 if there are none.
  int32_t largest_id() const;

  // Appends the tokens of one encoding to `out`.
  void Assemble(const TemplateInput& input, bool pair, bool add_special_tokens,
                std::vector<Token>& out) const;

 private:
  Status Add(Json json);
  Status AddTemplate(Json json);
  Status AddBert(Json json, bool roberta);
  Status AddByteLevel(Json json);

  BlankTrimming trimming_;
  std::vector<TemplatePiece> single_;
  std::vector<TemplatePiece> pair_;
};

}  // namespace pocketbert
