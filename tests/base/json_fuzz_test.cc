// ParseJson against nlohmann/json: the same texts are accepted, with the same values.

#include <catch2/catch_amalgamated.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "base/json.h"

namespace pocketbert {
namespace {

// Text that is not UTF-8, or has a number out of range, is refused by both. Duplicate keys: the last
// counts in both.
void Compare(const std::string& text) {
  INFO(text);
  const auto ours = ParseJson(text, "file.json");
  const auto theirs = nlohmann::json::parse(text, nullptr, false);
  REQUIRE(ours.ok() == !theirs.is_discarded());
  if (!ours.ok()) return;
  // What we write must be the same value to the other parser.
  CHECK(nlohmann::json::parse(WriteJson(ours.value().root())) == theirs);
}

TEST_CASE("broken JSON is refused and sound JSON accepted as by nlohmann/json") {
  const std::string seeds[] = {
      R"({"a":[1,-2,3.25,1e-05,null,true,false],"b":{"c":"\u00e9\"\\\u0001","d":"\ud83d\ude00"}})",
      R"([0, -0, 0.5e+10, 1E2, 18446744073709551615, 18446744073709551616, -9223372036854775808])",
      "\"h\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"", R"([[],{},[{}],{"":[]},{"x":{"y":{"z":1}}}])",
      "\xEF\xBB\xBF {\"k\" : \"v\\n\\t\\/\\b\\f\\r\" , \"k\" : 2}"};
  const std::string alphabet = "{}[],:\"\\/0123456789eE+-.truefalsn \n\x01\x80\xC3\xED\xF4\xFFud";
  std::mt19937 random(1234);
  const auto below = [&](size_t limit) { return random() % limit; };
  for (const std::string& seed : seeds) {
    Compare(seed);
    for (size_t cut = 0; cut < seed.size(); ++cut) Compare(seed.substr(0, cut));
    for (int trial = 0; trial < 4000; ++trial) {
      std::string text = seed;
      for (size_t change = 0; change <= below(3); ++change) {
        const size_t at = below(text.size());
        const char c = alphabet[below(alphabet.size())];
        switch (below(4)) {
          case 0: text[at] = c; break;
          case 1: text.insert(at, 1, c); break;
          case 2: text.erase(at, 1 + below(3)); break;
          default: text.insert(at, text.substr(below(text.size()), below(8))); break;
        }
        if (text.empty()) text = " ";
      }
      Compare(text);
    }
  }
}

}  // namespace
}  // namespace pocketbert
