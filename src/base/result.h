#pragma once
// Errors from outside (files, texts, options) as values.
//
// A function that can fail because of what it was given returns `Result<T>`: either the value or an
// `Error` whose message names the thing, what was found and what was expected, e.g.
// `tensor encoder.layer.3.output.dense.weight has shape [768, 3072], expected [3072, 768]`.

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

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

// An error on its way up through the callers: one pointer, so that passing it on costs next to no
// code. The members are always inlined because then nothing is left of them where the compiler
// sees whether there is an error, which is nearly everywhere.
class ErrorBox {
 public:
  ErrorBox() = default;
  explicit ErrorBox(Error&& error);
  // A box that held an error never looks empty again: its result must not seem to have a value.
  [[gnu::always_inline]] ErrorBox(ErrorBox&& other) noexcept : error_(other.error_) {
    if (other.error_ != nullptr) other.error_ = &moved_;
  }
  ErrorBox& operator=(ErrorBox&&) = delete;
  [[gnu::always_inline]] ~ErrorBox() {
    if (error_ != nullptr && error_ != &moved_) Free(error_);
  }

  bool empty() const { return error_ == nullptr; }
  // Stops if there is none.
  Error& Get() const;

 private:
  static void Free(Error* error);
  static Error moved_;

  Error* error_ = nullptr;
};

// The text of an error, put together from texts and whole numbers:
//
//   return FormatError(Message(file) + ": header is " + bytes + " bytes long, expected " +
//   expected);
//
// Each part is one call; std::string's operator+ makes a temporary of each.
class Message {
 public:
  Message(const char* part) { Append(part); }
  Message(const std::string& part) { Append(part); }
  Message(const std::string_view& part) { Append(part); }

  Message&& operator+(const char* part) && { return std::move(Append(part)); }
  Message&& operator+(const std::string& part) && { return std::move(Append(part)); }
  Message&& operator+(const std::string_view& part) && { return std::move(Append(part)); }
  Message&& operator+(int64_t part) && { return std::move(Append(part)); }
  Message&& operator+(uint64_t part) && { return std::move(Append(part)); }
  template <std::integral T>
  Message&& operator+(T part) && {
    if constexpr (std::is_signed_v<T>) {
      return std::move(*this) + int64_t{part};
    } else {
      return std::move(*this) + uint64_t{part};
    }
  }

  std::string TakeText() && { return std::move(text_); }

 private:
  Message& Append(const char* part);
  Message& Append(const std::string& part);
  Message& Append(const std::string_view& part);
  Message& Append(int64_t part);
  Message& Append(uint64_t part);

  std::string text_;
};

ErrorBox FormatError(Message&& message);
ErrorBox UnsupportedError(Message&& message);
ErrorBox InvalidArgumentError(Message&& message);
ErrorBox TooLongError(Message&& message);
ErrorBox OutOfMemoryError(Message&& message);

// Either a T or an Error. Reading the wrong one is a bug and stops (PB_CHECK).
template <typename T>
class [[nodiscard]] Result {
 public:
  [[gnu::always_inline]] Result(T value) : value_(std::move(value)) {}
  Result(Error&& error) : error_(std::move(error)) {}
  // Passes an error on; the box must hold one.
  [[gnu::always_inline]] Result(ErrorBox&& error) : error_(std::move(error)) { PB_CHECK(!ok()); }
  [[gnu::always_inline]] Result(Result&& other) noexcept : error_(std::move(other.error_)) {
    if (ok()) std::construct_at(&value_, std::move(other.value_));
  }
  Result& operator=(Result&& other) noexcept {
    if (this != &other) {
      std::destroy_at(this);
      std::construct_at(this, std::move(other));
    }
    return *this;
  }
  [[gnu::always_inline]] ~Result() {
    if (ok()) std::destroy_at(&value_);
  }

  bool ok() const { return error_.empty(); }
  [[gnu::always_inline]] T& value() & { return Get(); }
  [[gnu::always_inline]] const T& value() const& { return const_cast<Result*>(this)->Get(); }
  [[gnu::always_inline]] T&& value() && { return std::move(Get()); }
  const Error& error() const& { return error_.Get(); }
  Error&& error() && { return std::move(error_.Get()); }
  // The error, to be passed on; after that this result has neither.
  [[gnu::always_inline]] ErrorBox&& TakeError() && { return std::move(error_); }

 private:
  [[gnu::always_inline]] T& Get() {
    PB_CHECK(ok());
    return value_;
  }

  union {
    T value_;
  };
  ErrorBox error_;
};

struct Done {};
// Success without a value: `return Done{};`.
using Status = Result<Done>;

}  // namespace pocketbert

// PB_RETURN_IF_ERROR(expression): leaves the function with the error of a Result, if it has one.
#define PB_RETURN_IF_ERROR(expression)                              \
  do {                                                              \
    if (auto pb_result = (expression); !pb_result.ok())             \
      return std::move(pb_result).TakeError();                      \
  } while (false)

#define PB_CONCAT_INNER(a, b) a##b
#define PB_CONCAT(a, b) PB_CONCAT_INNER(a, b)

// PB_ASSIGN_OR_RETURN(auto x, expression): x = value, or leaves the function with the error.
#define PB_ASSIGN_OR_RETURN(declaration, expression)                \
  auto PB_CONCAT(pb_result_, __LINE__) = (expression);              \
  if (!PB_CONCAT(pb_result_, __LINE__).ok())                        \
    return std::move(PB_CONCAT(pb_result_, __LINE__)).TakeError();  \
  declaration = std::move(PB_CONCAT(pb_result_, __LINE__)).value()
