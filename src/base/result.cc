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

namespace {

ErrorBox Box(ErrorCode code, Message&& message) {
  return ErrorBox(Error{code, std::move(message).TakeText()});
}

}  // namespace

ErrorBox FormatError(Message&& message) { return Box(ErrorCode::kFormat, std::move(message)); }

ErrorBox UnsupportedError(Message&& message) {
  return Box(ErrorCode::kUnsupported, std::move(message));
}

ErrorBox InvalidArgumentError(Message&& message) {
  return Box(ErrorCode::kInvalidArgument, std::move(message));
}

ErrorBox TooLongError(Message&& message) { return Box(ErrorCode::kTooLong, std::move(message)); }

ErrorBox OutOfMemoryError(Message&& message) {
  return Box(ErrorCode::kOutOfMemory, std::move(message));
}

Message& Message::Append(const char* part) {
  text_.append(part);
  return *this;
}

Message& Message::Append(const std::string& part) {
  text_.append(part);
  return *this;
}

Message& Message::Append(const std::string_view& part) {
  text_.append(part);
  return *this;
}

Message& Message::Append(int64_t part) { return Append(std::to_string(part)); }

Message& Message::Append(uint64_t part) { return Append(std::to_string(part)); }

Error ErrorBox::moved_ = {ErrorCode::kFormat, "an error that was passed on"};

ErrorBox::ErrorBox(Error&& error) : error_(new Error(std::move(error))) {}

void ErrorBox::Free(Error* error) {
  delete error;
}

Error& ErrorBox::Get() const {
  PB_CHECK(error_ != nullptr && error_ != &moved_);
  return *error_;
}

}  // namespace pocketbert
