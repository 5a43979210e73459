#pragma once
// How weights are quantized, written out over a whole checkpoint in memory: the definition that
// src/quantize/ follows while it streams. Plain loops, nothing shared with the product.
//
// Rows are quantized per group of `group` columns:
//   scale = limit / 127 (1 for zeros),  value = round-half-even(w / scale)
// limit is max|w|. For a matrix that is multiplied, also half of each lane's sums: positive and
// negative weights, each for itself, of columns 16 i + 4 j + {0, 1} and of 16 i + 4 j + {2, 3} with
// j = 0 ... 3, counted from the group's beginning.
// Equalized matrices first have column k multiplied by e[k] = profile[k] / column rms, both kept
// above 1/1000 of their largest; the file then says that inputs are multiplied by 1 / e[k].

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pocketbert::reference {

struct Weights {
  size_t rows = 0;  // vectors: 1
  size_t cols = 0;
  std::vector<float> values;

  double at(size_t row, size_t col) const { return static_cast<double>(values[row * cols + col]); }
};

// By canonical name.
using Checkpoint = std::map<std::string, Weights>;
using Profile = std::vector<double>;

struct QuantizedWeights {
  std::vector<int8_t> values;
  std::vector<float> scales;  // [rows, groups]
  double relative_error = 0;
};

inline QuantizedWeights QuantizeWeights(const Weights& w, size_t group, bool multiplied) {
  QuantizedWeights result;
  double error = 0, energy = 0;
  for (size_t r = 0; r < w.rows; ++r) {
    for (size_t begin = 0; begin < w.cols; begin += group) {
      const size_t end = std::min(begin + group, w.cols);
      float largest = 0;
      for (size_t k = begin; k < end; ++k) {
        largest = std::max(largest, std::fabs(w.values[r * w.cols + k]));
      }
      for (size_t lane = begin; multiplied && lane < end; lane += lane % 16 == 0 ? 2 : 14) {
        float positive = 0, negative = 0;
        for (size_t j : {0, 1, 4, 5, 8, 9, 12, 13}) {
          if (lane + j >= end) continue;
          const float weight = w.values[r * w.cols + lane + j];
          (weight > 0 ? positive : negative) += weight;
        }
        largest = std::max({largest, positive / 2, -negative / 2});
      }
      const float scale = largest == 0 ? 1.0f : largest / 127.0f;
      result.scales.push_back(scale);
      for (size_t k = begin; k < end; ++k) {
        const float quotient = w.values[r * w.cols + k] / scale;
        // Half-even by hand: the nearest whole number, of two the even one.
        float rounded = std::floor(quotient + 0.5f);
        if (rounded - quotient == 0.5f && std::fmod(rounded, 2.0f) != 0) rounded -= 1;
        result.values.push_back(static_cast<int8_t>(rounded));
        const double lost = w.at(r, k) - static_cast<double>(scale) * static_cast<double>(rounded);
        error += lost * lost;
        energy += w.at(r, k) * w.at(r, k);
      }
    }
  }
  result.relative_error = energy == 0 ? 0 : std::sqrt(error / energy);
  return result;
}

// sqrt(gamma^2 + beta^2) of a LayerNorm.
inline Profile NormProfile(const Checkpoint& c, const std::string& norm) {
  const Weights& gamma = c.at(norm + ".weight");
  const Weights& beta = c.at(norm + ".bias");
  Profile profile;
  for (size_t k = 0; k < gamma.cols; ++k) {
    profile.push_back(std::sqrt(gamma.at(0, k) * gamma.at(0, k) + beta.at(0, k) * beta.at(0, k)));
  }
  return profile;
}

// A branch of root mean square `size` per input enters through `matrix`, then `norm` follows.
inline Profile AfterBranch(const Checkpoint& c, const std::string& matrix, double size,
                           const std::string& norm, Profile r) {
  const Weights& w = c.at(matrix);
  double mean_square = 0;
  for (size_t n = 0; n < r.size(); ++n) {
    double row = 0;
    for (size_t k = 0; k < w.cols; ++k) row += w.at(n, k) * w.at(n, k);
    const double added = size * std::sqrt(row);
    r[n] = std::sqrt(r[n] * r[n] + added * added);
    mean_square += r[n] * r[n];
  }
  const double rms = std::sqrt(mean_square / static_cast<double>(r.size()));
  const Weights& gamma = c.at(norm + ".weight");
  const Weights& beta = c.at(norm + ".bias");
  for (size_t n = 0; n < r.size(); ++n) {
    const double spread = gamma.at(0, n) * (r[n] / rms);
    r[n] = std::sqrt(spread * spread + beta.at(0, n) * beta.at(0, n));
  }
  return r;
}

inline Profile EncoderInputProfile(const Checkpoint& c) {
  if (!c.contains("embeddings_project.weight")) return NormProfile(c, "embeddings.LayerNorm");
  const Weights& w = c.at("embeddings_project.weight");
  const Weights& gamma = c.at("embeddings.LayerNorm.weight");
  const Weights& beta = c.at("embeddings.LayerNorm.bias");
  Profile profile;
  for (size_t n = 0; n < w.rows; ++n) {
    double spread = 0, center = 0;
    for (size_t k = 0; k < w.cols; ++k) {
      spread += (w.at(n, k) * gamma.at(0, k)) * (w.at(n, k) * gamma.at(0, k));
      center += w.at(n, k) * beta.at(0, k);
    }
    center += c.at("embeddings_project.bias").at(0, n);
    profile.push_back(std::sqrt(spread + center * center));
  }
  return profile;
}

inline Profile AttentionProfile(const Checkpoint& c, size_t layer) {
  const auto name = [](size_t j, const char* part) {
    return "encoder.layer." + std::to_string(j) + "." + part;
  };
  const size_t first = layer > 3 ? layer - 3 : 0;
  Profile r = EncoderInputProfile(c);
  if (layer >= 3) r = NormProfile(c, name(first, "attention.output.LayerNorm"));
  for (size_t j = first; j < layer; ++j) {
    if (layer < 3 || j > first) {
      r = AfterBranch(c, name(j, "attention.output.dense.weight"), 0.5,
                      name(j, "attention.output.LayerNorm"), r);
    }
    r = AfterBranch(c, name(j, "output.dense.weight"), 0.2, name(j, "output.LayerNorm"), r);
  }
  return r;
}

// e for the matrices `names`, which read one input of this profile.
inline std::vector<float> Factors(const Checkpoint& c, const std::vector<std::string>& names,
                                  const Profile& profile) {
  const size_t cols = profile.size();
  size_t rows = 0;
  std::vector<double> squares(cols);
  for (const std::string& name : names) {
    const Weights& w = c.at(name);
    rows += w.rows;
    for (size_t k = 0; k < cols; ++k) {
      double sum = 0;
      for (size_t n = 0; n < w.rows; ++n) sum += w.at(n, k) * w.at(n, k);
      squares[k] += sum;
    }
  }
  std::vector<double> rms(cols);
  for (size_t k = 0; k < cols; ++k) rms[k] = std::sqrt(squares[k] / static_cast<double>(rows));
  const double top_profile = *std::max_element(profile.begin(), profile.end());
  const double top_rms = *std::max_element(rms.begin(), rms.end());
  std::vector<float> e(cols, 1.0f);
  if (top_profile == 0 || top_rms == 0) return e;
  for (size_t k = 0; k < cols; ++k) {
    e[k] = static_cast<float>(std::max(profile[k], 1e-3 * top_profile) /
                              std::max(rms[k], 1e-3 * top_rms));
  }
  return e;
}

inline Weights ScaleColumns(Weights w, const std::vector<float>& e) {
  for (size_t i = 0; i < w.values.size(); ++i) w.values[i] = w.values[i] * e[i % w.cols];
  return w;
}

}  // namespace pocketbert::reference
