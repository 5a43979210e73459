#pragma once
// Slow twins of attention with a bias by distance and a window.

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "reference/attention_i16.h"
#include "reference/matrix.h"
#include "reference/row_kernels.h"

namespace reference {

// What is added to the score of a query and a key before it is divided by sqrt(head size).
using ScoreBias = std::function<double(size_t query, size_t key)>;

struct Rule {
  size_t reach = 0;  // keys farther than this are not seen; 0: all are
  ScoreBias bias = {};
  ScoreBias second_bias = {};
  size_t products = 1;  // sums are divided by sqrt(products * head size)
};

// The keys whose scores are computed for query t: as its block of 16 queries has them.
struct KeyRange {
  size_t begin, end;

  KeyRange(const Rule& rule, size_t t, size_t tokens) : begin(0), end(tokens) {
    if (rule.reach == 0) return;
    const size_t first = t / 16 * 16;
    if (first > rule.reach) begin = (first - rule.reach) / 8 * 8;
    end = std::min(tokens, std::min(tokens, first + 16) + rule.reach);
  }
};

inline bool Sees(const Rule& rule, size_t t, size_t u) {
  return rule.reach == 0 || (t > u ? t - u : u - t) <= rule.reach;
}

// Columns [first, first + count).
template <typename T>
Matrix<T> Columns(const Matrix<T>& x, size_t first, size_t count) {
  Matrix<T> part(x.rows, count);
  for (size_t r = 0; r < x.rows; ++r) {
    for (size_t c = 0; c < count; ++c) part.at(r, c) = x.at(r, first + c);
  }
  return part;
}

// One head, [tokens, head size] each. `score(t, u)` is the unscaled score.
template <typename T, typename Score>
Matrix<T> AttendScores(const Matrix<T>& v, const Rule& rule, T scale, const Score& score) {
  Matrix<T> context(v.rows, v.cols);
  for (size_t t = 0; t < v.rows; ++t) {
    const KeyRange keys(rule, t, v.rows);
    std::vector<T> scores;
    for (size_t u = keys.begin; u < keys.end; ++u) {
      scores.push_back(Sees(rule, t, u) ? score(t, u) : T(-1e30f));
    }
    const std::vector<T> shares = Softmax(scale, scores);
    for (size_t c = 0; c < v.cols; ++c) {
      for (size_t u = keys.begin; u < keys.end; ++u) {
        context.at(t, c) += shares[u - keys.begin] * v.at(u, c);
      }
    }
  }
  return context;
}

template <typename T>
Matrix<T> AttendHead(const Matrix<T>& q, const Matrix<T>& k, const Matrix<T>& v,
                     const Rule& rule) {
  const T scale = T(1) / std::sqrt(T(rule.products * q.cols));
  return AttendScores(v, rule, scale, [&](size_t t, size_t u) {
    T score = Dot(&q.at(t, 0), &k.at(u, 0), q.cols);
    if (rule.bias) score += T(rule.bias(t, u));
    if (rule.second_bias) score += T(rule.second_bias(t, u));
    return score;
  });
}

// Rows [begin, end).
inline Matrix<float> RowsOf(const Matrix<float>& x, size_t begin, size_t end) {
  Matrix<float> rows(end - begin, x.cols);
  std::copy(x.values.begin() + static_cast<ptrdiff_t>(begin * x.cols),
            x.values.begin() + static_cast<ptrdiff_t>(end * x.cols), rows.values.begin());
  return rows;
}

// The same in 16-bit integers; with a window, the values that a block sees have a scale of their
// own.
inline Matrix<float> AttendRuleI16(const Matrix<float>& query, const Matrix<float>& key,
                                   const Matrix<float>& value, const Rule& rule) {
  if (rule.reach == 0 && !rule.bias && !rule.second_bias) return AttendI16(query, key, value);
  const Int16Codes q = QuantizeI16(query), k = QuantizeI16(key);
  const size_t size = query.cols;
  const float unit = 1.0f / std::sqrt(static_cast<float>(rule.products * size)) * 1.44269504f;
  const float scale = q.scale * k.scale * unit;
  Matrix<float> context(query.rows, size);
  for (size_t t = 0; t < query.rows; ++t) {
    const KeyRange keys(rule, t, query.rows);
    const Int16Codes v = QuantizeI16(RowsOf(value, keys.begin, keys.end));
    std::vector<float> scores;
    for (size_t u = keys.begin; u < keys.end; ++u) {
      float score =
          SumBlocks(size, [&](size_t c) { return q.codes.at(t, c) * k.codes.at(u, c); }) * scale;
      for (const ScoreBias& bias : {rule.bias, rule.second_bias}) {
        if (bias) score += unit * static_cast<float>(bias(t, u));
      }
      scores.push_back(Sees(rule, t, u) ? score : -1e30f);
    }
    const std::vector<int> shares = SoftmaxI16(1, scores);
    int sum = 0;
    for (int share : shares) sum += share;
    const float row_scale = v.scale / static_cast<float>(sum);
    for (size_t c = 0; c < size; ++c) {
      context.at(t, c) =
          SumBlocks(shares.size(), [&](size_t u) { return shares[u] * v.codes.at(u, c); }) *
          row_scale;
    }
  }
  return context;
}

}  // namespace reference
