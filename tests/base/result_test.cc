#include "base/result.h"

#include <memory>

#include "catch2/catch_amalgamated.hpp"

namespace pocketbert {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) {
    return InvalidArgumentError("number is " + std::to_string(number) + ", expected an even one");
  }
  return number / 2;
}

Result<std::unique_ptr<int>> Quarter(int number) {
  PB_ASSIGN_OR_RETURN(const int half, Half(number));
  PB_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return std::make_unique<int>(quarter);
}

Status CheckEven(int number) {
  PB_RETURN_IF_ERROR(Half(number));
  return Done{};
}

TEST_CASE("A value passes through the macros", "[result]") {
  Result<std::unique_ptr<int>> quarter = Quarter(12);
  REQUIRE(quarter.ok());
  CHECK(*std::move(quarter).value() == 3);
  CHECK(CheckEven(4).ok());
}

TEST_CASE("The first error leaves the function with its message", "[result]") {
  Result<std::unique_ptr<int>> quarter = Quarter(6);
  REQUIRE_FALSE(quarter.ok());
  CHECK(quarter.error().code == ErrorCode::kInvalidArgument);
  CHECK(quarter.error().message == "number is 3, expected an even one");
  CHECK_FALSE(CheckEven(5).ok());
}

TEST_CASE("Every code has the name that callers in JavaScript compare with", "[result]") {
  CHECK(ErrorCodeName(ErrorCode::kFormat) == "format");
  CHECK(ErrorCodeName(ErrorCode::kUnsupported) == "unsupported");
  CHECK(ErrorCodeName(ErrorCode::kInvalidArgument) == "invalid_argument");
  CHECK(ErrorCodeName(ErrorCode::kTooLong) == "too_long");
  CHECK(ErrorCodeName(ErrorCode::kOutOfMemory) == "out_of_memory");
}

}  // namespace
}  // namespace pocketbert
