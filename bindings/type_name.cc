// Embind names a type that was never registered by the address of its type information, and prints
// that with the C library's siprintf: 4 kB of code in every module, for this one call. Here is a
// siprintf that does that and nothing else; the linker takes it in place of the library's.

#include <cstdarg>
#include <cstdint>

#include "base/check.h"

extern "C" int siprintf(char* text, const char* format, ...) {
  PB_CHECK(format[0] == '%' && format[1] == 'p' && format[2] == '\0');
  va_list arguments;
  va_start(arguments, format);
  const auto address = reinterpret_cast<uintptr_t>(va_arg(arguments, void*));
  va_end(arguments);
  char* end = text;
  *end++ = '0';
  *end++ = 'x';
  for (int shift = 28; shift >= 0; shift -= 4) *end++ = "0123456789abcdef"[address >> shift & 15];
  *end = '\0';
  return static_cast<int>(end - text);
}
