#pragma once
// Names inside our one-file format, `*.pocketbert.safetensors`: a safetensors file whose metadata
// hold all texts of a model and whose tensors have canonical names (nn/weights.h).
//
//   metadata   format "pocketbert", format_version "1", config, tokenizer, sentence, heads,
//              quantization, fidelity, ignored_tensors, source (each a JSON text but the first two
//              and the last)
//   X.weight         F32 or I8 [rows, cols]; I8 comes with X.weight_scale F32
//                    [rows, groups of columns]
//   X.bias           F32 [rows]
//   …input_scale     F32 [cols]: inputs are multiplied by it before they are quantized; shared by
//                    query, key and value of a layer
//   heads.NAME.…     tensors of a named head; modules.PATH.linear.… those of a Dense module
//   tokenizer.vocab  U8 [bytes]: the vocabulary in the form that text/tokenizer.h reads

#include <optional>
#include <string_view>

#include "base/result.h"
#include "io/safetensors.h"

namespace pocketbert {

// How the encoder's matrices and tables are kept.
enum class Precision { kInt8, kFloat32 };

// "int8" or "float32".
std::string_view PrecisionName(Precision precision);
std::optional<Precision> PrecisionFromName(std::string_view name);

namespace one_file {

inline constexpr std::string_view kFormat = "pocketbert";
inline constexpr std::string_view kFormatVersion = "1";

inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kFormatVersionKey = "format_version";
inline constexpr std::string_view kConfigKey = "config";
inline constexpr std::string_view kTokenizerKey = "tokenizer";
inline constexpr std::string_view kSentenceKey = "sentence";
inline constexpr std::string_view kHeadsKey = "heads";
inline constexpr std::string_view kQuantizationKey = "quantization";
inline constexpr std::string_view kFidelityKey = "fidelity";
inline constexpr std::string_view kIgnoredTensorsKey = "ignored_tensors";
inline constexpr std::string_view kSourceKey = "source";

inline constexpr std::string_view kVocabularyTensor = "tokenizer.vocab";
// Appended to the name of an I8 tensor: its F32 scales per row and group of columns.
inline constexpr std::string_view kScaleSuffix = "_scale";

// Errors: a file that is none of this format (kFormat), or of a version that is not read
// (kUnsupported). `name` is the file's in messages.
Status CheckFormat(const SafetensorsHeader& header, std::string_view name);

}  // namespace one_file
}  // namespace pocketbert
