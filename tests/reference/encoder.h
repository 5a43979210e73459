#pragma once
// Slow twin of the encoder, one sequence at a time, tensors by their Hugging Face names. In double
// it is the reference for float32 weights; in float it follows the documented order of every sum,
// so that the encoder's bits must agree, with float32 and with int8 weights.

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "nn/config.h"
#include "reference/attention.h"
#include "reference/gemm.h"
#include "reference/int8.h"
#include "reference/matrix.h"
#include "reference/positions.h"
#include "reference/row_kernels.h"

namespace reference {

// The tensors of a model; vectors are matrices of one row.
struct NamedTensors {
  std::map<std::string, Matrix<float>> f32;
  std::map<std::string, Int8Weights> i8;  // matrices and embedding tables
};

template <typename T>
class EncoderTwin {
 public:
  EncoderTwin(const pocketbert::EncoderConfig& config, const NamedTensors& tensors)
      : config_(config), tensors_(tensors) {}

  // → [tokens, hidden_size].
  Matrix<T> Run(const std::vector<int>& ids, const std::vector<int>& types) const {
    Matrix<T> hidden = Embed(ids, types);
    for (size_t i = 0; i < config_.layers; ++i) hidden = Layer(i, hidden);
    return config_.pre_norm ? Norm("final_norm", hidden) : hidden;
  }

  // y = W x + b for every row; `scale_name` as in TensorSpec.
  Matrix<T> Linear(const std::string& name, const std::string& scale_name,
                   const Matrix<T>& x) const {
    const std::vector<T> bias = VectorOr(name + ".bias", {});
    if (const auto found = tensors_.i8.find(name + ".weight"); found != tensors_.i8.end()) {
      const auto scale = tensors_.f32.find(scale_name);
      return MatMulI8(x.template As<float>(),
                      scale == tensors_.f32.end() ? std::vector<float>() : scale->second.values,
                      found->second, {bias.begin(), bias.end()})
          .template As<T>();
    }
    return MatMulTransposed(x, F32(name + ".weight"), bias);
  }
  Matrix<T> Linear(const std::string& name, const Matrix<T>& x) const {
    return Linear(name, name + ".input_scale", x);
  }

 private:
  Matrix<T> F32(const std::string& name) const {
    const auto found = tensors_.f32.find(name);
    if (found == tensors_.f32.end()) throw std::runtime_error("no tensor " + name);
    return found->second.template As<T>();
  }
  std::vector<T> Vector(const std::string& name) const { return F32(name).values; }
  std::vector<T> VectorOr(const std::string& name, std::vector<T> absent) const {
    return tensors_.f32.contains(name) ? Vector(name) : absent;
  }

  // Element c of row `id` of an embedding table.
  T TableValue(const std::string& name, size_t id, size_t c) const {
    if (const auto found = tensors_.i8.find(name); found != tensors_.i8.end()) {
      const Int8Weights& table = found->second;
      return T(table.scales.at(id, c / table.group_size)) * T(table.values.at(id, c));
    }
    return T(tensors_.f32.at(name).at(id, c));
  }

  Matrix<T> Norm(const std::string& name, Matrix<T> x) const {
    const std::vector<T> gamma = Vector(name + ".weight");
    const std::vector<T> beta = VectorOr(name + ".bias", std::vector<T>(gamma.size()));
    for (size_t r = 0; r < x.rows; ++r) {
      const std::vector<T> row(x.values.begin() + r * x.cols, x.values.begin() + (r + 1) * x.cols);
      const std::vector<T> y = LayerNorm(row, gamma, beta, T(config_.layer_norm_eps));
      std::copy(y.begin(), y.end(), x.values.begin() + r * x.cols);
    }
    return x;
  }

  Matrix<T> Embed(const std::vector<int>& ids, const std::vector<int>& types) const {
    Matrix<T> x(ids.size(), config_.embedding_size);
    size_t position = config_.first_position;
    for (size_t t = 0; t < ids.size(); ++t) {
      const bool padding = ids[t] == config_.padding_id;
      for (size_t c = 0; c < x.cols; ++c) {
        T sum = TableValue("embeddings.word_embeddings.weight", ids[t], c);
        if (config_.type_vocab_size > 0) {
          sum += TableValue("embeddings.token_type_embeddings.weight", types[t], c);
        }
        if (config_.position_table) {
          sum += TableValue("embeddings.position_embeddings.weight",
                            padding ? config_.first_position - 1 : position, c);
        }
        x.at(t, c) = sum;
      }
      position += padding ? 0 : 1;
    }
    x = Norm("embeddings.LayerNorm", x);
    return config_.has_projection() ? Linear("embeddings_project", x) : x;
  }

  // The rule of layer `layer` for head `head`.
  Rule RuleOf(size_t layer, size_t head) const {
    Rule rule;
    if (config_.HasWindow(layer)) rule.reach = config_.window_reach;
    if (config_.relative == pocketbert::RelativePositions::kBias) {
      const Matrix<float>& table = tensors_.f32.at("encoder.relative_attention_bias.weight");
      const T root = std::sqrt(T(config_.head_size()));
      rule.bias = [&table, head, root](size_t t, size_t u) {
        const int64_t distance = static_cast<int64_t>(u) - static_cast<int64_t>(t);
        return static_cast<double>(T(table.at(BiasBucket(distance), head)) * root);
      };
    }
    return rule;
  }

  // DeBERTa's products with embedded distances. `q` and `k` must outlive the rule.
  Rule DistanceRule(const std::string& self, size_t first, const Matrix<T>& q,
                    const Matrix<T>& k) const {
    Matrix<T> distances = F32("encoder.rel_embeddings.weight");
    if (config_.relative_norm) distances = Norm("encoder.LayerNorm", distances);
    const bool share = config_.share_position_projections;
    const auto project = [&](const char* own, const char* shared) {
      const std::string scale = self + (share ? ".input_scale" : std::string(own) + ".input_scale");
      return Columns(Linear(self + (share ? shared : own), scale, distances), first, q.cols);
    };
    const auto row_of = [this](size_t t, size_t u) {
      return DistanceRow(config_, static_cast<int64_t>(t) - static_cast<int64_t>(u));
    };
    Rule rule;
    if (config_.content_to_position) {
      ++rule.products;
      rule.bias = [&q, row_of, keys = project(".pos_key", ".key")](size_t t, size_t u) {
        return static_cast<double>(Dot(&q.at(t, 0), &keys.at(row_of(t, u), 0), q.cols));
      };
    }
    if (config_.position_to_content) {
      ++rule.products;
      rule.second_bias = [&k, row_of, queries = project(".pos_query", ".query")](size_t t,
                                                                                  size_t u) {
        return static_cast<double>(Dot(&k.at(u, 0), &queries.at(row_of(t, u), 0), k.cols));
      };
    }
    return rule;
  }

  Matrix<T> AttendOne(size_t layer, const std::string& self, size_t first, const Matrix<T>& q,
                      const Matrix<T>& k, const Matrix<T>& v) const {
    const Rule rule = config_.relative == pocketbert::RelativePositions::kDisentangled
                          ? DistanceRule(self, first, q, k)
                          : RuleOf(layer, first / config_.head_size());
    if (!tensors_.i8.contains(self + ".query.weight")) return AttendHead(q, k, v, rule);
    return AttendRuleI16(q.template As<float>(), k.template As<float>(), v.template As<float>(),
                         rule)
        .template As<T>();
  }

  Matrix<T> Attend(size_t layer, const std::string& self, const Matrix<T>& input) const {
    const auto project = [&](const char* what) {
      return Linear(self + "." + what, self + ".input_scale", input);
    };
    Matrix<T> q = project("query"), k = project("key");
    const Matrix<T> v = project("value");
    if (config_.relative == pocketbert::RelativePositions::kRotary) {
      for (size_t t = 0; t < q.rows; ++t) {
        Turn(config_, config_.HasWindow(layer), t, t, q);
        Turn(config_, config_.HasWindow(layer), t, t, k);
      }
    }
    const size_t size = config_.head_size();
    Matrix<T> context(q.rows, q.cols);
    for (size_t first = 0; first < q.cols; first += size) {
      const Matrix<T> head = AttendOne(layer, self, first, Columns(q, first, size),
                                       Columns(k, first, size), Columns(v, first, size));
      for (size_t t = 0; t < q.rows; ++t) {
        for (size_t c = 0; c < size; ++c) context.at(t, first + c) = head.at(t, c);
      }
    }
    return context;
  }

  static Matrix<T> Sum(Matrix<T> a, const Matrix<T>& b) {
    for (size_t i = 0; i < a.values.size(); ++i) a.values[i] += b.values[i];
    return a;
  }

  Matrix<T> FeedForward(const std::string& name, const Matrix<T>& x) const {
    const std::string dense = name + ".intermediate.dense";
    Matrix<T> inner = Linear(dense, x);
    const bool int8 = tensors_.i8.contains(name + ".output.dense.weight");
    const pocketbert::Activation activation =
        int8 ? BeforeQuantization(config_.activation) : config_.activation;
    for (T& v : inner.values) v = ActivateOne(activation, v);
    if (config_.gated) {
      const Matrix<T> factor =
          Linear(name + ".intermediate.factor", dense + ".input_scale", x);
      for (size_t i = 0; i < inner.values.size(); ++i) inner.values[i] *= factor.values[i];
    }
    return Linear(name + ".output.dense", inner);
  }

  Matrix<T> Layer(size_t number, const Matrix<T>& hidden) const {
    const std::string name = "encoder.layer." + std::to_string(config_.WeightSet(number));
    Matrix<T> input = hidden;
    if (config_.pre_norm && config_.HasAttentionNorm(number)) {
      input = Norm(name + ".attention.LayerNorm", hidden);
    }
    const Matrix<T> attended = Linear(name + ".attention.output.dense",
                                      Attend(number, name + ".attention.self", input));
    const Matrix<T> sum = Sum(attended, hidden);
    if (config_.pre_norm) {
      return Sum(FeedForward(name, Norm(name + ".intermediate.LayerNorm", sum)), sum);
    }
    const Matrix<T> normed = Norm(name + ".attention.output.LayerNorm", sum);
    return Norm(name + ".output.LayerNorm", Sum(FeedForward(name, normed), normed));
  }

  const pocketbert::EncoderConfig& config_;
  const NamedTensors& tensors_;
};

}  // namespace reference
