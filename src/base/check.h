#pragma once
// Checks of our own invariants. A failed check is a bug in PocketBERT, never a user's mistake: it
// prints where and what, then stops the program (in wasm: a trap, which the wrapper reports as
// error code `trap`). Errors from outside are values, see result.h.

namespace pocketbert {

// Prints "file:line: check failed: condition" to stderr and stops.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace pocketbert

#define PB_CHECK(condition)                                           \
  do {                                                                \
    if (!(condition)) [[unlikely]]                                    \
      ::pocketbert::CheckFailed(#condition, __FILE__, __LINE__);      \
  } while (false)
