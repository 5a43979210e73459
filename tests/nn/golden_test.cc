// The encoder and its heads against what PyTorch and transformers computed (tests/golden/encoder,
// made by make.py there).

#include <catch2/catch_amalgamated.hpp>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "base/json.h"
#include "kernels/elementwise.h"
#include "kernels/softmax.h"
#include "nn/encoder.h"
#include "nn/heads.h"
#include "nn/pooling.h"
#include "reference/batch.h"
#include "reference/compare.h"
#include "reference/tiny_model.h"

using pocketbert::EncoderConfig;
using pocketbert::HeadConfig;
using pocketbert::Json;
using pocketbert::JsonDocument;
using pocketbert::ParseJson;
using pocketbert::PoolingMode;
using pocketbert::Session;
using pocketbert::TensorView;
using pocketbert::ThreadPool;
using pocketbert::Workspace;
using reference::Matrix;
using reference::NamedTensors;
using reference::OwnedBatch;

namespace {

std::string ReadGolden(const std::string& file) {
  const std::string path = POCKETBERT_SOURCE_DIR "/tests/golden/encoder/" + file;
  std::ifstream in(path, std::ios::binary);
  CAPTURE(path);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

// A safetensors file of F32 tensors with one or two dimensions; no checks, the files are ours.
NamedTensors ReadTensors(const std::string& file) {
  const std::string bytes = ReadGolden(file);
  uint64_t header_bytes;
  std::memcpy(&header_bytes, bytes.data(), 8);
  const std::string_view text = std::string_view(bytes).substr(8, size_t(header_bytes));
  const JsonDocument header = ParseJson(text, file).value();
  NamedTensors tensors;
  for (const auto& [name, entry] : header.root().Members()) {
    if (name == "__metadata__") continue;
    std::vector<size_t> numbers;  // shape, then offsets
    for (const char* key : {"shape", "data_offsets"}) {
      for (Json item : entry.Get(key).value().Items()) {
        numbers.push_back(static_cast<size_t>(item.AsInt().value()));
      }
    }
    const bool is_vector = numbers.size() == 3;
    Matrix<float> tensor(is_vector ? 1 : numbers[0], is_vector ? numbers[0] : numbers[1]);
    std::memcpy(tensor.values.data(), text.data() + text.size() + numbers[numbers.size() - 2],
                tensor.values.size() * sizeof(float));
    tensors.f32[std::string(name)] = tensor;
  }
  return tensors;
}

EncoderConfig ReadConfig(Json json) {
  const auto number = [&](const char* key) {
    return static_cast<size_t>(json.GetInt(key).value());
  };
  return {.vocab_size = number("vocab_size"),
          .hidden_size = number("hidden_size"),
          .embedding_size = number("embedding_size"),
          .layers = number("layers"),
          .heads = number("heads"),
          .intermediate_size = number("intermediate_size"),
          .max_positions = number("max_positions"),
          .type_vocab_size = number("type_vocab_size"),
          .activation =
              pocketbert::ActivationFromName(json.GetString("activation").value()).value()};
}

template <typename T>
std::vector<T> ReadList(Json json) {
  std::vector<T> list;
  for (Json item : json.Items()) list.push_back(static_cast<T>(item.AsDouble().value()));
  return list;
}

// One golden case: a model, its inputs, and the vectors to expect.
struct Golden {
  JsonDocument document;
  NamedTensors tensors;
  reference::TensorBinder binder{tensors};
  EncoderConfig config;
  pocketbert::EncoderWeights weights;
  OwnedBatch batch;

  explicit Golden(const std::string& name)
      : document(ParseJson(ReadGolden(name + ".json"), name).value()),
        tensors(ReadTensors(name + ".safetensors")),
        config(ReadConfig(json().Get("config").value())) {
    weights.layers.resize(config.layers);
    VisitTensors(config, weights, binder);
    std::vector<reference::Sequence> sequences;
    for (Json item : json().Get("sequences").value().Items()) {
      sequences.push_back({ReadList<int>(item.Get("ids").value()),
                           ReadList<int>(item.Get("types").value())});
    }
    batch = OwnedBatch(sequences);
  }

  Json json() const { return document.root(); }

  std::vector<double> Expected() const {
    std::vector<double> expected;
    for (Json row : json().Get("expected").value().Items()) {
      const std::vector<double> values = ReadList<double>(row);
      expected.insert(expected.end(), values.begin(), values.end());
    }
    return expected;
  }

  // Widths are those of the tensors.
  HeadConfig ReadHead() const {
    const Json head = json().Get("head").value();
    HeadConfig result;
    result.dense_name = head.StringOr("dense_name", "").value();
    result.output_name = head.StringOr("output_name", "").value();
    result.activation =
        pocketbert::ActivationFromName(head.StringOr("activation", "linear").value()).value();
    result.inputs = result.inner = config.hidden_size;
    if (!result.dense_name.empty()) {
      result.inner = tensors.f32.at(result.dense_name + ".weight").rows;
    }
    result.outputs = tensors.f32.at(result.output_name + ".weight").rows;
    return result;
  }
};

// What the head reads: every token's vector, or one pooled per sequence.
TensorView<float> InputOf(const Golden& golden, TensorView<float> hidden, Session& session) {
  const std::string_view input = golden.json().GetString("input").value();
  if (input == "tokens") return hidden;
  const PoolingMode mode = input == "mean" ? PoolingMode::kMean : PoolingMode::kCls;
  const pocketbert::TokenBatch batch = golden.batch.view();
  const TensorView<float> pooled =
      session.workspace.Alloc<float>(batch.sequences(), hidden.cols);
  Pool({&mode, 1}, hidden, batch, 0, pooled);
  return pooled;
}

std::vector<float> Compute(Golden& golden) {
  ThreadPool pool(2);
  const size_t tokens = golden.batch.ids.size();
  Session session{Workspace::Create(EncoderWorkspaceBytes(golden.config, tokens, pool.size()) +
                                    (1 << 16))
                      .value(),
                  &pool};
  const TensorView<float> hidden =
      RunEncoder(golden.config, golden.weights, golden.batch.view(), session);
  TensorView<float> result = InputOf(golden, hidden, session);
  pocketbert::HeadWeights head;
  if (golden.json().Find("head")) {
    const HeadConfig config = golden.ReadHead();
    VisitHeadTensors(config, head, golden.binder);
    result = RunHead(config, head, result, session);
  }
  if (golden.json().BoolOr("softmax", false).value()) pocketbert::Softmax(1, result);
  std::vector<float> values;
  for (size_t r = 0; r < result.rows; ++r) {
    if (golden.json().BoolOr("normalize", false).value()) pocketbert::NormalizeRow(result.Row(r));
    values.insert(values.end(), result.Row(r).begin(), result.Row(r).end());
  }
  return values;
}

}  // namespace

TEST_CASE("encoders and heads agree with PyTorch and transformers") {
  // In float64 with 10 digits: the error is ours. In float32 with 6 digits: half a digit besides.
  struct Case {
    const char* name;
    double tolerance;
  };
  for (const auto& [name, tolerance] :
       {Case{"bert_tokens", 2e-6}, Case{"bert_pooler", 2e-6}, Case{"bert_enhanced", 2e-6},
        Case{"electra_mean", 2e-6}, Case{"electra_head", 2e-6}, Case{"distilbert_head", 2e-6}}) {
    Golden golden(name);
    const double error = reference::GreatestError<double>(Compute(golden), golden.Expected());
    CAPTURE(name, error);
    CHECK(error <= tolerance);
  }
}

TEST_CASE("a head with one map, and a temperature") {
  NamedTensors tensors;
  pocketbert::HeadWeights head;
  HeadConfig config;
  config.dense_name = "pooler.dense";
  config.inputs = 6;
  config.inner = config.outputs = 4;
  VisitHeadTensors(config, head, reference::TensorMaker(tensors, 0, 120));
  reference::TensorBinder binder{tensors};
  VisitHeadTensors(config, head, binder);
  ThreadPool pool(1);
  Session session{Workspace::Create(HeadWorkspaceBytes(config, 3, 1)).value(), &pool};
  reference::Random random(121);
  const Matrix<float> x = random.FloatMatrix(3, 6);
  config.temperature = 1.25f;
  Workspace::Scope scope(session.workspace);
  const TensorView<float> y = RunHead(config, head, x.view(), session);
  const Matrix<double> linear = reference::MatMulTransposed(
      x.As<double>(), tensors.f32.at("pooler.dense.weight").As<double>(),
      tensors.f32.at("pooler.dense.bias").As<double>().values);
  std::vector<double> expected;
  for (double v : linear.values) expected.push_back(std::tanh(v) / 1.25);
  CHECK(reference::GreatestError<double>(std::span(y.data, 12), expected) <= 1e-6);
}
