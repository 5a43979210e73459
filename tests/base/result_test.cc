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

// Counts how often it is made and destroyed.
struct Counted {
  static int living;
  Counted() { ++living; }
  Counted(Counted&&) noexcept { ++living; }
  ~Counted() { --living; }
};
int Counted::living = 0;

TEST_CASE("A value lives exactly as long as its result", "[result]") {
  {
    Result<Counted> first = Counted();
    Result<Counted> second = std::move(first);
    CHECK(second.ok());
    CHECK(Counted::living == 2);  // the moved-from value, and the new one
    second = Result<Counted>(FormatError("broken"));
    CHECK_FALSE(second.ok());
    CHECK(Counted::living == 1);
    second = Result<Counted>(Counted());
    CHECK(second.ok());
    CHECK(Counted::living == 2);
  }
  CHECK(Counted::living == 0);
}

TEST_CASE("A result whose error was passed on has no value", "[result]") {
  Result<Counted> first = FormatError("broken");
  const Result<int> second = std::move(first).TakeError();
  CHECK_FALSE(first.ok());
  CHECK(second.error().message == "broken");
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
