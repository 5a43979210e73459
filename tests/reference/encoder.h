#pragma once
// Slow twin of the encoder, one sequence at a time, tensors by their Hugging Face names. In double
// it is the reference for float32 weights; in float it follows the documented order of every sum,
// so that the encoder's bits must agree, with float32 and with int8 weights.

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "nn/config.h"
#include "reference/attention_i16.h"
#include "reference/gemm.h"
#include "reference/int8.h"
#include "reference/matrix.h"
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
    for (size_t i = 0; i < config_.layers; ++i) {
      hidden = Layer("encoder.layer." + std::to_string(i), hidden);
    }
    return hidden;
  }

  // y = W x + b for every row; `scale_name` as in TensorSpec.
  Matrix<T> Linear(const std::string& name, const std::string& scale_name,
                   const Matrix<T>& x) const {
    const std::vector<T> bias = Vector(name + ".bias");
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

  // Element c of row `id` of an embedding table.
  T TableValue(const std::string& name, size_t id, size_t c) const {
    if (const auto found = tensors_.i8.find(name); found != tensors_.i8.end()) {
      const Int8Weights& table = found->second;
      return T(table.scales.at(id, c / table.group_size)) * T(table.values.at(id, c));
    }
    return T(tensors_.f32.at(name).at(id, c));
  }

  Matrix<T> Norm(const std::string& name, Matrix<T> x) const {
    const std::vector<T> gamma = Vector(name + ".weight"), beta = Vector(name + ".bias");
    for (size_t r = 0; r < x.rows; ++r) {
      const std::vector<T> row(x.values.begin() + r * x.cols, x.values.begin() + (r + 1) * x.cols);
      const std::vector<T> y = LayerNorm(row, gamma, beta, T(config_.layer_norm_eps));
      std::copy(y.begin(), y.end(), x.values.begin() + r * x.cols);
    }
    return x;
  }

  Matrix<T> Embed(const std::vector<int>& ids, const std::vector<int>& types) const {
    Matrix<T> x(ids.size(), config_.embedding_size);
    for (size_t t = 0; t < ids.size(); ++t) {
      for (size_t c = 0; c < x.cols; ++c) {
        T sum = TableValue("embeddings.word_embeddings.weight", ids[t], c);
        if (config_.type_vocab_size > 0) {
          sum += TableValue("embeddings.token_type_embeddings.weight", types[t], c);
        }
        sum += TableValue("embeddings.position_embeddings.weight", config_.first_position + t, c);
        x.at(t, c) = sum;
      }
    }
    x = Norm("embeddings.LayerNorm", x);
    return config_.has_projection() ? Linear("embeddings_project", x) : x;
  }

  Matrix<T> Attend(const Matrix<T>& q, const Matrix<T>& k, const Matrix<T>& v,
                   bool int16) const {
    const size_t size = config_.head_size();
    Matrix<T> context(q.rows, q.cols);
    for (size_t first = 0; first < q.cols; first += size) {
      const Matrix<T> q_head = Columns(q, first, size), k_head = Columns(k, first, size),
                      v_head = Columns(v, first, size);
      const Matrix<T> head =
          int16 ? AttendI16(q_head.template As<float>(), k_head.template As<float>(),
                            v_head.template As<float>())
                      .template As<T>()
                : AttendHead(q_head, k_head, v_head);
      for (size_t t = 0; t < q.rows; ++t) {
        for (size_t c = 0; c < size; ++c) context.at(t, first + c) = head.at(t, c);
      }
    }
    return context;
  }

  static Matrix<T> AttendHead(const Matrix<T>& q, const Matrix<T>& k, const Matrix<T>& v) {
    const T scale = T(1) / std::sqrt(T(q.cols));
    Matrix<T> context(q.rows, q.cols);
    for (size_t t = 0; t < q.rows; ++t) {
      std::vector<T> scores(q.rows);
      for (size_t u = 0; u < q.rows; ++u) scores[u] = Dot(&q.at(t, 0), &k.at(u, 0), q.cols);
      const std::vector<T> shares = Softmax(scale, scores);
      for (size_t c = 0; c < q.cols; ++c) {
        for (size_t u = 0; u < q.rows; ++u) context.at(t, c) += shares[u] * v.at(u, c);
      }
    }
    return context;
  }

  static Matrix<T> Columns(const Matrix<T>& x, size_t first, size_t count) {
    Matrix<T> part(x.rows, count);
    for (size_t r = 0; r < x.rows; ++r) {
      for (size_t c = 0; c < count; ++c) part.at(r, c) = x.at(r, first + c);
    }
    return part;
  }

  static Matrix<T> Sum(Matrix<T> a, const Matrix<T>& b) {
    for (size_t i = 0; i < a.values.size(); ++i) a.values[i] += b.values[i];
    return a;
  }

  Matrix<T> Layer(const std::string& name, const Matrix<T>& hidden) const {
    const std::string self = name + ".attention.self";
    const auto project = [&](const char* what) {
      return Linear(self + "." + what, self + ".input_scale", hidden);
    };
    const bool int16 = tensors_.i8.contains(self + ".query.weight");
    const Matrix<T> context = Attend(project("query"), project("key"), project("value"), int16);
    const Matrix<T> attended = Linear(name + ".attention.output.dense", context);
    const Matrix<T> normed = Norm(name + ".attention.output.LayerNorm", Sum(attended, hidden));
    Matrix<T> inner = Linear(name + ".intermediate.dense", normed);
    const bool int8 = tensors_.i8.contains(name + ".output.dense.weight");
    const pocketbert::Activation activation =
        int8 ? BeforeQuantization(config_.activation) : config_.activation;
    for (T& v : inner.values) v = ActivateOne(activation, v);
    const Matrix<T> output = Linear(name + ".output.dense", inner);
    return Norm(name + ".output.LayerNorm", Sum(output, normed));
  }

  const pocketbert::EncoderConfig& config_;
  const NamedTensors& tensors_;
};

}  // namespace reference
