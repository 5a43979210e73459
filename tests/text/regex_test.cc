#include "text/regex.h"

#include <catch2/catch_amalgamated.hpp>
#include <string>

namespace pocketbert {
namespace {

// The matches in `text`, parted by "|".
std::string Matches(std::string_view pattern, std::string_view text) {
  auto regex = Regex::Compile(pattern);
  if (!regex.ok()) FAIL(regex.error().message);
  std::vector<Piece> places;
  REQUIRE(regex.value().FindAll(text, places).ok());
  std::string joined;
  for (size_t i = 0; i < places.size(); ++i) {
    if (i > 0) joined += "|";
    joined += text.substr(places[i].begin, places[i].end - places[i].begin);
  }
  return joined;
}

Error Failure(std::string_view pattern) {
  auto regex = Regex::Compile(pattern);
  INFO(pattern);
  REQUIRE_FALSE(regex.ok());
  return regex.error();
}

TEST_CASE("the first way in the pattern's order matches, not the longest") {
  CHECK(Matches("a|ab", "ab ab") == "a|a");
  CHECK(Matches("(?:a|ab)c", "abc") == "abc");
  CHECK(Matches("ab?b", "ab abb") == "ab|abb");
  CHECK(Matches("a*?b", "aab b") == "aab|b");
  CHECK(Matches("a{2}", "aaaaa") == "aa|aa");
  CHECK(Matches("a{2,3}", "aaaaa") == "aaa|aa");
  CHECK(Matches("a{,2}b", "aaab") == "aab");
  CHECK(Matches("a{2,}?", "aaaaa") == "aa|aa");
  CHECK(Matches("a{x}", "a{x}") == "a{x}");  // no count: text like any other
  CHECK(Matches("(ab){1,2}c", "ababc abc c") == "ababc|abc");
  CHECK(Matches("(?:ab|a)+c", "aabac") == "aabac");
}

// Oniguruma: ?+ *+ ++ give nothing back, but {1,3}+ repeats the group.
TEST_CASE("possessive loops and atomic groups give nothing back") {
  CHECK(Matches("a++a", "aaa") == "");
  CHECK(Matches("a+a", "aaa") == "aaa");
  CHECK(Matches("(?>a|ab)c", "abc") == "");
  CHECK(Matches("(?:a|ab)?+c", "abc") == "c");
  CHECK(Matches("[0-9]{1,3}+", "12345") == "12345");
  CHECK(Matches("(?:[0-9]x?){1,2}+y", "123x4y") == "123x4y");
}

TEST_CASE("places") {
  CHECK(Matches("^a|b$", "a\nab\nb") == "a|a|b|b");  // of lines
  CHECK(Matches("\\Aa|b\\z", "a\nab\nb") == "a|b");
  CHECK(Matches("b\\Z", "b\nb\n") == "b");
  CHECK(Matches("\\bab\\b", "ab cab ab_ ab") == "ab|ab");
  CHECK(Matches("\\Bb", "ab b") == "b");
  CHECK(Matches("a(?=b)", "ab ac") == "a");
  CHECK(Matches("a(?!b|$)", "ab ac a") == "a");
  CHECK(Matches("(?<=\\s)a|(?<!x)b", "a a xb b") == "a|b");
  CHECK(Matches("\\s+(?!\\S)|\\s+", "a   b  ") == "  | |  ");
}

TEST_CASE("classes") {
  CHECK(Matches("[a-c\\d]+", "ab1d٣") == "ab1|٣");
  CHECK(Matches("[^\\s\\p{L}]+", "a1! é?") == "1!|?");
  CHECK(Matches("\\p{Lu}\\P{Lu}*", "AbCÉé") == "Ab|C|Éé");
  CHECK(Matches("\\p{^L}", "a1") == "1");
  CHECK(Matches("[a[bc]]+[x-]", "abc-cx") == "abc-|cx");
}

TEST_CASE("escapes and characters") {
  CHECK(Matches("\\x41\\x{1F600}\\u00e9", "A😀é") == "A😀é");
  CHECK(Matches("\\h+", "0fG g9") == "0f|9");
  CHECK(Matches(".+", "ab\ncd") == "ab|cd");
  CHECK(Matches("(?m:.)+", "ab\ncd") == "ab\ncd");
  CHECK(Matches("\\.\\*\\[", ".*[") == ".*[");
  CHECK(Matches("[[:space:]]+|[[:punct:]]", "a \t.+") == " \t|.|+");
  CHECK(Matches("\\w+", "a_²\u200Db") == "a_²|b");
}

TEST_CASE("case is ignored for ASCII letters and what folds to them") {
  CHECK(Matches("(?i:'s|k)", "'S 'ſ 's k K") == "'S|'ſ|'s|k|K");
  CHECK(Matches("(?i)[a-c]+", "aBcD") == "aBc");
  CHECK(Matches("(?i:a)b", "Ab AB") == "Ab");
}

TEST_CASE("empty matches") {
  std::vector<Piece> places;
  REQUIRE(Regex::Compile("(?=b)").value().FindAll("abb", places).ok());
  CHECK(places == std::vector<Piece>{{1, 1}, {2, 2}});
  places.clear();
  REQUIRE(Regex::Compile("a*").value().FindAll("aab", places).ok());
  CHECK(places == std::vector<Piece>{{0, 2}, {3, 3}});
}

TEST_CASE("what is not supported is refused by name") {
  for (const char* pattern : {"(a)\\1", "[a&&b]", "\\X", "\\R", "\\G", "(?<=ab)c", "(?<n>a)",
                              "(?#a)", "(a*)*", "(?:a?)+", "\\p{Greek}", "(?i:é)", "a(?i)b",
                              "^*", "a{2}?",
                              "[[:alpha:]]", "[a[^b]]", "[]a]", "a{1001}", "(?i:\\p{Lu})"}) {
    CHECK(Failure(pattern).code == ErrorCode::kUnsupported);
    CHECK(Failure(pattern).message.find(pattern) != std::string::npos);
  }
  for (const char* pattern : {"(a", "a)", "[a", "a\\", "*a", "\\x{110000}", "\\uD800", "\\p",
                              "[b-a]", "(?=a"}) {
    CHECK(Failure(pattern).code == ErrorCode::kFormat);
  }
}

TEST_CASE("patterns beyond all measure are refused") {
  CHECK(Failure(std::string(2000, '(') + std::string(2000, ')')).code == ErrorCode::kUnsupported);
  CHECK(Failure("((((a{900}){900}){900}){900}){900}").message.find("too large") !=
        std::string::npos);
  CHECK(Failure(std::string(100000, 'a')).message.find("too large") != std::string::npos);
  std::string nested = "[";
  for (int i = 0; i < 1000; ++i) nested += "[";
  CHECK_FALSE(Regex::Compile(nested).ok());
}

// A backtracking search would take 2^n steps.
TEST_CASE("a search of too many steps is given up on") {
  const Regex regex = Regex::Compile("(?:a+a+)+b").value();
  std::vector<Piece> places;
  const auto status = regex.FindAll(std::string(5000, 'a'), places);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::kTooLong);
  CHECK(status.error().message.find("(?:a+a+)+b") != std::string::npos);
}

// As many bytes are left to a match as the pattern wants: all of a long run.
TEST_CASE("long runs are matched within the steps allowed") {
  std::vector<Piece> places;
  const std::string letters(1 << 20, 'a');
  const char* const pattern = "(?i:'s)|[^\\r\\n\\p{L}]?\\p{L}+|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
  REQUIRE(Regex::Compile(pattern).value().FindAll(letters, places).ok());
  CHECK(places == std::vector<Piece>{{0, 1 << 20}});
  places.clear();
  REQUIRE(Regex::Compile(pattern).value().FindAll(std::string(1 << 20, ' '), places).ok());
  CHECK(places == std::vector<Piece>{{0, 1 << 20}});
  places.clear();
  const Regex groups = Regex::Compile("(?:\\p{L}\\p{M}*)+").value();
  REQUIRE(groups.FindAll(letters.substr(0, 300000), places).ok());
  CHECK(places == std::vector<Piece>{{0, 300000}});
}

}  // namespace
}  // namespace pocketbert
