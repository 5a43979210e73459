#pragma once
// The tokens <0x00> … <0xFF> that stand for bytes of what no other token can express.

#include <array>
#include <cstdint>
#include <string_view>

#include "text/vocabulary.h"

namespace pocketbert {

// The text of a byte's token: "<0x0A>".
std::array<char, 6> ByteTokenText(uint8_t byte);

// The byte that `token` stands for, or -1.
int ByteOfToken(std::string_view token);

// The ids of the tokens of all bytes, -1 where there is none.
std::array<int32_t, 256> FindByteTokens(const Vocabulary& vocabulary);

}  // namespace pocketbert
