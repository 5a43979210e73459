#include "model/one_file.h"

namespace pocketbert {

std::string_view PrecisionName(Precision precision) {
  return precision == Precision::kInt8 ? "int8" : "float32";
}

std::optional<Precision> PrecisionFromName(std::string_view name) {
  if (name == "int8") return Precision::kInt8;
  if (name == "float32") return Precision::kFloat32;
  return std::nullopt;
}

}  // namespace pocketbert
