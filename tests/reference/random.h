#pragma once
// Pseudo-random numbers that are the same on every machine (std::mt19937 is; its distributions are
// not).

#include <cstdint>
#include <random>
#include <vector>

#include "reference/matrix.h"

namespace reference {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  uint32_t Bits() { return static_cast<uint32_t>(engine_()); }
  // In [low, high], both included.
  int Int(int low, int high) {
    return low + static_cast<int>(Bits() % static_cast<uint32_t>(high - low + 1));
  }
  // In [-size, size), 24 bits.
  float Float(float size = 1) {
    return size * (static_cast<float>(Bits() >> 8) * (2.0f / 16777216.0f) - 1.0f);
  }
  std::vector<float> Floats(size_t count, float size = 1) {
    std::vector<float> out(count);
    for (float& v : out) v = Float(size);
    return out;
  }
  Matrix<float> FloatMatrix(size_t rows, size_t cols, float size = 1) {
    Matrix<float> out(rows, cols);
    out.values = Floats(rows * cols, size);
    return out;
  }
  Matrix<int8_t> Int8Matrix(size_t rows, size_t cols) {
    Matrix<int8_t> out(rows, cols);
    for (int8_t& v : out.values) v = static_cast<int8_t>(Int(-127, 127));
    return out;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace reference
