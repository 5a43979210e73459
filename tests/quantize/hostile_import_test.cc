// Mutated folders and one-file models: whatever they say, importing and opening end in a model or
// an error. Run under AddressSanitizer and UBSan.

#include <catch2/catch_amalgamated.hpp>

#include <cstring>
#include <random>

#include "model/model.h"
#include "support/model_folder.h"

namespace pocketbert {
namespace {

using testing::Folder;

constexpr std::string_view kPieces[] = {"0",        "1",          "9",
                                        "-1",       "4294967296", "18446744073709551615",
                                        "1e30",     "\"",         "{",
                                        "}",        "[",          "]",
                                        ",",        ":",          "null",
                                        "true",     "\\u0000",    "\xC3",
                                        "I8",       "F32",        "pooling_mode",
                                        "LayerNorm"};

std::string Mutate(std::string text, size_t from, size_t until, std::mt19937& random) {
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  until = std::min(until, text.size());
  for (size_t edits = 1 + below(3); edits > 0 && until > from; --edits) {
    const size_t at = from + below(until - from);
    switch (below(4)) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text[at] = static_cast<char>('0' + below(10));
        break;
      case 2:
        text.replace(at, 1, kPieces[below(std::size(kPieces))]);
        break;
      default:
        text[at] ^= static_cast<char>(1 << below(8));
    }
  }
  return text;
}

// True if it opened.
bool OpenBytes(const std::string& bytes) {
  auto block = ByteBlock::Create(bytes.size(), "m");
  REQUIRE(block.ok());
  std::memcpy(block.value().data(), bytes.data(), bytes.size());
  auto file = TensorFile::FromBytes("m", std::move(block).value());
  if (!file.ok()) return false;
  const auto model = Model::Open(std::move(file).value());
  if (!model.ok()) CHECK_FALSE(model.error().message.empty());
  return model.ok();
}

TEST_CASE("mutated folders") {
  const Folder sound = testing::Fixture("cls");
  std::mt19937 random(1);
  for (const auto& [path, content] : sound) {
    if (path.starts_with("tokenizer") || path == "vocab.txt")
      continue;  // the tokenizer's own tests
    for (size_t round = 0; round < 400; ++round) {
      Folder folder = sound;
      // Of the weights the header is what matters.
      folder[path] = Mutate(content, 8, testing::IsWeights(path) ? 4400 : content.size(), random);
      auto file = testing::Import(folder, {.chunk = 4096});
      if (!file.ok()) {
        CHECK_FALSE(file.error().message.empty());
        continue;
      }
      const auto model = Model::Open(std::move(file).value());
      if (!model.ok()) CHECK_FALSE(model.error().message.empty());
    }
  }
}

TEST_CASE("mutated one-file models") {
  auto imported = testing::Import(testing::Fixture("cls"));
  REQUIRE(imported.ok());
  const auto bytes = imported.value().bytes();
  const std::string sound(bytes.begin(), bytes.end());
  const auto header_bytes = static_cast<size_t>(imported.value().header().data_start);
  REQUIRE(OpenBytes(sound));
  std::mt19937 random(2);
  size_t opened = 0;
  constexpr size_t kRounds = 2000;
  for (size_t i = 0; i < kRounds; ++i) {
    opened += OpenBytes(Mutate(sound, 8, header_bytes, random));
    // The vocabulary stands at the end of the data.
    opened += OpenBytes(Mutate(sound, sound.size() - 2000, sound.size(), random));
  }
  CHECK(opened > 0);
  CHECK(opened < 2 * kRounds);
}

}  // namespace
}  // namespace pocketbert
