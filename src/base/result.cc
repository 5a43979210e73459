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

Error FormatError(std::string message) { return {ErrorCode::kFormat, std::move(message)}; }

Error UnsupportedError(std::string message) {
  return {ErrorCode::kUnsupported, std::move(message)};
}

Error InvalidArgumentError(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

Error ErrorBox::moved_ = {ErrorCode::kFormat, "an error that was passed on"};

ErrorBox::ErrorBox(Error&& error) : error_(new Error(std::move(error))) {}

void ErrorBox::Free(Error* error) {
  if (error != &moved_) delete error;
}

Error& ErrorBox::Get() const {
  PB_CHECK(error_ != nullptr && error_ != &moved_);
  return *error_;
}

}  // namespace pocketbert
