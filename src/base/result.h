#pragma once
// Errors from outside (files, texts, options) as values.
//
// A function that can fail because of what it was given returns `Result<T>`: either the value or an
// `Error` whose message names the thing, what was found and what was expected, e.g.
// `tensor encoder.layer.3.output.dense.weight has shape [768, 3072], expected [3072, 768]`.

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"

namespace pocketbert {

// Stable kinds of failure; `ErrorCodeName` gives the string that TypeScript sees as `error.code`.
enum class ErrorCode {
  kFormat,           // bytes or JSON that are not what they claim to be
  kUnsupported,      // well-formed, but nothing here can compute it; the message names it
  kInvalidArgument,  // an option or argument out of its range
  kTooLong,          // a text above the limit where the caller asked for an error
  kOutOfMemory,      // memory that the engine may not or cannot get
};

// "format", "unsupported", "invalid_argument", "too_long", "out_of_memory".
std::string_view ErrorCodeName(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string message;
};

inline Error FormatError(std::string message) { return {ErrorCode::kFormat, std::move(message)}; }
inline Error UnsupportedError(std::string message) {
  return {ErrorCode::kUnsupported, std::move(message)};
}
inline Error InvalidArgumentError(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

// Either a T or an Error. Reading the wrong one is a bug and stops (PB_CHECK).
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  T& value() & { return Get(); }
  const T& value() const& { return const_cast<Result*>(this)->Get(); }
  T&& value() && { return std::move(Get()); }
  const Error& error() const& {
    PB_CHECK(!ok());
    return std::get<1>(state_);
  }
  Error&& error() && {
    PB_CHECK(!ok());
    return std::move(std::get<1>(state_));
  }

 private:
  T& Get() {
    PB_CHECK(ok());
    return std::get<0>(state_);
  }

  std::variant<T, Error> state_;
};

struct Done {};
// Success without a value: `return Done{};`.
using Status = Result<Done>;

}  // namespace pocketbert

// PB_RETURN_IF_ERROR(expression): leaves the function with the error of a Result, if it has one.
#define PB_RETURN_IF_ERROR(expression)                              \
  do {                                                              \
    if (auto pb_result = (expression); !pb_result.ok())             \
      return std::move(pb_result).error();                          \
  } while (false)

#define PB_CONCAT_INNER(a, b) a##b
#define PB_CONCAT(a, b) PB_CONCAT_INNER(a, b)

// PB_ASSIGN_OR_RETURN(auto x, expression): x = value, or leaves the function with the error.
#define PB_ASSIGN_OR_RETURN(declaration, expression)                \
  auto PB_CONCAT(pb_result_, __LINE__) = (expression);              \
  if (!PB_CONCAT(pb_result_, __LINE__).ok())                        \
    return std::move(PB_CONCAT(pb_result_, __LINE__)).error();      \
  declaration = std::move(PB_CONCAT(pb_result_, __LINE__)).value()
