#pragma once
// The content of a .gz file (RFC 1951, 1952), for test data. Bad data fails the test.

#include <array>
#include <catch2/catch_amalgamated.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pocketbert {

class Gunzip {
 public:
  explicit Gunzip(std::string_view bytes) : bytes_(bytes) {}

  std::string Run() {
    REQUIRE(bytes_.size() > 18);
    const auto flags = static_cast<uint8_t>(bytes_[3]);
    at_ = 10;
    if (flags & 4) at_ += 2 + Byte(10) + 256 * Byte(11);
    for (const int name : {8, 16}) {
      if (flags & name) at_ = bytes_.find('\0', at_) + 1;
    }
    if (flags & 2) at_ += 2;
    bool last = false;
    while (!last) {
      last = Bits(1);
      const uint32_t type = Bits(2);
      REQUIRE(type < 3);
      type == 0 ? Stored() : Packed(type == 2);
    }
    return std::move(out_);
  }

 private:
  // Codes of one alphabet, in canonical order.
  struct Codes {
    std::array<uint32_t, 16> counts = {};  // of each length
    std::vector<uint32_t> symbols;
  };

  uint32_t Byte(size_t at) const {
    REQUIRE(at < bytes_.size());
    return static_cast<uint8_t>(bytes_[at]);
  }

  uint32_t Bits(int count) {
    uint32_t value = 0;
    for (int i = 0; i < count; ++i) {
      if (bit_count_ == 0) {
        if (at_ >= bytes_.size()) FAIL("the data end too early");
        bits_ = static_cast<uint8_t>(bytes_[at_++]);
        bit_count_ = 8;
      }
      value |= (bits_ & 1u) << i;
      bits_ >>= 1;
      --bit_count_;
    }
    return value;
  }

  static Codes MakeCodes(const std::vector<uint32_t>& lengths) {
    Codes codes;
    for (const uint32_t length : lengths) ++codes.counts[length];
    codes.counts[0] = 0;
    for (uint32_t length = 1; length < 16; ++length) {
      for (uint32_t symbol = 0; symbol < lengths.size(); ++symbol) {
        if (lengths[symbol] == length) codes.symbols.push_back(symbol);
      }
    }
    return codes;
  }

  uint32_t Symbol(const Codes& codes) {
    uint32_t code = 0;
    uint32_t first = 0;
    uint32_t index = 0;
    for (size_t length = 1; length < 16; ++length) {
      code |= Bits(1);
      const uint32_t count = codes.counts[length];
      if (code < first + count) return codes.symbols.at(index + code - first);
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    FAIL("no such code");
    return 0;
  }

  void Stored() {
    bit_count_ = 0;
    const size_t size = Byte(at_) + 256 * Byte(at_ + 1);
    at_ += 4;
    REQUIRE(size <= bytes_.size() - at_);
    out_.append(bytes_.substr(at_, size));
    at_ += size;
  }

  void ReadCodes(Codes& literals, Codes& distances) {
    const uint32_t literal_count = Bits(5) + 257;
    const uint32_t distance_count = Bits(5) + 1;
    const uint32_t length_count = Bits(4) + 4;
    constexpr uint32_t kOrder[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                   11, 4,  12, 3, 13, 2, 14, 1, 15};
    std::vector<uint32_t> lengths(19);
    for (uint32_t i = 0; i < length_count; ++i) lengths[kOrder[i]] = Bits(3);
    const Codes length_codes = MakeCodes(lengths);
    std::vector<uint32_t> all;
    while (all.size() < literal_count + distance_count) {
      const uint32_t symbol = Symbol(length_codes);
      if (symbol < 16) {
        all.push_back(symbol);
      } else {
        const uint32_t repeated = symbol == 16 ? all.back() : 0;
        const uint32_t times = symbol == 16   ? 3 + Bits(2)
                               : symbol == 17 ? 3 + Bits(3)
                                              : 11 + Bits(7);
        all.insert(all.end(), times, repeated);
      }
    }
    literals = MakeCodes({all.begin(), all.begin() + literal_count});
    distances = MakeCodes({all.begin() + literal_count, all.end()});
  }

  void Packed(bool own_codes) {
    Codes literals;
    Codes distances;
    if (own_codes) {
      ReadCodes(literals, distances);
    } else {
      std::vector<uint32_t> lengths(288, 8);
      for (size_t i = 144; i < 256; ++i) lengths[i] = 9;
      for (size_t i = 256; i < 280; ++i) lengths[i] = 7;
      literals = MakeCodes(lengths);
      distances = MakeCodes(std::vector<uint32_t>(30, 5));
    }
    for (uint32_t symbol; (symbol = Symbol(literals)) != 256;) {
      if (symbol < 256) {
        out_.push_back(static_cast<char>(symbol));
      } else {
        Copy(symbol - 257, distances);
      }
    }
  }

  void Copy(uint32_t length_symbol, const Codes& distances) {
    const uint32_t more = length_symbol < 8 || length_symbol == 28 ? 0 : length_symbol / 4 - 1;
    uint32_t length = length_symbol < 8     ? length_symbol + 3
                      : length_symbol == 28 ? 258
                                            : ((4 + length_symbol % 4) << more) + 3;
    length += Bits(static_cast<int>(more));
    const uint32_t symbol = Symbol(distances);
    const uint32_t distance_more = symbol < 4 ? 0 : symbol / 2 - 1;
    uint32_t distance = symbol < 4 ? symbol + 1 : ((2 + symbol % 2) << distance_more) + 1;
    distance += Bits(static_cast<int>(distance_more));
    REQUIRE(distance <= out_.size());
    for (; length > 0; --length) out_.push_back(out_[out_.size() - distance]);
  }

  const std::string_view bytes_;
  size_t at_ = 0;
  uint32_t bits_ = 0;
  int bit_count_ = 0;
  std::string out_;
};

}  // namespace pocketbert
