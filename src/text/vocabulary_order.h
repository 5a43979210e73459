#pragma once
// The beginning of the form that Vocabulary::SerializeOrdered writes.

#include <cstddef>
#include <string_view>

namespace pocketbert {

inline constexpr std::string_view kOrderedMagic = "PBVOCAB3";
inline constexpr size_t kOrderedHeaderBytes = 20;

}  // namespace pocketbert
