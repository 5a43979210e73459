#include "text/byte_tokens.h"

namespace pocketbert {
namespace {

constexpr char kDigits[] = "0123456789ABCDEF";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

std::array<char, 6> ByteTokenText(uint8_t byte) {
  return {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
}

int ByteOfToken(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return -1;
  const int high = HexDigit(token[3]);
  const int low = HexDigit(token[4]);
  return high < 0 || low < 0 ? -1 : high << 4 | low;
}

std::array<int32_t, 256> FindByteTokens(const Vocabulary& vocabulary) {
  std::array<int32_t, 256> ids;
  for (size_t byte = 0; byte < ids.size(); ++byte) {
    const std::array<char, 6> text = ByteTokenText(static_cast<uint8_t>(byte));
    ids[byte] = vocabulary.Find({text.data(), text.size()});
  }
  return ids;
}

}  // namespace pocketbert
