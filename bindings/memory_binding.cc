// Memory and texts.

#include <emscripten/bind.h>
#include <emscripten/heap.h>
#include <malloc.h>

#include "bindings/handles.h"

// Names the module in the file itself, for a loader that is handed a wasm file of its user.
#if defined(POCKETBERT_IMPORT)
__asm__(".section .custom_section.pocketbert,\"\",@\n.ascii \"import\"\n");
#elif defined(POCKETBERT_THREADS)
__asm__(".section .custom_section.pocketbert,\"\",@\n.ascii \"relaxed-mt\"\n");
#elif defined(POCKETBERT_RELAXED_SIMD)
__asm__(".section .custom_section.pocketbert,\"\",@\n.ascii \"relaxed\"\n");
#else
__asm__(".section .custom_section.pocketbert,\"\",@\n.ascii \"simd\"\n");
#endif

namespace pocketbert {
namespace {

using emscripten::typed_memory_view;
using emscripten::val;

NumberReply CreateByteBuffer(size_t byte_length) {
  return ReplyWith<NumberReply>(ByteBlock::Create(byte_length, "buffer"),
                                HandOver<ByteBuffer, ByteBlock>);
}

NumberReply CreateTextBlock(size_t byte_length, size_t items) {
  return ReplyWith<NumberReply>(
      ByteBlock::Create(byte_length, "texts"), [items](ByteBlock block) {
        return HandOver<TextBlock>(std::move(block), std::vector<uint32_t>(2 * items));
      });
}

// Views, valid until memory grows.
Uint8ArrayVal BytesOf(const ByteBlock& block) {
  return Uint8ArrayVal(val(typed_memory_view(block.size(), block.data())));
}

Uint8ArrayVal BufferBytes(Handle buffer) { return BytesOf(At<ByteBuffer>(buffer).block); }

Uint8ArrayVal TextBytes(Handle texts) { return BytesOf(At<TextBlock>(texts).bytes); }

Uint32ArrayVal TextEnds(Handle texts) {
  const std::vector<uint32_t>& ends = At<TextBlock>(texts).ends;
  return Uint32ArrayVal(val(typed_memory_view(ends.size(), ends.data())));
}

void Destroy(Handle handle) { delete &ObjectAt(handle); }

size_t MemoryBytes() { return emscripten_get_heap_size(); }

size_t UsedBytes() { return static_cast<size_t>(mallinfo().uordblks); }

}  // namespace

FolderTexts TextBlock::Files() const {
  FolderTexts files;
  for (const TextPair& item : Items()) {
    files.Add(std::string(item.text), std::string(item.pair.value_or("")));
  }
  return files;
}

EMSCRIPTEN_BINDINGS(memory) {
  using emscripten::function;
  using emscripten::register_type;

  emscripten::value_object<ErrorValue>("ErrorValue")
      .field("errorCode", &ErrorValue::error_code)
      .field("message", &ErrorValue::message);
  register_type<Uint8ArrayVal>("Uint8Array");
  register_type<Int32ArrayVal>("Int32Array");
  register_type<Uint32ArrayVal>("Uint32Array");
  register_type<Float32ArrayVal>("Float32Array");

  register_type<NumberReply>("number | ErrorValue");

  function("createByteBuffer", &CreateByteBuffer);
  function("bufferBytes", &BufferBytes);
  function("createTextBlock", &CreateTextBlock);
  function("textBytes", &TextBytes);
  function("textEnds", &TextEnds);
  function("destroy", &Destroy);

  function("memoryBytes", &MemoryBytes);
  function("usedBytes", &UsedBytes);
}

}  // namespace pocketbert
