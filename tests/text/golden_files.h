#pragma once
// Reading tests/golden/text/*.jsonl and tests/cases/hand/*.json.

#include <catch2/catch_amalgamated.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "text/encoding.h"

namespace pocketbert {

inline std::string ReadTestFile(const std::string& path) {
  std::ifstream file(std::string(POCKETBERT_SOURCE_DIR) + "/" + path, std::ios::binary);
  INFO(path);
  REQUIRE(file.good());
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

inline JsonDocument ParseTestJson(std::string_view text) {
  auto document = ParseJson(text, "test data");
  if (!document.ok()) FAIL(document.error().message);
  return std::move(document).value();
}

inline std::vector<JsonDocument> ReadJsonLines(const std::string& path) {
  std::istringstream lines(ReadTestFile(path));
  std::vector<JsonDocument> documents;
  for (std::string line; std::getline(lines, line);) documents.push_back(ParseTestJson(line));
  return documents;
}

inline Json ItemAt(Json array, size_t index) {
  for (Json item : array.Items()) {
    if (index-- == 0) return item;
  }
  FAIL("no such item in " << array.Path());
  return {};
}

template <typename T = int32_t>
std::vector<T> Numbers(Json array) {
  std::vector<T> numbers;
  for (Json item : array.Items()) numbers.push_back(static_cast<T>(item.AsInt().value()));
  return numbers;
}

// [0,2,2,5] → [0,2) [2,5)
inline std::vector<Range> FlatRanges(Json array) {
  const std::vector<uint32_t> flat = Numbers<uint32_t>(array);
  std::vector<Range> ranges;
  for (size_t i = 0; i + 1 < flat.size(); i += 2) ranges.push_back({flat[i], flat[i + 1]});
  return ranges;
}

inline std::string Text(Json json) { return std::string(json.AsString().value()); }

// A lone surrogate cannot stand in JSON text for this parser; what loads here has U+FFFD instead.
inline std::string WithoutLoneSurrogates(std::string text) {
  const auto is = [&](size_t at, std::string_view digits) {
    return at + 6 <= text.size() && text.substr(at, 3) == "\\ud" &&
           digits.find(text[at + 3]) != std::string_view::npos;
  };
  for (size_t at = 0; at + 6 <= text.size(); ++at) {
    if (text[at] != '\\') continue;
    if (is(at, "89ab") && is(at + 6, "cdef")) {
      at += 11;
    } else if (is(at, "89abcdef")) {
      text.replace(at, 6, "\\ufffd");
    } else {
      ++at;
    }
  }
  return text;
}

// FNV-1a, 64 bits, as make_golden.py computes it.
inline std::string FnvHash(std::string_view data) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : data) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

}  // namespace pocketbert

namespace Catch {
template <>
struct StringMaker<pocketbert::Range> {
  static std::string convert(const pocketbert::Range& range) {
    return "[" + std::to_string(range.begin) + "," + std::to_string(range.end) + ")";
  }
};
}  // namespace Catch
