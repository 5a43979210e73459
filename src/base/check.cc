#include "base/check.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace pocketbert {

// Without printf: its code for numbers would otherwise be in the wasm for this line alone.
void CheckFailed(const char* file, int line, const char* condition) {
  const std::string message =
      std::string(file) + ":" + std::to_string(line) + ": check failed: " + condition + "\n";
  std::fputs(message.c_str(), stderr);
  std::fflush(stderr);
  std::abort();
}

}  // namespace pocketbert

#if defined(_LIBCPP_VERSION)
// libc++ reports its own failed checks through printf; its way to replace that is to define this.
_LIBCPP_BEGIN_NAMESPACE_STD
void __libcpp_verbose_abort(const char* format, ...) {
  ::pocketbert::CheckFailed("libc++", 0, format);
}
_LIBCPP_END_NAMESPACE_STD
#endif
