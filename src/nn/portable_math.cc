#include "nn/portable_math.h"

#include <bit>
#include <cstdint>

namespace pocketbert {
namespace {

// ln 2 and pi / 2 in two parts each: the first has so few bits that its multiples by the numbers
// that occur here are exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kHalfPiHigh = 0x1.921fb544p+0;
constexpr double kHalfPiLow = 0x1.0b4611a626331p-34;

// Nearest integer, ties to even, for |x| < 2^51: adding 1.5 * 2^52 pushes the fraction out.
double Round(double x) {
  constexpr double kMagic = 0x1.8p52;
  return (x + kMagic) - kMagic;
}

// sum of the Taylor series of sine (first = 1) or cosine (first = 0) at r, |r| <= pi / 4.
double TrigonometricSeries(double r, int first) {
  const double square = r * r;
  double sum = 0;
  for (int n = first + 16; n >= first + 2; n -= 2) {
    sum = square * (1 - sum) / static_cast<double>((n - 1) * n);
  }
  // sum = 1 - (1 - x^2/(2·3) + …) for sine without its factor r, likewise for cosine.
  return first == 1 ? r * (1 - sum) : 1 - sum;
}

}  // namespace

double PortableExp(double x) {
  const double n = Round(x / (kLn2High + kLn2Low));
  const double r = (x - n * kLn2High) - n * kLn2Low;
  double sum = 1;
  for (int k = 16; k >= 1; --k) sum = 1 + sum * r / static_cast<double>(k);
  const uint64_t exponent = static_cast<uint64_t>(1023 + static_cast<int64_t>(n));
  return sum * std::bit_cast<double>(exponent << 52);
}

double PortableLog(double x) {
  constexpr uint64_t kMantissa = (uint64_t{1} << 52) - 1;
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  int64_t exponent = static_cast<int64_t>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & kMantissa) | (uint64_t{1023} << 52));  // in [1, 2)
  if (m > 1.4142135) {
    m /= 2;
    ++exponent;
  }
  // ln m = 2 artanh(s) = 2 (s + s^3/3 + s^5/5 + …), |s| < 0.172.
  const double s = (m - 1) / (m + 1);
  double sum = 0;
  for (int k = 23; k >= 3; k -= 2) sum = (sum + 1 / static_cast<double>(k)) * (s * s);
  const double n = static_cast<double>(exponent);
  return n * kLn2High + (n * kLn2Low + 2 * (s + s * sum));
}

SineCosine PortableSineCosine(double x) {
  const double n = Round(x / (kHalfPiHigh + kHalfPiLow));
  const double r = (x - n * kHalfPiHigh) - n * kHalfPiLow;
  const double sine = TrigonometricSeries(r, 1);
  const double cosine = TrigonometricSeries(r, 0);
  switch (static_cast<int64_t>(n) & 3) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
  }
}

}  // namespace pocketbert
