#pragma once
// Decimal text to double and back, correctly rounded, without the C library's versions: those
// compute in 128-bit floating point, which in wasm is 25 kB of software.

#include <string>
#include <string_view>

namespace pocketbert {

// The double nearest to a decimal number (ties to even), e.g. "-12", "0.5", "1e-12". `text` must
// have the form of a JSON number. Beyond the largest double: infinity.
double ParseDecimal(std::string_view text);

// A finite value with `digits` significant digits (1 to 17), rounded to nearest, as printf's %g
// prints it: 0.1, 1e-05, 1.5e+300; zeros at the end are left out.
std::string FormatDecimal(double value, int digits);

}  // namespace pocketbert
