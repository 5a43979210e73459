#pragma once
// ByteBlock: one owned piece of memory for a file's bytes.

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace pocketbert {

// Uninitialized bytes that begin at a multiple of 64. Moving it keeps the address, so views into it
// stay valid.
class ByteBlock {
 public:
  static constexpr size_t kAlignment = 64;

  ByteBlock() = default;
  // kOutOfMemory if `size` bytes cannot be had; `purpose` ("model.safetensors") is for that
  // message.
  static Result<ByteBlock> Create(uint64_t size, std::string_view purpose);
  ~ByteBlock();
  ByteBlock(ByteBlock&& other) noexcept;
  ByteBlock& operator=(ByteBlock&& other) noexcept;
  ByteBlock(const ByteBlock&) = delete;
  ByteBlock& operator=(const ByteBlock&) = delete;

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  std::span<uint8_t> bytes() { return {data_, size_}; }
  std::span<const uint8_t> bytes() const { return {data_, size_}; }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace pocketbert
