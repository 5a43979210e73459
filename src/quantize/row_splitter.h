#pragma once
// RowSplitter: the bytes of one weight file, in chunks of any size, into whole rows of its tensors.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "io/safetensors.h"

namespace pocketbert {

class RowSplitter {
 public:
  // `tensors` in the order of their bytes, without gaps; `row_bytes` [tensors]: length of a row,
  // which divides the tensor's bytes, or 0 to pass over the tensor. Both must outlive the splitter.
  RowSplitter(std::span<const TensorInfo> tensors, std::span<const size_t> row_bytes)
      : tensors_(tensors), row_bytes_(row_bytes) {}

  // The next bytes of the data section. Calls on_row(tensor index, row, bytes of the row) → Status
  // for every row that is now complete; the bytes are valid during the call only and may lie at any
  // address. Bytes beyond the last tensor are an error of the caller (checked).
  template <typename OnRow>
  Status Feed(std::span<const uint8_t> bytes, OnRow&& on_row) {
    while (!bytes.empty()) {
      while (tensor_ < tensors_.size() && tensors_[tensor_].end == position_) NextTensor();
      PB_CHECK(tensor_ < tensors_.size());
      const uint64_t rest = tensors_[tensor_].end - position_;
      const std::span<const uint8_t> piece =
          bytes.first(static_cast<size_t>(std::min<uint64_t>(rest, bytes.size())));
      bytes = bytes.subspan(piece.size());
      position_ += piece.size();
      if (row_bytes_[tensor_] != 0) PB_RETURN_IF_ERROR(FeedTensor(piece, on_row));
    }
    return Done{};
  }

  // Bytes of an incomplete row that are kept.
  size_t held_bytes() const { return carry_.capacity(); }

 private:
  template <typename OnRow>
  Status FeedTensor(std::span<const uint8_t> piece, OnRow&& on_row) {
    const size_t row_bytes = row_bytes_[tensor_];
    while (!piece.empty()) {
      std::span<const uint8_t> row = piece;
      if (carry_.empty() && piece.size() >= row_bytes) {
        row = piece.first(row_bytes);
        piece = piece.subspan(row_bytes);
      } else {
        const size_t taken = std::min(row_bytes - carry_.size(), piece.size());
        carry_.insert(carry_.end(), piece.begin(), piece.begin() + static_cast<ptrdiff_t>(taken));
        piece = piece.subspan(taken);
        if (carry_.size() < row_bytes) return Done{};
        row = carry_;
      }
      PB_RETURN_IF_ERROR(on_row(tensor_, row_++, row));
      carry_.clear();
    }
    return Done{};
  }

  void NextTensor() {
    ++tensor_;
    row_ = 0;
  }

  std::span<const TensorInfo> tensors_;
  std::span<const size_t> row_bytes_;
  uint64_t position_ = 0;  // in the data section
  size_t tensor_ = 0;
  size_t row_ = 0;
  std::vector<uint8_t> carry_;
};

}  // namespace pocketbert
