// Tokenizers. Functions take the handle of a tokenizer or of a model, which has one.

#include <emscripten/bind.h>

#include <optional>
#include <span>
#include <string>

#include "bindings/handles.h"
#include "tasks/describe.h"
#include "tasks/tokenize.h"

namespace pocketbert {
namespace {

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(TokensReply);
EMSCRIPTEN_DECLARE_VAL_TYPE(CountsReply);

const Tokenizer& TokenizerAt(Handle handle) {
  if (ObjectAt(handle).kind == ObjectKind::kModel) return At<OpenModel>(handle).model.tokenizer();
  return At<Tokenizer>(handle);
}

std::string Describe(Handle tokenizer) { return DescribeTokenizer(TokenizerAt(tokenizer)); }

TokensReply TokenizeTexts(Handle tokenizer, Handle texts, const EncodeOptions& options) {
  return ReplyWith<TokensReply>(
      Tokenize(TokenizerAt(tokenizer), At<TextBlock>(texts).Items(), options),
      CopyToJs<Int32ArrayVal, int32_t>);
}

CountsReply CountTextTokens(Handle tokenizer, Handle texts) {
  return ReplyWith<CountsReply>(CountTokens(TokenizerAt(tokenizer), At<TextBlock>(texts).Items()),
                                CopyToJs<Uint32ArrayVal, uint32_t>);
}

// `ids`: a byte buffer of int32 values.
std::string DecodeIds(Handle tokenizer, Handle ids, const DecodeOptions& options) {
  const ByteBlock& block = At<ByteBuffer>(ids).block;
  const auto* values = reinterpret_cast<const int32_t*>(block.data());
  return TokenizerAt(tokenizer).Decode({values, block.size() / sizeof(int32_t)}, options);
}

std::optional<std::string> IdToToken(Handle tokenizer, int32_t id) {
  const std::optional<std::string_view> token = TokenizerAt(tokenizer).IdToToken(id);
  return token ? std::optional<std::string>(*token) : std::nullopt;
}

std::optional<int32_t> TokenToId(Handle tokenizer, const std::string& token) {
  return TokenizerAt(tokenizer).TokenToId(token);
}

}  // namespace

EMSCRIPTEN_BINDINGS(tokenizer) {
  using emscripten::enum_;
  using emscripten::function;
  using emscripten::register_optional;
  using emscripten::register_type;
  using emscripten::value_object;

  register_optional<bool>();
  register_optional<int32_t>();
  register_optional<size_t>();
  register_optional<std::string>();
  register_optional<Truncation>();
  register_optional<Padding>();

  enum_<Side>("Side").value("left", Side::kLeft).value("right", Side::kRight);
  enum_<TruncationStrategy>("TruncationStrategy")
      .value("longest_first", TruncationStrategy::kLongestFirst)
      .value("only_first", TruncationStrategy::kOnlyFirst)
      .value("only_second", TruncationStrategy::kOnlySecond);
  value_object<Truncation>("Truncation")
      .field("maxLength", &Truncation::max_length)
      .field("strategy", &Truncation::strategy)
      .field("stride", &Truncation::stride)
      .field("direction", &Truncation::direction);
  value_object<Padding>("Padding")
      .field("length", &Padding::length)
      .field("direction", &Padding::direction)
      .field("padToMultipleOf", &Padding::pad_to_multiple_of)
      .field("padId", &Padding::pad_id)
      .field("padTypeId", &Padding::pad_type_id);
  value_object<EncodeOptions>("EncodeOptions")
      .field("addSpecialTokens", &EncodeOptions::add_special_tokens)
      .field("encodeSpecialTokens", &EncodeOptions::encode_special_tokens)
      .field("truncation", &EncodeOptions::truncation)
      .field("padding", &EncodeOptions::padding);
  value_object<DecodeOptions>("DecodeOptions")
      .field("skipSpecialTokens", &DecodeOptions::skip_special_tokens)
      .field("cleanUp", &DecodeOptions::clean_up);
  register_type<TokensReply>("Int32Array | ErrorValue");
  register_type<CountsReply>("Uint32Array | ErrorValue");
  function("describeTokenizer", &Describe);
  function("tokenize", &TokenizeTexts);
  function("countTokens", &CountTextTokens);
  function("decode", &DecodeIds);
  function("idToToken", &IdToToken);
  function("tokenToId", &TokenToId);
}

}  // namespace pocketbert
