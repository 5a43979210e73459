#include "io/byte_block.h"

#include <cstdlib>
#include <string>
#include <utility>

namespace pocketbert {

Result<ByteBlock> ByteBlock::Create(uint64_t size, std::string_view purpose) {
  ByteBlock block;
  const uint64_t rounded = (size / kAlignment + 1) * kAlignment;
  if (rounded <= SIZE_MAX / 2) {
    block.data_ =
        static_cast<uint8_t*>(std::aligned_alloc(kAlignment, static_cast<size_t>(rounded)));
  }
  if (block.data_ == nullptr) {
    return OutOfMemoryError(Message(purpose) + ": no memory for " + size + " bytes");
  }
  block.size_ = static_cast<size_t>(size);
  return block;
}

ByteBlock::~ByteBlock() { std::free(data_); }

ByteBlock::ByteBlock(ByteBlock&& other) noexcept { *this = std::move(other); }

ByteBlock& ByteBlock::operator=(ByteBlock&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace pocketbert
