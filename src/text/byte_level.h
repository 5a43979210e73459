#pragma once
// Byte-level texts (GPT-2): each byte of a text stands for itself as a visible character, so that
// every text is one of 256 characters.
//
//   " é" → "ĠÃ©"      the blank is U+0120, the bytes C3 A9 are U+00C3 and U+00A9
//
// Vocabularies hold the visible form. Texts here stay in plain bytes and are only read as if they
// were in the other form.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/split.h"

namespace pocketbert {

// The visible character of a byte, below U+0144.
char32_t ByteChar(uint8_t byte);

// The bytes that `text` is the visible form of; nothing if a character of it is none of the 256.
std::optional<std::string> BytesOfChars(std::string_view text);

// Whether `chars` is the visible form of `bytes`.
bool AreCharsOf(std::string_view chars, std::string_view bytes);

// Splits as GPT-2's pattern does:
// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
void SplitGpt2(std::string_view text, Piece piece, std::vector<Piece>& out);

}  // namespace pocketbert
