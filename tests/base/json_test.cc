#include "base/json.h"

#include <catch2/catch_amalgamated.hpp>
#include <string>

namespace pocketbert {
namespace {

JsonDocument Parse(std::string_view text) {
  auto document = ParseJson(text, "file.json");
  INFO(text);
  if (!document.ok()) INFO(document.error().message);
  REQUIRE(document.ok());
  return std::move(document).value();
}

std::string ParseFailure(std::string_view text) {
  auto document = ParseJson(text, "file.json");
  INFO(text.substr(0, 100));
  REQUIRE_FALSE(document.ok());
  CHECK(document.error().code == ErrorCode::kFormat);
  CHECK(document.error().message.starts_with("file.json is not valid JSON: "));
  return document.error().message;
}

TEST_CASE("JSON values of every kind") {
  const JsonDocument document = Parse(
      R"({"n":null,"t":true,"f":false,"i":-12,"u":18446744073709551615,"d":1.5e3,)"
      R"("s":"h\u00e9\ud83d\ude00\n","a":[1,[2,3],{}],"o":{"x":{"y":"z"}},"e":[]})");
  const Json root = document.root();
  REQUIRE(root.is_object());
  CHECK(root.size() == 10);
  CHECK(root.Get("n").value().is_null());
  CHECK(root.GetBool("t").value() == true);
  CHECK(root.GetBool("f").value() == false);
  CHECK(root.GetInt("i").value() == -12);
  CHECK(root.Get("u").value().kind() == JsonKind::kUint);
  CHECK(root.GetDouble("u").value() == 18446744073709551615.0);
  CHECK(root.GetDouble("d").value() == 1500.0);
  CHECK(root.GetInt("d").value() == 1500);
  CHECK(root.GetDouble("i").value() == -12.0);
  CHECK(root.GetString("s").value() == "hé😀\n");
  CHECK(root.GetObject("o").value().GetObject("x").value().GetString("y").value() == "z");
  CHECK(root.GetArray("e").value().size() == 0);

  const Json array = root.GetArray("a").value();
  CHECK(array.size() == 3);
  std::vector<std::string> items;
  for (Json item : array.Items()) items.push_back(WriteJson(item));
  CHECK(items == std::vector<std::string>{"1", "[2,3]", "{}"});

  std::string keys;
  for (auto [key, value] : root.Members()) keys.append(key);
  CHECK(keys == "ntfiudsaoe");
  for (Json item : root.Items()) FAIL(item.Path());
  for (auto [key, value] : array.Members()) FAIL(key);
}

TEST_CASE("JSON views outlive a move of their document") {
  JsonDocument document = Parse(R"({"a":"kept"})");
  const Json root = document.root();
  const JsonDocument moved = std::move(document);
  CHECK(root.GetString("a").value() == "kept");
  CHECK(moved.root().GetString("a").value() == "kept");
}

TEST_CASE("JSON absent and null members take the fallback") {
  const JsonDocument document = Parse(R"({"null":null,"b":false,"i":3,"d":2.5,"s":""})");
  const Json root = document.root();
  CHECK(root.BoolOr("gone", true).value() == true);
  CHECK(root.BoolOr("null", true).value() == true);
  CHECK(root.BoolOr("b", true).value() == false);
  CHECK(root.IntOr("null", 7).value() == 7);
  CHECK(root.IntOr("i", 7).value() == 3);
  CHECK(root.DoubleOr("gone", 0.5).value() == 0.5);
  CHECK(root.DoubleOr("d", 0.5).value() == 2.5);
  CHECK(root.StringOr("gone", "x").value() == "x");
  CHECK(root.StringOr("s", "x").value().empty());
  CHECK_FALSE(root.BoolOr("i", true).ok());
  CHECK_FALSE(root.StringOr("i", "x").ok());
  CHECK_FALSE(root.Find("gone").has_value());
  CHECK(root.Find("null").has_value());
  CHECK(root.FindOrNull("gone").is_null());
  CHECK(Json().FindOrNull("gone").is_null());
}

TEST_CASE("JSON errors name file, path, what was found and what was expected") {
  const JsonDocument document =
      Parse(R"({"layers":[{"size":1},{"size":"big"}],"n":12.5,"long":")" + std::string(100, 'x') +
            R"("})");
  const Json root = document.root();
  const Json second = [&] {
    Json last;
    for (Json item : root.GetArray("layers").value().Items()) last = item;
    return last;
  }();
  CHECK(second.GetInt("size").error().message ==
        "file.json: layers[1].size is \"big\", expected an integer");
  CHECK(second.GetInt("width").error().message == "file.json: layers[1] has no \"width\"");
  CHECK(root.GetInt("n", 1, 9).error().message ==
        "file.json: n is 12.5, expected an integer in 1 … 9");
  CHECK(root.GetString("n").error().message == "file.json: n is 12.5, expected a string");
  CHECK(root.GetBool("layers").error().message ==
        "file.json: layers is an array of 2, expected true or false");
  CHECK(root.GetObject("long").error().message ==
        "file.json: long is \"" + std::string(40, 'x') + "…\", expected an object");
  CHECK(root.AsArray().error().message == "file.json is an object, expected an array");
}

TEST_CASE("JSON integers keep to their range") {
  const JsonDocument document = Parse(
      R"({"max":9223372036854775807,"min":-9223372036854775808,"above":9223372036854775808,)"
      R"("huge":1000000000000000019884624838656,"half":0.5,"minus":-1})");
  const Json root = document.root();
  CHECK(root.GetInt("max").value() == INT64_MAX);
  CHECK(root.GetInt("min").value() == INT64_MIN);
  CHECK_FALSE(root.GetInt("huge").ok());
  CHECK(root.GetDouble("huge").value() == 1e30);
  CHECK_FALSE(root.GetInt("above").ok());
  CHECK_FALSE(root.GetInt("half").ok());
  CHECK(root.GetInt("minus", 0).error().message ==
        "file.json: minus is -1, expected an integer, at least 0");
}

TEST_CASE("JSON objects with many keys are found by key, the last of equals wins") {
  std::string text = "{";
  for (int i = 0; i < 30000; ++i) {
    text += "\"key" + std::to_string(i * 7919 % 30000) + "\":" + std::to_string(i) + ",";
  }
  text += "\"key5\":-5}";
  const JsonDocument document = Parse(text);
  const Json root = document.root();
  CHECK(root.size() == 30001);
  for (int i = 0; i < 30000; ++i) {
    const int key = i * 7919 % 30000;
    const int64_t found = root.GetInt("key" + std::to_string(key)).value();
    if (found != (key == 5 ? -5 : i)) FAIL(key);
  }
  CHECK_FALSE(root.Find("key30000").has_value());
  CHECK_FALSE(root.Find("").has_value());
  CHECK(root.DuplicateKey() == "key5");

  const JsonDocument few = Parse(R"({"a":1,"b":2,"a":3})");
  CHECK(few.root().GetInt("a").value() == 3);
  CHECK(few.root().DuplicateKey() == "a");
  CHECK_FALSE(Parse(R"({"a":1,"b":{"a":2}})").root().DuplicateKey().has_value());
}

TEST_CASE("JSON that is none is refused with the byte position") {
  CHECK(ParseFailure("{\"a\": nul}").find("at byte 9") != std::string::npos);
  CHECK(ParseFailure("{\"a\": nul}").find("nul}") != std::string::npos);
  CHECK(ParseFailure("").find("at byte 0") != std::string::npos);
  ParseFailure("   ");
  ParseFailure("{");
  ParseFailure("{\"a\":1,}");
  ParseFailure("[1,2");
  ParseFailure("[1 2]");
  ParseFailure("{\"a\" 1}");
  ParseFailure("{a:1}");
  ParseFailure("01");
  ParseFailure("[1]x");
  ParseFailure("// no\n1");
  ParseFailure("\"\\ud800\"");
  ParseFailure("\"\xC0\xAF\"");
  ParseFailure("\"\xED\xA0\x80\"");
  ParseFailure("\"a\nb\"");
  ParseFailure("NaN");
  CHECK(ParseFailure("1e999").find("a number out of range; found 1e999") != std::string::npos);
  ParseFailure(std::string_view("\0", 1));
  const std::string unended = ParseFailure("\"" + std::string(100000, 'a'));
  CHECK(unended.size() < 300);
}

TEST_CASE("JSON brackets nest 128 deep, not deeper") {
  for (const char* pair : {"[]", "{}"}) {
    const std::string open = pair[0] == '[' ? "[" : "{\"k\":";
    const auto nested = [&](size_t levels) {
      std::string text;
      for (size_t i = 0; i + 1 < levels; ++i) text += open;
      return text + pair + std::string(levels - 1, pair[1]);
    };
    const JsonDocument deepest = Parse(nested(128));
    CHECK(WriteJson(deepest.root()) == nested(128));
    CHECK(ParseFailure(nested(129)).find("deeper than 128") != std::string::npos);
  }
  ParseFailure(std::string(1000000, '['));
}

TEST_CASE("JSON skips a byte order mark and blanks around the value") {
  CHECK(Parse("\xEF\xBB\xBF{}").root().is_object());
  CHECK(Parse(" \r\n\t[1] \n").root().size() == 1);
}

TEST_CASE("JSON written back is the same value") {
  for (const std::string text :
       {R"({"a":[1,-2,3.25,1e-05,null,true,false],"b":{"c":"é\"\\\u0001"},"":{}})", "[]", "12",
        "\"\"", "18446744073709551615", "1000000000000000019884624838656"}) {
    const JsonDocument document = Parse(text);
    CHECK(WriteJson(document.root()) == text);
  }
}

TEST_CASE("JsonWriter sets commas and quotes") {
  JsonWriter writer;
  writer.BeginObject().Key("a").BeginArray().Int(1).Double(0.1).Double(1e300).EndArray();
  writer.Key("b").BeginObject().EndObject().Key("q\"").String("\n").Key("n").Null();
  writer.Key("d").Double(0.0 / 0.0 * 1.0).Key("t").Bool(true).EndObject();
  CHECK(writer.text() ==
        R"({"a":[1,0.1,1e+300],"b":{},"q\"":"\u000a","n":null,"d":null,"t":true})");
  const JsonDocument document = Parse(writer.text());
  JsonWriter copy;
  copy.BeginObject().Key("copy").Value(document.root()).EndObject();
  CHECK(copy.text() == "{\"copy\":" + writer.text() + "}");
  JsonWriter third;
  third.Double(1.0 / 3);
  CHECK(std::strtod(third.text().c_str(), nullptr) == 1.0 / 3);
}

}  // namespace
}  // namespace pocketbert
