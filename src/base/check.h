#pragma once
// Checks of our own invariants. A failed check is a bug in PocketBERT, never a user's mistake: it
// prints where and what, then stops the program (in wasm: a trap, which the wrapper reports as
// error code `trap`). Errors from outside are values, see result.h.

namespace pocketbert {

// Prints "file:line: check failed: condition" to stderr and stops.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace pocketbert

// In wasm the conditions' texts are left out: they would be a few kilobytes.
#if defined(__wasm__)
#define PB_CONDITION_TEXT(condition) ""
#else
#define PB_CONDITION_TEXT(condition) #condition
#endif

#define PB_CHECK(condition)                                           \
  do {                                                                \
    if (!(condition)) [[unlikely]]                                    \
      ::pocketbert::CheckFailed(__FILE_NAME__, __LINE__,              \
                                PB_CONDITION_TEXT(condition));        \
  } while (false)
