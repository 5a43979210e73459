#include "base/json_fields.h"

#include <catch2/catch_amalgamated.hpp>
#include <string>

namespace pocketbert {
namespace {

JsonDocument Parse(std::string_view text) {
  auto document = ParseJson(text, "file.json");
  REQUIRE(document.ok());
  return std::move(document).value();
}

TEST_CASE("members of an object, or their fallbacks") {
  const JsonDocument document = Parse(
      R"({"b":true,"i":7,"d":0.5,"s":"text","n":null,"a":[1],"o":{"x":1},"side":"Right"})");
  JsonFields fields(document.root());
  CHECK(fields.Bool("b", false));
  CHECK(fields.Bool("gone", true));
  CHECK(fields.Int("i", 1, 0, 9) == 7);
  CHECK(fields.Int("n", 5) == 5);
  CHECK(fields.Double("d", 1) == 0.5);
  CHECK(fields.Double("gone", 1) == 1);
  CHECK(fields.String("s", "") == "text");
  CHECK(fields.String("gone", "fallback") == "fallback");
  CHECK(fields.Array("a").size() == 1);
  CHECK(fields.Object("o").size() == 1);
  CHECK(fields.Object("gone").is_null());
  CHECK(fields.Any("s").is_string());
  CHECK(fields.Choice("side", 0, "Left, Right") == 1);
  CHECK(fields.Choice("gone", 1, "Left, Right") == 1);
  CHECK(fields.RequiredString("s") == "text");
  CHECK(fields.RequiredInt("i") == 7);
  CHECK(fields.RequiredArray("a").is_array());
  CHECK(fields.RequiredObject("o").is_object());
  CHECK(fields.ok());
  CHECK(fields.Finish().ok());
}

TEST_CASE("the first error stays, and what follows reads as absent") {
  const JsonDocument document = Parse(R"({"a":1,"b":"x","c":2,"side":"Up"})");
  JsonFields fields(document.root());
  CHECK(fields.Int("a", 0) == 1);
  CHECK(fields.Bool("b", true));
  CHECK_FALSE(fields.ok());
  CHECK(fields.Int("c", 9) == 9);
  CHECK(fields.RequiredInt("c", 3, 8) == 3);
  CHECK(fields.Choice("side", 1, "Left, Right") == 1);
  const Status status = fields.Finish();
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message == "file.json: b is \"x\", expected true or false");
  CHECK(status.error().code == ErrorCode::kFormat);
}

TEST_CASE("what is missing, of another kind, out of the list, or not asked for") {
  const auto failure = [](std::string_view text, auto read) {
    const JsonDocument document = Parse(text);
    JsonFields fields(document.root());
    read(fields);
    Status status = fields.Finish();
    REQUIRE_FALSE(status.ok());
    return status.error();
  };
  CHECK(failure("[]", [](JsonFields&) {}).message ==
        "file.json is an array of 0, expected an object");
  CHECK(failure("{}", [](JsonFields& f) { f.RequiredString("k"); }).message ==
        "file.json has no \"k\"");
  CHECK(failure("{}", [](JsonFields& f) { f.RequiredObject("k"); }).message ==
        "file.json has no \"k\"");
  CHECK(failure(R"({"k":1})", [](JsonFields& f) { f.Array("k"); }).message ==
        "file.json: k is 1, expected an array");
  CHECK(failure(R"({"k":11})", [](JsonFields& f) { f.Int("k", 0, 0, 10); }).message ==
        "file.json: k is 11, expected an integer in 0 … 10");
  const Error choice =
      failure(R"({"k":"Up"})", [](JsonFields& f) { f.Choice("k", 0, "Left, Right"); });
  CHECK(choice.message ==
        "file.json: k is \"Up\", which is not supported (supported: Left, Right)");
  CHECK(choice.code == ErrorCode::kUnsupported);
  CHECK(failure(R"({"k":"Lef"})", [](JsonFields& f) { f.Choice("k", 0, "Left, Right"); }).code ==
        ErrorCode::kUnsupported);
  CHECK(failure(R"({"k":1})", [](JsonFields& f) { f.Choice("k", 0, "Left"); }).code ==
        ErrorCode::kFormat);
  const Error unknown = failure(R"({"k":1,"more":2})", [](JsonFields& f) { f.Int("k", 0); });
  CHECK(unknown.message == "file.json: more (2) is an option that is not supported");
  CHECK(unknown.code == ErrorCode::kUnsupported);

  const JsonDocument document = Parse(R"({"k":1,"more":2})");
  JsonFields open(document.root());
  CHECK(open.Int("k", 0) == 1);
  CHECK(open.FinishOpen().ok());
}

}  // namespace
}  // namespace pocketbert
