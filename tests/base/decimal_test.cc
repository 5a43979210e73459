#include "base/decimal.h"

#include <bit>
#include <catch2/catch_amalgamated.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace pocketbert {
namespace {

std::string Printed(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

void CheckParses(const std::string& text) {
  INFO(text);
  const double expected = std::strtod(text.c_str(), nullptr);
  CHECK(std::bit_cast<uint64_t>(ParseDecimal(text)) == std::bit_cast<uint64_t>(expected));
}

TEST_CASE("decimal numbers that are hard to round") {
  for (const std::string text :
       {"0", "-0", "0.0", "0e5", "0e99999", "1", "-12", "0.1", "0.5", "1e-12", "123456789012345678",
        "9007199254740992", "9007199254740993", "9007199254740994", "9007199254740995",
        "9007199254740993.00000000000000000000000000000001", "1.7976931348623157e308",
        "1.7976931348623158e308", "1.7976931348623159e308", "1e308", "1e309", "-1e999", "1e99999999",
        "2.2250738585072014e-308", "2.2250738585072011e-308", "4.9e-324", "5e-324", "2.5e-324",
        "2.4703282292062327e-324", "2.4703282292062328e-324", "1e-400", "1e-99999999", "1E+2",
        "7.2057594037927933e16", "6.631236846766476e-316", "0.000000000000000000000000000000001",
        "8.5e22", "1e23", "1.0e22", "3.1415926535897932384626433832795028841971693993751"}) {
    CheckParses(text);
  }
  // Exactly half between two doubles, then a bit more, both with hundreds of digits.
  const std::string half = "1.00000000000000011102230246251565404236316680908203125";
  CheckParses(half);
  CheckParses(half + std::string(900, '0') + "1");
  CheckParses("0." + std::string(320, '0') + "123456789");
  CheckParses(std::string(300, '9'));
  CheckParses(std::string(310, '9'));
}

TEST_CASE("numbers of all sizes: read as strtod, written as printf") {
  std::mt19937_64 random(1234);
  for (int trial = 0; trial < 3000; ++trial) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    for (int digits : {1, 4, 9, 15, 16, 17}) {
      const std::string printed = Printed(value, digits);
      CHECK(FormatDecimal(value, digits) == printed);
      CheckParses(printed);
    }
    CHECK(ParseDecimal(FormatDecimal(value, 17)) == value);
  }
  std::uniform_real_distribution<double> small(-1000, 1000);
  for (int trial = 0; trial < 1000; ++trial) {
    const double value = small(random);
    for (int digits : {1, 3, 9, 17}) CHECK(FormatDecimal(value, digits) == Printed(value, digits));
  }
}

TEST_CASE("written numbers at the edges") {
  for (const double value :
       {0.0, -0.0, 1.0, 10.0, 99.5, 100.0, 999.5, 9.5, 0.5, 1.5, 2.5, 1e-4, 1e-5, 9.9999e-5, 0.1,
        1e15, 1e16, 1e17, 1e21, 1e22, 1e23, 123456.0, 5e-324, 1.7976931348623157e308,
        2.2250738585072014e-308, 1.22, 1024.0}) {
    for (int digits = 1; digits <= 17; ++digits) {
      INFO(digits);
      CHECK(FormatDecimal(value, digits) == Printed(value, digits));
      CHECK(FormatDecimal(-value, digits) == Printed(-value, digits));
    }
  }
}

}  // namespace
}  // namespace pocketbert
