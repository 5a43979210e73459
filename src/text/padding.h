#pragma once
// Padding of encodings to a common length.

#include <optional>
#include <span>

#include "base/json.h"
#include "base/result.h"
#include "text/encode_options.h"
#include "text/encoding.h"

namespace pocketbert {

// tokenizer.json's "padding".
Result<std::optional<Padding>> ReadPadding(Json json);

// Pads all encodings, and their overflow windows, to the asked length; `pad_id` stands for the
// option where that is absent. Errors (kInvalidArgument): a length above 2^24.
Status PadEncodings(std::span<Encoding> encodings, const Padding& padding, int32_t pad_id);

}  // namespace pocketbert
