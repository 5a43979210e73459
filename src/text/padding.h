#pragma once
// Padding of encodings to a common length.

#include <optional>

#include "base/json.h"
#include "base/result.h"
#include "text/encode_options.h"
#include "text/encoding.h"

namespace pocketbert {

// tokenizer.json's "padding".
Result<std::optional<Padding>> ReadPadding(Json json);

// Tokens that all windows of an encoding, or all encodings of a padded batch, may have together;
// about 400 MB.
constexpr size_t kMostTokens = size_t{1} << 24;

// Pads all encodings, and their overflow windows, to the asked length; `pad_id` stands for the
// option where that is absent. Errors: kInvalidArgument for a length above 2^24, kTooLong for more
// than kMostTokens in all.
Status PadEncodings(Encodings& encodings, const Padding& padding, int32_t pad_id);

}  // namespace pocketbert
