#pragma once
// The objects that JavaScript holds: memory, texts, an engine, a model, a tokenizer, an importer. It
// knows each by its handle and owns it until it passes the handle to `destroy`. Handles are numbers,
// because the glue script for Embind's classes would be a twelfth of all script that a page loads.

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "bindings/to_js.h"
#include "io/byte_block.h"
#include "model/folder_texts.h"
#include "model/model.h"
#include "tasks/task_session.h"
#include "tasks/text_block.h"
#include "text/tokenizer.h"

namespace pocketbert {

// The address of an Object. Never 0.
using Handle = size_t;

enum class ObjectKind {
  kByteBuffer,
  kTextBlock,
  kEngine,
  kModel,
  kTokenizer,
  kImporter,
  kTagRun,
  kAnswerRun,
  kPartsRun,
};

struct Object {
  explicit Object(ObjectKind kind) : kind(kind) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  const ObjectKind kind;
};

// Bytes that JavaScript fills or reads in place.
struct ByteBuffer {
  ByteBlock block;
};

// Texts, or pairs of texts, as SplitTexts of tasks/text_block.h takes them.
struct TextBlock {
  ByteBlock bytes;
  std::vector<uint32_t> ends;
  // What a task keeps of a text that takes it several steps. It goes with the texts.
  std::unique_ptr<Object> run = nullptr;

  std::vector<TextPair> Items(size_t first = 0) const {
    return SplitTexts(bytes.bytes(), ends, first);
  }
  // Items as files: text = path, pair = content.
  FolderTexts Files() const;
};

// One per module instance.
struct Engine {
  Engine(size_t threads, size_t max_batch_tokens)
      : pool(threads), max_batch_tokens(max_batch_tokens) {}

  ThreadPool pool;
  size_t max_batch_tokens;
};

struct OpenModel {
  Model model;
  TaskSession session;
};

template <typename T>
extern const ObjectKind kKindOf;
template <>
inline constexpr ObjectKind kKindOf<ByteBuffer> = ObjectKind::kByteBuffer;
template <>
inline constexpr ObjectKind kKindOf<TextBlock> = ObjectKind::kTextBlock;
template <>
inline constexpr ObjectKind kKindOf<Engine> = ObjectKind::kEngine;
template <>
inline constexpr ObjectKind kKindOf<OpenModel> = ObjectKind::kModel;
template <>
inline constexpr ObjectKind kKindOf<Tokenizer> = ObjectKind::kTokenizer;

template <typename T>
struct Holder final : Object {
  template <typename... Parts>
  explicit Holder(Parts&&... parts)
      : Object(kKindOf<T>), value(std::forward<Parts>(parts)...) {}

  T value;
};

// Moves the parts into a new object that JavaScript owns.
template <typename T, typename... Parts>
Handle HandOver(Parts&&... parts) {
  const Object* object = new Holder<T>(std::forward<Parts>(parts)...);
  return reinterpret_cast<Handle>(object);
}

inline Object& ObjectAt(Handle handle) { return *reinterpret_cast<Object*>(handle); }

template <typename T>
T& ValueOf(Object& object) {
  PB_CHECK(object.kind == kKindOf<T>);
  return static_cast<Holder<T>&>(object).value;
}

template <typename T>
T& At(Handle handle) {
  return ValueOf<T>(ObjectAt(handle));
}

// The run of a task on these texts, which are its alone; made for the first step.
template <typename T>
T& RunOn(TextBlock& texts) {
  if (texts.run == nullptr) texts.run = std::make_unique<Holder<T>>();
  return ValueOf<T>(*texts.run);
}

}  // namespace pocketbert
