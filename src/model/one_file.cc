#include "model/one_file.h"

#include <string>

namespace pocketbert {

std::string_view PrecisionName(Precision precision) {
  return precision == Precision::kInt8 ? "int8" : "float32";
}

std::optional<Precision> PrecisionFromName(std::string_view name) {
  if (name == "int8") return Precision::kInt8;
  if (name == "float32") return Precision::kFloat32;
  return std::nullopt;
}

Status one_file::CheckFormat(const SafetensorsHeader& header, std::string_view name) {
  const std::optional<std::string_view> format = header.Metadata(kFormatKey);
  if (format != kFormat) {
    return FormatError(Message(name) + ": metadata key \"format\" is " +
                       (format ? "\"" + std::string(*format) + "\"" : "missing") +
                       ", expected \"pocketbert\": this is no one-file model, but perhaps the "
                       "weights of a Hugging Face folder, which also needs its other files");
  }
  const std::optional<std::string_view> version = header.Metadata(kFormatVersionKey);
  if (!version) {
    return FormatError(Message(name) + ": metadata key \"" + kFormatVersionKey + "\" is missing");
  }
  if (*version != kFormatVersion) {
    return UnsupportedError(Message(name) + ": format_version is \"" + *version +
                            "\", expected \"" + kFormatVersion + "\"");
  }
  return Done{};
}

}  // namespace pocketbert
