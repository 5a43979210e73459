// Memory and texts.

#include <emscripten/bind.h>
#include <emscripten/heap.h>
#include <malloc.h>

#include <memory>

#include "bindings/handles.h"

// Names the variant in the file itself, for a loader that is handed a wasm file of its user.
#if defined(POCKETBERT_THREADS)
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

EMSCRIPTEN_DECLARE_VAL_TYPE(ByteBufferReply);
EMSCRIPTEN_DECLARE_VAL_TYPE(TextBlockReply);

ByteBufferReply CreateByteBuffer(size_t byte_length) {
  return ReplyWith<ByteBufferReply>(
      ByteBlock::Create(byte_length, "buffer"), [](ByteBlock block) {
        return std::make_unique<ByteBuffer>(ByteBuffer{std::move(block)});
      });
}

TextBlockReply CreateTextBlock(size_t byte_length, size_t items) {
  return ReplyWith<TextBlockReply>(
      ByteBlock::Create(byte_length, "texts"), [items](ByteBlock block) {
        return std::make_unique<TextBlock>(
            TextBlock{std::move(block), std::vector<uint32_t>(2 * items)});
      });
}

size_t MemoryBytes() { return emscripten_get_heap_size(); }

size_t UsedBytes() { return static_cast<size_t>(mallinfo().uordblks); }

}  // namespace

Uint8ArrayVal ByteBuffer::Bytes() {
  return Uint8ArrayVal(val(typed_memory_view(block.size(), block.data())));
}

Uint8ArrayVal TextBlock::Bytes() {
  return Uint8ArrayVal(val(typed_memory_view(bytes.size(), bytes.data())));
}

Uint32ArrayVal TextBlock::Ends() {
  return Uint32ArrayVal(val(typed_memory_view(ends.size(), ends.data())));
}

FolderTexts TextBlock::Files() const {
  FolderTexts files;
  for (const TextPair& item : Items()) {
    files.Add(std::string(item.text), std::string(item.pair.value_or("")));
  }
  return files;
}

EMSCRIPTEN_BINDINGS(memory) {
  using emscripten::class_;
  using emscripten::function;
  using emscripten::register_type;

  emscripten::value_object<ErrorValue>("ErrorValue")
      .field("errorCode", &ErrorValue::error_code)
      .field("message", &ErrorValue::message);
  register_type<Int8ArrayVal>("Int8Array");
  register_type<Uint8ArrayVal>("Uint8Array");
  register_type<Int32ArrayVal>("Int32Array");
  register_type<Uint32ArrayVal>("Uint32Array");
  register_type<Float32ArrayVal>("Float32Array");

  class_<ByteBuffer>("ByteBuffer").function("bytes", &ByteBuffer::Bytes);
  register_type<ByteBufferReply>("ByteBuffer | ErrorValue");
  function("createByteBuffer", &CreateByteBuffer);

  class_<TextBlock>("TextBlock")
      .function("bytes", &TextBlock::Bytes)
      .function("ends", &TextBlock::Ends);
  register_type<TextBlockReply>("TextBlock | ErrorValue");
  function("createTextBlock", &CreateTextBlock);

  function("memoryBytes", &MemoryBytes);
  function("usedBytes", &UsedBytes);
}

}  // namespace pocketbert
