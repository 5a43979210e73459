#include "text/unicode_tables.h"

#include <catch2/catch_amalgamated.hpp>
#include <string>
#include <vector>

namespace pocketbert {
namespace {

std::vector<char32_t> Parts(char32_t c, bool compatibility) {
  char32_t parts[kLongestDecomposition];
  const size_t count = Decompose(c, compatibility, parts);
  return {parts, parts + count};
}

TEST_CASE("classes of some code points") {
  CHECK(CharClass(' ') == kWhiteSpace);
  CHECK(CharClass('a') == kWordChar);
  CHECK((CharClass('A') & kMapped) != 0);
  CHECK(CharClass('$') == kPunctuation);
  CHECK((CharClass('7') & kNumeric) != 0);
  CHECK((CharClass(0xB2) & kNumeric) != 0);       // superscript two
  CHECK((CharClass(0x200B) & kControl) != 0);     // zero width space
  CHECK((CharClass(0xFFFD) & kControl) != 0);
  CHECK((CharClass(0x301) & kNonspacing) != 0);
  CHECK((CharClass(0x166D) & kPunctuation) != 0); // a symbol by now
  CHECK((CharClass(0x2E5D) & kPunctuation) == 0); // newer than the reference's table
  CHECK((CharClass(0x1F600) & kWordChar) == 0);
  CHECK((CharClass(0x10FFFD) & kControl) != 0);   // private use
  CHECK(CharClass(0xE0FFF) == 0);
}

TEST_CASE("ideographs, with the gap that the reference has") {
  for (const char32_t c : {0x4E00, 0x9FFF, 0x3400, 0x4DBF, 0xF900, 0xFAFF, 0x20000, 0x2A6DF,
                           0x2A700, 0x2B81F, 0x2B920, 0x2CEAF, 0x2F800, 0x2FA1F}) {
    CHECK(IsIdeograph(c));
  }
  for (const char32_t c :
       {0x3042, 0xAC00, 0x4DC0, 0xA000, 0x2B820, 0x2B91F, 0x2CEB0, 0x30000, 0x41}) {
    CHECK_FALSE(IsIdeograph(c));
  }
}

TEST_CASE("decompositions and compositions") {
  using Points = std::vector<char32_t>;
  CHECK(Parts('a', true) == Points{'a'});
  CHECK(Parts(0xE9, false) == Points{'e', 0x301});
  CHECK(Parts(0x1E69, false) == Points{'s', 0x323, 0x307});
  CHECK(Parts(0xFB01, false) == Points{0xFB01});
  CHECK(Parts(0xFB01, true) == Points{'f', 'i'});
  CHECK(Parts(0xAC01, false) == Points{0x1100, 0x1161, 0x11A8});
  CHECK(Parts(0xAC00, false) == Points{0x1100, 0x1161});
  CHECK(Parts(0xD7A3, true) == Points{0x1112, 0x1175, 0x11C2});
  CHECK(Parts(0xFDFA, true).size() == kLongestDecomposition);
  CHECK(Parts(0x2F800, false) == Points{0x4E3D});
  CHECK(Parts(0x1D15E, false) == Points{0x1D157, 0x1D165});
  CHECK(Compose('e', 0x301) == 0xE9);
  CHECK(Compose(0x1E63, 0x307) == 0x1E69);
  CHECK(Compose(0x1100, 0x1161) == 0xAC00);
  CHECK(Compose(0xAC00, 0x11A8) == 0xAC01);
  CHECK(Compose(0xAC00, 0x11A7) == 0);       // the base of tails is none
  CHECK(Compose(0xAC01, 0x11A8) == 0);
  CHECK(Compose(0x11099, 0x110BA) == 0x1109A);
  CHECK(Compose(0x915, 0x93C) == 0);         // excluded from composition
  CHECK(Compose('a', 'b') == 0);
}

TEST_CASE("lower case and combining classes") {
  CHECK(LowerCase('A') == 'a');
  CHECK(LowerCase('[') == '[');
  CHECK(LowerCase(0x3A3) == 0x3C3);
  CHECK(LowerCase(0x130) == 'i');
  CHECK(LowerCase(0x1E9E) == 0xDF);
  CHECK(LowerCase(0x10400) == 0x10428);
  CHECK(LowerCase(0x1C4) == 0x1C6);
  CHECK(LowerCase(0x1C5) == 0x1C6);
  CHECK(LowerCase(0x2160) == 0x2170);
  CHECK(LowerCase(0x10FFFF) == 0x10FFFF);
  CHECK(CombiningClass('a') == 0);
  CHECK(CombiningClass(0x301) == 230);
  CHECK(CombiningClass(0x323) == 220);
  CHECK(CombiningClass(0x345) == 240);
  CHECK(CombiningClass(0x5B0) == 10);
  CHECK(CombiningClass(0x3099) == 8);
  CHECK(CombiningClass(0x1D16D) == 226);
  CHECK(CombiningClass(0) == 0);
}

}  // namespace
}  // namespace pocketbert
