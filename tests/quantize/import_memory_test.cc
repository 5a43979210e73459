// Memory of an import, by what this program's `operator new` hands out beside the importer's own
// word.

#include <catch2/catch_amalgamated.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "quantize/import_model.h"
#include "support/random_checkpoint.h"

namespace {

// In front of every allocation, as large as malloc's alignment.
constexpr size_t kPrefix = alignof(std::max_align_t);
size_t live_bytes = 0;
size_t peak_bytes = 0;

void* CountedAllocate(size_t bytes) {
  auto* block = static_cast<uint8_t*>(std::malloc(kPrefix + bytes));
  if (block == nullptr) std::abort();
  *reinterpret_cast<size_t*>(block) = bytes;
  live_bytes += bytes;
  peak_bytes = std::max(peak_bytes, live_bytes);
  return block + kPrefix;
}

void CountedFree(void* pointer) {
  if (pointer == nullptr) return;
  auto* block = static_cast<uint8_t*>(pointer) - kPrefix;
  live_bytes -= *reinterpret_cast<size_t*>(block);
  std::free(block);
}

}  // namespace

void* operator new(size_t bytes) { return CountedAllocate(bytes); }
void* operator new[](size_t bytes) { return CountedAllocate(bytes); }
void operator delete(void* pointer) noexcept { CountedFree(pointer); }
void operator delete[](void* pointer) noexcept { CountedFree(pointer); }
void operator delete(void* pointer, size_t) noexcept { CountedFree(pointer); }
void operator delete[](void* pointer, size_t) noexcept { CountedFree(pointer); }

namespace pocketbert {
namespace {

using testing::CheckpointShape;

constexpr size_t kAllowance = 16'000'000;

CheckpointShape MiniLm() {
  CheckpointShape shape;
  shape.vocab = 30522;
  shape.hidden = shape.embedding = 384;
  shape.layers = 6;
  shape.heads = 12;
  shape.inner = 1536;
  shape.positions = 512;
  return shape;
}

// The header of its file, tensors sorted by name as the safetensors library writes them. The names
// are those of a tiny model of as many layers; sizes are told from the tiny ones, which are all
// different.
SafetensorsHeader HeaderOf(const CheckpointShape& shape) {
  CheckpointShape tiny;
  tiny.layers = shape.layers;
  tiny.inner = 28;
  const auto real = [&](size_t size) -> uint64_t {
    if (size == tiny.vocab) return shape.vocab;
    if (size == tiny.hidden) return shape.hidden;
    if (size == tiny.inner) return shape.inner;
    return size == tiny.positions ? shape.positions : size;
  };
  SafetensorsHeader header;
  for (const auto& [name, weights] : testing::RandomCheckpoint(tiny, 1)) {
    const bool vector = name.find("LayerNorm") != std::string::npos || name.ends_with(".bias");
    std::vector<uint64_t> dimensions = {real(weights.cols)};
    if (!vector) dimensions.insert(dimensions.begin(), real(weights.rows));
    header.tensors.push_back({name, DType::kF32, dimensions, 0, 0});
  }
  PlanSafetensorsOffsets(header);
  return header;
}

TEST_CASE("memory while a 90 MB file is quantized stays below its int8 size and 16 MB") {
  const SafetensorsHeader header = HeaderOf(MiniLm());
  const std::vector<uint8_t> head = EncodeSafetensorsHeader(header);
  const uint64_t size = head.size() + header.data_bytes;
  CHECK(size > 89'000'000);
  std::vector<float> chunk(1 << 18);
  for (size_t i = 0; i < chunk.size(); ++i) chunk[i] = static_cast<float>(i % 251) - 125;
  const std::span<const uint8_t> chunk_bytes(reinterpret_cast<const uint8_t*>(chunk.data()),
                                             chunk.size() * sizeof(float));
  FolderTexts texts;
  texts.Add("config.json", testing::ConfigJson(MiniLm()));
  texts.Add("vocab.txt", testing::VocabText(MiniLm().vocab));

  const size_t before = live_bytes;
  peak_bytes = live_bytes;
  auto created = ModelImporter::Create(std::move(texts), {});
  if (!created.ok()) FAIL(created.error().message);
  ModelImporter importer = std::move(created).value();
  const auto needed = importer.AddHeader("model.safetensors", head, size);
  if (!needed.ok()) FAIL(needed.error().message);
  REQUIRE(needed.value() == 0);
  REQUIRE(importer.Write("model.safetensors", 0, head).ok());
  for (uint64_t at = head.size(); at < size;) {
    const auto count = static_cast<size_t>(std::min<uint64_t>(chunk_bytes.size(), size - at));
    const Status status = importer.Write("model.safetensors", at, chunk_bytes.first(count));
    if (!status.ok()) FAIL(status.error().message);
    at += count;
  }
  const size_t told = importer.peak_bytes();
  auto file = std::move(importer).Finish();
  if (!file.ok()) FAIL(file.error().message);
  // The file itself comes from aligned_alloc, which is not counted here.
  const size_t int8_size = file.value().bytes().size();
  CHECK(int8_size < 24'000'000);
  CHECK(told >= int8_size);
  CHECK(told < int8_size + kAllowance);
  INFO("beside the file: told " << told - int8_size << ", found " << peak_bytes - before);
  CHECK(peak_bytes - before < kAllowance);
  // What the importer says of itself leaves out small things only.
  CHECK(peak_bytes - before < told - int8_size + 8'000'000);
}

}  // namespace
}  // namespace pocketbert
