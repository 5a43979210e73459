// Mutated files: whatever a header says, reading it ends in a value or an error, and what is then
// taken from the file lies inside it. Run under AddressSanitizer and UBSan.

#include <algorithm>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch_amalgamated.hpp>
#include "io/safetensors.h"
#include "support/safetensors_builder.h"

namespace pocketbert {
namespace {

using testing::Bytes;
using testing::SafetensorsBuilder;

// Reads every byte of every tensor; returns false if the header was refused.
bool ReadAll(const Bytes& file) {
  auto block = ByteBlock::Create(file.size(), "m");
  REQUIRE(block.ok());
  std::copy(file.begin(), file.end(), block.value().data());
  const auto opened = TensorFile::FromBytes("m", std::move(block).value());
  if (!opened.ok()) {
    CHECK_FALSE(opened.error().message.empty());
    return false;
  }
  uint64_t covered = 0;
  for (const TensorInfo& tensor : opened.value().header().tensors) {
    const auto bytes = opened.value().TensorBytes(tensor);
    covered += bytes.size();
    volatile int sum = std::accumulate(bytes.begin(), bytes.end(), 0);
    (void)sum;
  }
  CHECK(covered == opened.value().header().data_bytes);
  return true;
}

Bytes Mutate(Bytes file, std::mt19937& random) {
  static constexpr std::string_view kPieces[] = {"0",
                                                 "9",
                                                 "-",
                                                 "18446744073709551615",
                                                 "1e9",
                                                 "\"",
                                                 "{",
                                                 "}",
                                                 "[",
                                                 "]",
                                                 ",",
                                                 ":",
                                                 "\\u0000",
                                                 "null",
                                                 "data_offsets",
                                                 "__metadata__",
                                                 "\xC3",
                                                 "F32",
                                                 "4294967296"};
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (size_t edits = 1 + below(3); edits > 0 && file.size() > 8; --edits) {
    const size_t at = below(file.size());
    switch (below(5)) {
      case 0:
        file[at] = static_cast<uint8_t>(random());
        break;
      case 1:
        file[at] ^= static_cast<uint8_t>(1u << below(8));
        break;
      case 2:
        file.resize(at);
        break;
      case 3:
        file.erase(file.begin() + static_cast<ptrdiff_t>(at));
        break;
      default: {
        const std::string_view piece = kPieces[below(std::size(kPieces))];
        file.insert(file.begin() + static_cast<ptrdiff_t>(at), piece.begin(), piece.end());
      }
    }
  }
  return file;
}

TEST_CASE("mutated files are read or refused, never worse") {
  const Bytes seed = SafetensorsBuilder()
                         .Metadata(R"({"format":"pt"})")
                         .AddFloats("weight", {2, 3}, {1, 2, 3, 4, 5, 6})
                         .Add("vocab", "U8", {5}, {1, 2, 3, 4, 5})
                         .AddFloats("bias", {2}, {7, 8})
                         .Build();
  REQUIRE(ReadAll(seed));
  std::mt19937 random(20261130);
  size_t accepted = 0;
  constexpr size_t kRounds = 20000;
  for (size_t i = 0; i < kRounds; ++i) accepted += ReadAll(Mutate(seed, random));
  // Most edits break something, edits inside the data or of a name do not.
  CHECK(accepted > kRounds / 100);
  CHECK(accepted < kRounds / 2);
}

TEST_CASE("every length of a file short of the whole is refused") {
  const Bytes whole = SafetensorsBuilder().AddFloats("a", {4}, {1, 2, 3, 4}).Build();
  REQUIRE(ReadAll(whole));
  for (size_t length = 0; length < whole.size(); ++length) {
    CHECK_FALSE(ReadAll(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length))));
  }
}

}  // namespace
}  // namespace pocketbert
