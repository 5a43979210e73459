#pragma once
// Base64 (RFC 4648, section 4), the form in which tokenizer.json holds bytes.

#include <optional>
#include <string>
#include <string_view>

namespace pocketbert {

// Nothing if `text` is not base64 with its padding.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace pocketbert
