#pragma once
// How values cross from C++ to JavaScript: results as themselves or as an ErrorValue, arrays copied
// once into typed arrays that JavaScript owns.

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace pocketbert {

EMSCRIPTEN_DECLARE_VAL_TYPE(Uint8ArrayVal);
EMSCRIPTEN_DECLARE_VAL_TYPE(Int32ArrayVal);
EMSCRIPTEN_DECLARE_VAL_TYPE(Uint32ArrayVal);
EMSCRIPTEN_DECLARE_VAL_TYPE(Float32ArrayVal);
// A number (a handle, see handles.h, or a size) or an ErrorValue.
EMSCRIPTEN_DECLARE_VAL_TYPE(NumberReply);

// What a function returns in place of its value: told apart by the property `errorCode`.
struct ErrorValue {
  std::string error_code;
  std::string message;
};

inline emscripten::val ToJs(const Error& error) {
  return emscripten::val(ErrorValue{std::string(ErrorCodeName(error.code)), error.message});
}

// A typed array of JavaScript's own, e.g. CopyToJs<Float32ArrayVal>(vector<float>).
template <typename ArrayVal, typename T>
ArrayVal CopyToJs(const std::vector<T>& values) {
  return ArrayVal(emscripten::val(emscripten::typed_memory_view(values.size(), values.data()))
                      .template call<emscripten::val>("slice"));
}

// `Reply` is a val type declared as "Value | ErrorValue"; `convert` makes the value from a T&&.
template <typename Reply, typename T, typename Convert>
Reply ReplyWith(Result<T> result, const Convert& convert) {
  if (!result.ok()) return Reply(ToJs(result.error()));
  return Reply(emscripten::val(convert(std::move(result).value())));
}

}  // namespace pocketbert
