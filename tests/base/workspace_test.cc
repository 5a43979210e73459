#include "base/workspace.h"

#include <cstdint>

#include "base/session.h"
#include "catch2/catch_amalgamated.hpp"

namespace pocketbert {
namespace {

Workspace MakeWorkspace(size_t bytes) {
  Result<Workspace> workspace = Workspace::Create(bytes);
  REQUIRE(workspace.ok());
  return std::move(workspace).value();
}

TEST_CASE("Blocks are aligned, disjoint and inside the capacity", "[workspace]") {
  Workspace workspace = MakeWorkspace(1024);
  Workspace::Scope scope(workspace);
  TensorView<float> first = workspace.Alloc<float>(3, 5);
  TensorView<uint8_t> second = workspace.Alloc<uint8_t>(1, 1);
  CHECK(reinterpret_cast<uintptr_t>(first.data) % Workspace::kAlignment == 0);
  CHECK(reinterpret_cast<uintptr_t>(second.data) % Workspace::kAlignment == 0);
  CHECK(reinterpret_cast<uint8_t*>(first.data + 15) <= second.data);
  CHECK(workspace.used() == 128);
}

TEST_CASE("A scope gives back what was allocated in it, and only that", "[workspace]") {
  Workspace workspace = MakeWorkspace(512);
  Workspace::Scope outer(workspace);
  float* kept = workspace.Alloc<float>(1, 16).data;
  float* inner_first;
  {
    Workspace::Scope inner(workspace);
    inner_first = workspace.Alloc<float>(1, 64).data;
    CHECK(workspace.used() == 64 + 256);
  }
  CHECK(workspace.used() == 64);
  CHECK(workspace.Alloc<float>(1, 64).data == inner_first);
  CHECK(kept != inner_first);
  CHECK(workspace.high_water() == 64 + 256);
}

TEST_CASE("The whole capacity can be used", "[workspace]") {
  Workspace workspace = MakeWorkspace(100);
  CHECK(workspace.capacity() == 128);
  Workspace::Scope scope(workspace);
  std::span<uint8_t> all = workspace.AllocVector<uint8_t>(128);
  for (uint8_t& byte : all) byte = 1;  // the sanitizer would see a write outside
  CHECK(workspace.used() == workspace.capacity());
}

TEST_CASE("An impossible capacity is an error, not a crash", "[workspace]") {
  Result<Workspace> workspace = Workspace::Create(SIZE_MAX / 4);
  REQUIRE_FALSE(workspace.ok());
  CHECK(workspace.error().code == ErrorCode::kOutOfMemory);
}

TEST_CASE("Moving a workspace moves its block", "[workspace]") {
  Workspace from = MakeWorkspace(256);
  Workspace to = std::move(from);
  CHECK(to.capacity() == 256);
  CHECK(from.capacity() == 0);
}

}  // namespace
}  // namespace pocketbert
