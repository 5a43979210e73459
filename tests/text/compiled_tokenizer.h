#pragma once
// A tokenizer that was compiled and opened again, together with the bytes it stands on.

#include <catch2/catch_amalgamated.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include "text/tokenizer.h"

namespace pocketbert {

struct CompiledTokenizer {
  explicit CompiledTokenizer(const Tokenizer& from)
      : bytes(from.CompiledVocabulary()), tokenizer(Open(from.CompiledConfig(), bytes)) {}

  std::vector<uint8_t> bytes;
  Tokenizer tokenizer;

 private:
  static Tokenizer Open(const std::string& config, std::span<const uint8_t> bytes) {
    auto compiled = Tokenizer::FromCompiled(config, bytes);
    if (!compiled.ok()) FAIL("compiled: " << compiled.error().message);
    return std::move(compiled).value();
  }
};

}  // namespace pocketbert
