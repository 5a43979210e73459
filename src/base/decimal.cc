#include "base/decimal.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/check.h"

namespace pocketbert {
namespace {

constexpr int kMantissaBits = 53;
constexpr int kLeastExponent = -1074;  // of the last bit of the smallest doubles
constexpr int kMostDecimalExponent = 400;  // far beyond what a double holds
// The longest tie between two doubles has 767 digits: of what follows, only whether it is 0 counts.
constexpr size_t kMostDigits = 800;

// A natural number of any size, least limb first.
class Natural {
 public:
  explicit Natural(uint64_t value) {
    for (; value != 0; value >>= 32) limbs_.push_back(static_cast<uint32_t>(value));
  }

  bool IsZero() const { return limbs_.empty(); }

  int Bits() const {
    if (IsZero()) return 0;
    return static_cast<int>(32 * limbs_.size()) - std::countl_zero(limbs_.back());
  }

  void MultiplyAdd(uint32_t factor, uint32_t summand) {
    uint64_t carry = summand;
    for (uint32_t& limb : limbs_) {
      carry += uint64_t{limb} * factor;
      limb = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs_.push_back(static_cast<uint32_t>(carry));
  }

  void MultiplyByPowerOfTen(int exponent) {
    for (; exponent > 0; --exponent) MultiplyAdd(10, 0);
  }

  void ShiftLeft(int bits) {
    if (IsZero()) return;
    MultiplyAdd(uint32_t{1} << (bits % 32), 0);
    limbs_.insert(limbs_.begin(), static_cast<size_t>(bits / 32), 0);
  }

  bool IsAtLeast(const Natural& other) const {
    if (limbs_.size() != other.limbs_.size()) return limbs_.size() > other.limbs_.size();
    for (size_t i = limbs_.size(); i-- > 0;) {
      if (limbs_[i] != other.limbs_[i]) return limbs_[i] > other.limbs_[i];
    }
    return true;
  }

  // `other` must not be greater.
  void Subtract(const Natural& other) {
    uint64_t borrow = 0;
    for (size_t i = 0; i < limbs_.size(); ++i) {
      const uint64_t taken = (i < other.limbs_.size() ? other.limbs_[i] : 0) + borrow;
      borrow = limbs_[i] < taken ? 1 : 0;
      limbs_[i] = static_cast<uint32_t>(limbs_[i] - taken);
    }
    while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  }

 private:
  std::vector<uint32_t> limbs_;
};

// numerator / denominator, rounded to a natural number (ties to even) that must fit 63 bits.
uint64_t DivideRounded(Natural numerator, Natural denominator) {
  const int shift = std::max(numerator.Bits() - denominator.Bits(), 0);
  PB_CHECK(shift < 63);
  denominator.ShiftLeft(shift);
  // Long division: `numerator` doubles where the denominator would be halved.
  uint64_t quotient = 0;
  for (int i = 0; i <= shift; ++i) {
    quotient *= 2;
    if (numerator.IsAtLeast(denominator)) {
      numerator.Subtract(denominator);
      ++quotient;
    }
    numerator.ShiftLeft(1);
  }
  // `numerator` is now twice the remainder.
  if (numerator.IsAtLeast(denominator)) {
    const bool tie = denominator.IsAtLeast(numerator);
    if (!tie || quotient % 2 == 1) ++quotient;
  }
  return quotient;
}

// value = mantissa * 2^exponent.
double Compose(uint64_t mantissa, int exponent) {
  if (mantissa == 0) return 0;
  const int lead = exponent + std::bit_width(mantissa) - 1;
  if (lead > 1023) return std::numeric_limits<double>::infinity();
  if (lead < -1022) return std::bit_cast<double>(mantissa << (exponent - kLeastExponent));
  // Rounding up may have made it 2^53, one bit more.
  mantissa = std::bit_width(mantissa) > kMantissaBits
                 ? mantissa >> 1
                 : mantissa << (kMantissaBits - std::bit_width(mantissa));
  const uint64_t biased = static_cast<uint64_t>(lead + 1023);
  return std::bit_cast<double>((biased << 52) | (mantissa & ((uint64_t{1} << 52) - 1)));
}

// digits * 10^exponent, rounded to a double.
double Scale(const Natural& digits, int exponent) {
  if (digits.IsZero()) return 0;
  Natural numerator = digits, denominator(1);
  numerator.MultiplyByPowerOfTen(exponent);
  denominator.MultiplyByPowerOfTen(-exponent);
  // So that the quotient has 53 or 54 bits, or fewer where doubles have fewer.
  const int quotient_bits = numerator.Bits() - denominator.Bits();
  int shift = std::max(quotient_bits - kMantissaBits, kLeastExponent);
  for (int attempt = 0;; ++attempt) {
    Natural above = numerator, below = denominator;
    above.ShiftLeft(std::max(-shift, 0));
    below.ShiftLeft(std::max(shift, 0));
    const uint64_t quotient = DivideRounded(std::move(above), std::move(below));
    if (std::bit_width(quotient) <= kMantissaBits || attempt == 1) return Compose(quotient, shift);
    ++shift;
  }
}

// Reads the digits of an exponent; far too large ones stay in the range of an int.
int ReadExponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int exponent = 0;
  for (const char c : text) exponent = std::min(exponent * 10 + (c - '0'), 1 << 20);
  return negative ? -exponent : exponent;
}

}  // namespace

double ParseDecimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  Natural digits(0);
  uint64_t few_digits = 0;  // the number's digits while they fit
  size_t significant = 0;
  int exponent = 0;
  bool in_fraction = false, more = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      in_fraction = true;
    } else if (c == 'e' || c == 'E') {
      exponent += ReadExponent(text.substr(i + 1));
      break;
    } else {
      if (significant > 0 || c != '0') ++significant;
      const bool kept = significant <= kMostDigits;
      if (kept) digits.MultiplyAdd(10, static_cast<uint32_t>(c - '0'));
      if (!kept && c != '0') more = true;
      if (significant <= 15) few_digits = few_digits * 10 + static_cast<uint64_t>(c - '0');
      exponent += (kept ? 0 : 1) - (in_fraction ? 1 : 0);
    }
  }
  if (more) {
    digits.MultiplyAdd(10, 1);
    --exponent;
  }
  double value = 0;
  const int magnitude = exponent + static_cast<int>(std::min(significant, kMostDigits));
  if (significant <= 15 && exponent == 0) {
    value = static_cast<double>(few_digits);
  } else if (magnitude > kMostDecimalExponent) {
    value = significant == 0 ? 0 : std::numeric_limits<double>::infinity();
  } else if (magnitude > -kMostDecimalExponent) {
    value = Scale(digits, exponent);
  }
  return negative ? -value : value;
}

std::string FormatDecimal(double value, int digits) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  std::string text = bits >> 63 ? "-" : "";
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  PB_CHECK(biased != 0x7ff && digits >= 1 && digits <= 17);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  const uint64_t mantissa = biased == 0 ? fraction : fraction | uint64_t{1} << 52;
  const int binary_exponent = std::max(biased, 1) - 1075;
  if (mantissa == 0) return text + "0";

  uint64_t limit = 1;  // 10^digits
  for (int i = 0; i < digits; ++i) limit *= 10;
  // `exponent` is that of the first digit: an estimate, corrected below.
  const int lead = binary_exponent + std::bit_width(mantissa) - 1;
  int exponent = lead * 1233 / 4096 - (lead < 0 ? 1 : 0);  // 1233 / 4096 is about log10(2)
  uint64_t decimal = 0;
  for (bool fits = false; !fits;) {
    const int power = digits - 1 - exponent;
    Natural numerator(mantissa), denominator(1);
    numerator.ShiftLeft(std::max(binary_exponent, 0));
    denominator.ShiftLeft(std::max(-binary_exponent, 0));
    numerator.MultiplyByPowerOfTen(power);
    denominator.MultiplyByPowerOfTen(-power);
    decimal = DivideRounded(std::move(numerator), std::move(denominator));
    if (decimal >= limit) ++exponent;
    if (decimal < limit / 10) --exponent;
    fits = decimal < limit && decimal >= limit / 10;
  }

  std::string shown = std::to_string(decimal);
  while (shown.size() > 1 && shown.back() == '0') shown.pop_back();
  if (exponent < -4 || exponent >= digits) {
    if (shown.size() > 1) shown.insert(1, ".");
    const std::string power = std::to_string(exponent < 0 ? -exponent : exponent);
    return text + shown + (exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
  }
  if (exponent < 0) {
    return text + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + shown;
  }
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (shown.size() <= whole) return text + shown + std::string(whole - shown.size(), '0');
  return text + shown.insert(whole, ".");
}

}  // namespace pocketbert
