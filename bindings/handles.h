#pragma once
// The objects that JavaScript holds by handle: memory, texts, an engine, a model, a tokenizer, an
// importer. Each handle has one owner, who calls delete().

#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

// Bytes that JavaScript fills or reads in place.
struct ByteBuffer {
  ByteBlock block;

  // A view, valid until memory grows.
  Uint8ArrayVal Bytes();
};

// Texts, or pairs of texts, as SplitTexts of tasks/text_block.h takes them.
struct TextBlock {
  ByteBlock bytes;
  std::vector<uint32_t> ends;

  Uint8ArrayVal Bytes();
  Uint32ArrayVal Ends();
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

}  // namespace pocketbert
