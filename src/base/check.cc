#include "base/check.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace pocketbert {

// Without printf: its code for numbers would otherwise be in the wasm for this line alone.
void CheckFailed(const char* condition, const char* file, int line) {
  const std::string message =
      std::string(file) + ":" + std::to_string(line) + ": check failed: " + condition + "\n";
  std::fputs(message.c_str(), stderr);
  std::fflush(stderr);
  std::abort();
}

}  // namespace pocketbert
