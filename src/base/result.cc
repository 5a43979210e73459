#include "base/result.h"

namespace pocketbert {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kFormat: return "format";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kInvalidArgument: return "invalid_argument";
    case ErrorCode::kTooLong: return "too_long";
    case ErrorCode::kOutOfMemory: return "out_of_memory";
  }
  PB_CHECK(false && "unknown error code");
}

}  // namespace pocketbert
