#include "quantize/row_splitter.h"

#include <catch2/catch_amalgamated.hpp>

#include <numeric>
#include <string>
#include <vector>

namespace pocketbert {
namespace {

// "a" 2 rows of 3 bytes, "skipped" 5 bytes, "b" 3 rows of 4 bytes, an empty tensor, "c" one of 1.
const std::vector<TensorInfo> kTensors = {{"a", DType::kU8, {2, 3}, 0, 6},
                                          {"skipped", DType::kU8, {5}, 6, 11},
                                          {"b", DType::kF32, {3, 1}, 11, 23},
                                          {"empty", DType::kU8, {0}, 23, 23},
                                          {"c", DType::kU8, {1}, 23, 24}};
const std::vector<size_t> kRowBytes = {3, 0, 4, 1, 1};

// "tensor.row:bytes " for every row in order.
std::string Rows(size_t chunk) {
  std::vector<uint8_t> data(24);
  std::iota(data.begin(), data.end(), uint8_t{0});
  RowSplitter splitter(kTensors, kRowBytes);
  std::string seen;
  for (size_t at = 0; at < data.size(); at += chunk) {
    const auto piece = std::span(data).subspan(at, std::min(chunk, data.size() - at));
    const Status status = splitter.Feed(
        piece, [&](size_t tensor, size_t row, std::span<const uint8_t> bytes) -> Status {
          seen += std::to_string(tensor) + "." + std::to_string(row) + ":";
          for (const uint8_t byte : bytes) seen += std::to_string(byte) + ",";
          seen += " ";
          return Done{};
        });
    REQUIRE(status.ok());
  }
  return seen;
}

TEST_CASE("rows do not depend on the chunks") {
  const std::string expected =
      "0.0:0,1,2, 0.1:3,4,5, 2.0:11,12,13,14, 2.1:15,16,17,18, 2.2:19,20,21,22, 4.0:23, ";
  for (size_t chunk = 1; chunk <= 25; ++chunk) {
    INFO(chunk);
    CHECK(Rows(chunk) == expected);
  }
}

TEST_CASE("an error of the receiver ends the feeding") {
  RowSplitter splitter(kTensors, kRowBytes);
  const std::vector<uint8_t> data(24);
  size_t calls = 0;
  const Status status =
      splitter.Feed(data, [&](size_t, size_t, std::span<const uint8_t>) -> Status {
        if (++calls == 2) return FormatError("enough");
        return Done{};
      });
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message == "enough");
  CHECK(calls == 2);
}

}  // namespace
}  // namespace pocketbert
