#include "base/workspace.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

namespace pocketbert {

Result<Workspace> Workspace::Create(size_t capacity_bytes) {
  Workspace workspace;
  if (capacity_bytes == 0) return workspace;
  const size_t rounded = BytesFor<uint8_t>(capacity_bytes);
  workspace.block_ = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, rounded));
  if (workspace.block_ == nullptr) {
    return OutOfMemoryError(Message("workspace: no memory for ") + rounded + " bytes");
  }
  workspace.capacity_ = rounded;
  return workspace;
}

Workspace::~Workspace() { std::free(block_); }

Workspace::Workspace(Workspace&& other) noexcept { *this = std::move(other); }

Workspace& Workspace::operator=(Workspace&& other) noexcept {
  std::swap(block_, other.block_);
  std::swap(capacity_, other.capacity_);
  std::swap(used_, other.used_);
  std::swap(high_water_, other.high_water_);
  return *this;
}

void* Workspace::AllocBytes(size_t bytes) {
  PB_CHECK(bytes <= capacity_ - used_);
  void* start = block_ + used_;
  used_ += bytes;
  high_water_ = std::max(high_water_, used_);
  return start;
}

}  // namespace pocketbert
