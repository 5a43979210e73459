#pragma once
// The options of config.json beyond sizes: read into EncoderConfig, or refused by name.

#include "base/json.h"
#include "base/result.h"
#include "model/family_config.h"
#include "nn/config.h"

namespace pocketbert {

// Refuses (kUnsupported) keys whose values change the computation in ways that nothing here
// follows, e.g. is_decoder, or prenorm of nomic_bert.
Status RefuseOtherNetworks(Json config, ModelFamily family);

// That the value of `key` is no activation function.
ErrorBox UnknownActivationError(Json config, const char* key);

// Completes `encoder`, whose sizes are there.
Status ReadFamilyOptions(Json config, ModelFamily family, EncoderConfig& encoder);

}  // namespace pocketbert
