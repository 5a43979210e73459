#pragma once
// Workspace: one block of scratch memory, handed out in scopes. Nothing is allocated between opening
// a model and an answer; all scratch comes from here.
//
//   Workspace::Scope scope(workspace);
//   TensorView<float> scores = workspace.Alloc<float>(heads, tokens);  // gone when scope ends

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/result.h"
#include "base/tensor.h"

namespace pocketbert {

class Workspace {
 public:
  // Every block begins at a multiple of this many bytes.
  static constexpr size_t kAlignment = 64;

  // The bytes that `count` elements of `T` take, rounded up to the alignment: for sizing formulas.
  template <typename T>
  static constexpr size_t BytesFor(size_t count) {
    return (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  }

  // A workspace without memory.
  Workspace() = default;
  // kOutOfMemory if `capacity_bytes` cannot be had.
  static Result<Workspace> Create(size_t capacity_bytes);
  ~Workspace();
  Workspace(Workspace&& other) noexcept;
  Workspace& operator=(Workspace&& other) noexcept;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // An uninitialized matrix [rows, cols], valid until the scope that is open now ends. Stops if the
  // capacity does not suffice: callers size the workspace beforehand.
  template <typename T>
  TensorView<T> Alloc(size_t rows, size_t cols) {
    return {static_cast<T*>(AllocBytes(BytesFor<T>(rows * cols))), rows, cols};
  }
  template <typename T>
  std::span<T> AllocVector(size_t count) {
    return {static_cast<T*>(AllocBytes(BytesFor<T>(count))), count};
  }

  size_t capacity() const { return capacity_; }
  size_t used() const { return used_; }
  // The most that was ever in use; bytes.
  size_t high_water() const { return high_water_; }

  // Gives back on destruction everything allocated since construction.
  class Scope {
   public:
    explicit Scope(Workspace& workspace) : workspace_(workspace), mark_(workspace.used_) {}
    ~Scope() { workspace_.used_ = mark_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Workspace& workspace_;
    size_t mark_;
  };

 private:
  void* AllocBytes(size_t bytes);

  uint8_t* block_ = nullptr;
  size_t capacity_ = 0;
  size_t used_ = 0;
  size_t high_water_ = 0;
};

}  // namespace pocketbert
