// Mutated ONNX files: whatever they say, reading ends in success or an error. Run under
// AddressSanitizer and UBSan.

#include <catch2/catch_amalgamated.hpp>

#include <fstream>
#include <iterator>
#include <random>

#include "io/onnx.h"

namespace pocketbert {
namespace {

class Counter final : public OnnxVisitor {
 public:
  uint64_t due = 0;   // bytes of the tensor that are still to come
  size_t tensors = 0;

  Status OnNode(OnnxNode) override { return Done{}; }
  Status OnTensor(const OnnxTensor& tensor) override {
    CHECK(due == 0);
    due = tensor.bytes;
    return Done{};
  }
  Status OnData(std::span<const uint8_t> bytes) override {
    REQUIRE(bytes.size() <= due);
    due -= bytes.size();
    volatile uint8_t sum = 0;
    for (const uint8_t byte : bytes) sum = sum + byte;
    return Done{};
  }
  Status OnTensorEnd() override {
    CHECK(due == 0);
    ++tensors;
    return Done{};
  }
  Status OnExternal(const OnnxTensor&, const OnnxPlace&) override { return Done{}; }
};

bool ReadAll(const std::string& file, size_t chunk) {
  Counter counter;
  OnnxReader reader("m.onnx", counter);
  for (size_t at = 0; at < file.size(); at += chunk) {
    const std::string_view piece = std::string_view(file).substr(at, chunk);
    const Status status =
        reader.Feed({reinterpret_cast<const uint8_t*>(piece.data()), piece.size()});
    if (status.ok()) continue;
    CHECK_FALSE(status.error().message.empty());
    return false;
  }
  return reader.Finish().ok();
}

std::string Mutate(std::string file, std::mt19937& random) {
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (size_t edits = 1 + below(3); edits > 0 && file.size() > 1; --edits) {
    const size_t at = below(file.size());
    switch (below(5)) {
      case 0: file[at] = static_cast<char>(random()); break;
      case 1: file[at] = static_cast<char>(file[at] ^ (1 << below(8))); break;
      case 2: file.erase(at, 1 + below(4)); break;
      case 3: file.insert(at, 1 + below(10), '\xFF'); break;
      default: if (below(8) == 0) file.resize(at);
    }
  }
  return file;
}

TEST_CASE("mutated graphs are read or refused, never worse") {
  std::ifstream in(std::string(POCKETBERT_SOURCE_DIR) +
                       "/tests/cases-families/hand/fixtures/onnx-bert/onnx/model_int8.onnx",
                   std::ios::binary);
  const std::string seed{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(ReadAll(seed, 1 << 20));
  std::mt19937 random(20261201);
  size_t accepted = 0;
  constexpr size_t kRounds = 1000;
  for (size_t i = 0; i < kRounds; ++i) {
    accepted += ReadAll(Mutate(seed, random), size_t{1} << (4 + i % 14));
  }
  // Edits inside names and values break nothing.
  CHECK(accepted > kRounds / 20);
  CHECK(accepted < kRounds * 9 / 10);
}

}  // namespace
}  // namespace pocketbert
