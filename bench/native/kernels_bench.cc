// Speed of the kernels, natively: products in GMAC/s and as a share of what the multipliers can do,
// row kernels in elements per second. Shapes are those of all-MiniLM-L6-v2 (384 wide, 1536 inside,
// heads of 32) and of BERT-base (768, 3072).
//
// `share` is of 16 multiply-adds of int8 a cycle, or 8 of float32 (two 128-bit multiplications a
// cycle, additions apart), at the clock that is measured when the program starts.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "kernels/activation.h"
#include "kernels/gemm_f32.h"
#include "kernels/gemm_i8.h"
#include "kernels/layer_norm.h"
#include "kernels/pack_i8.h"
#include "kernels/quantize_rows.h"
#include "kernels/softmax.h"

namespace pocketbert {
namespace {

constexpr size_t kGroup = 128;
constexpr double kMacsPerCycleI8 = 16;
constexpr double kMacsPerCycleF32 = 8;

// Cycles per second: additions that wait for one another take a cycle each. The best of ten tries.
double MeasureClock() {
  constexpr int kTries = 10;
  constexpr int64_t kAdditions = 20'000'000;
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    uint64_t value = 1;
    const auto start = std::chrono::steady_clock::now();
    for (int64_t n = 0; n < kAdditions / 10; ++n) {
      for (int k = 0; k < 10; ++k) {
        value += value;
        asm volatile("" : "+r"(value));
      }
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::max(best, static_cast<double>(kAdditions) / time.count());
  }
  return best;
}

double Clock() {
  static const double clock = MeasureClock();
  return clock;
}

std::vector<float> RandomFloats(size_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

void ReportMacs(benchmark::State& state, double macs, double per_cycle) {
  using benchmark::Counter;
  const double total = macs * static_cast<double>(state.iterations());
  state.counters["GMAC/s"] = Counter(total / 1e9, Counter::kIsRate);
  state.counters["share"] = Counter(total / (Clock() * per_cycle), Counter::kIsRate);
}

void ReportElements(benchmark::State& state, size_t elements) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(elements));
}

// Activations [rows, cols], quantized, with the memory they lie in.
struct Activations {
  Activations(size_t rows, size_t cols)
      : input(RandomFloats(rows * cols)),
        codes(rows * cols),
        scales(rows * PackedI8::GroupCount(cols, kGroup)),
        offsets(scales.size()),
        view{{codes.data(), rows, cols},
             {scales.data(), rows, PackedI8::GroupCount(cols, kGroup)},
             {offsets.data(), rows, PackedI8::GroupCount(cols, kGroup)},
             cols,
             kGroup} {}

  std::vector<float> input;
  std::vector<uint8_t> codes;
  std::vector<float> scales, offsets;
  QuantizedRows<uint8_t> view;
};

// args: rows of activations, outputs, inputs.
void GemmI8(benchmark::State& state) {
  const auto m = static_cast<size_t>(state.range(0));
  const auto n = static_cast<size_t>(state.range(1));
  const auto k = static_cast<size_t>(state.range(2));
  const size_t groups = PackedI8::GroupCount(k, kGroup);
  std::mt19937 random(2);
  std::normal_distribution<float> normal(0, 30);
  std::vector<int8_t> matrix(n * k);
  for (int8_t& value : matrix) {
    value = static_cast<int8_t>(std::min(127.0f, std::max(-127.0f, normal(random))));
  }
  const std::vector<float> row_scales(n * groups, 0.01f);
  std::vector<int8_t> panels(PackedI8::PaddedRows(n) * PackedI8::PaddedCols(k));
  std::vector<float> scales(PackedI8::PaddedRows(n) * groups);
  std::vector<float> sums(scales.size());
  const PackedI8 weights = PackI8({matrix.data(), n, k}, {row_scales.data(), n, groups}, kGroup,
                                  {panels, scales, sums});
  Activations a(m, k);
  QuantizeRows({a.input.data(), m, k}, {}, a.view);
  const std::vector<float> bias(n, 0.1f);
  std::vector<float> c(m * n);
  for (auto _ : state) {
    MatMulI8(a.view, weights, bias, TensorView<float>(c.data(), m, n));
    benchmark::ClobberMemory();
  }
  ReportMacs(state, static_cast<double>(m * n * k), kMacsPerCycleI8);
}

void GemmF32(benchmark::State& state) {
  const auto m = static_cast<size_t>(state.range(0));
  const auto n = static_cast<size_t>(state.range(1));
  const auto k = static_cast<size_t>(state.range(2));
  const std::vector<float> a = RandomFloats(m * k);
  const std::vector<float> b = RandomFloats(n * k);
  std::vector<float> c(m * n);
  for (auto _ : state) {
    MatMulTransposed({a.data(), m, k}, {b.data(), n, k}, {}, {c.data(), m, n});
    benchmark::ClobberMemory();
  }
  ReportMacs(state, static_cast<double>(m * n * k), kMacsPerCycleF32);
}

// Row kernels; args: rows, columns.

void Quantize(benchmark::State& state) {
  const auto rows = static_cast<size_t>(state.range(0));
  const auto cols = static_cast<size_t>(state.range(1));
  Activations a(rows, cols);
  for (auto _ : state) {
    QuantizeRows({a.input.data(), rows, cols}, {}, a.view);
    benchmark::ClobberMemory();
  }
  ReportElements(state, rows * cols);
}

void Normalize(benchmark::State& state) {
  const auto rows = static_cast<size_t>(state.range(0));
  const auto cols = static_cast<size_t>(state.range(1));
  const std::vector<float> input = RandomFloats(rows * cols);
  const std::vector<float> gamma(cols, 1.5f);
  const std::vector<float> beta(cols, 0.5f);
  std::vector<float> output(rows * cols);
  for (auto _ : state) {
    LayerNorm({input.data(), rows, cols}, {gamma, beta, 1e-12f}, {output.data(), rows, cols});
    benchmark::ClobberMemory();
  }
  ReportElements(state, rows * cols);
}

void SoftmaxRows(benchmark::State& state) {
  const auto rows = static_cast<size_t>(state.range(0));
  const auto cols = static_cast<size_t>(state.range(1));
  // Its own output again and again: values change, the work does not.
  std::vector<float> values = RandomFloats(rows * cols);
  for (auto _ : state) {
    Softmax(0.177f, {values.data(), rows, cols});
    benchmark::ClobberMemory();
  }
  ReportElements(state, rows * cols);
}

void Gelu(benchmark::State& state) {
  const auto rows = static_cast<size_t>(state.range(0));
  const auto cols = static_cast<size_t>(state.range(1));
  const std::vector<float> input = RandomFloats(rows * cols);
  std::vector<float> output(rows * cols);
  for (auto _ : state) {
    Activate(Activation::kGelu, {input.data(), rows, cols}, {output.data(), rows, cols});
    benchmark::ClobberMemory();
  }
  ReportElements(state, rows * cols);
}

void GemmShapes(benchmark::internal::Benchmark* measured) {
  measured->ArgNames({"rows", "outputs", "inputs"});
  for (const int64_t rows : {1, 4, 8, 16, 64, 128, 256}) {
    measured->Args({rows, 384, 384})->Args({rows, 1536, 384})->Args({rows, 384, 1536});
  }
  measured->Args({128, 3072, 768});
}

BENCHMARK(GemmI8)->Apply(GemmShapes);
BENCHMARK(GemmF32)->Apply(GemmShapes);
BENCHMARK(Quantize)->ArgNames({"rows", "cols"})->Args({128, 384})->Args({128, 1536});
BENCHMARK(Normalize)->ArgNames({"rows", "cols"})->Args({128, 384})->Args({128, 768});
BENCHMARK(SoftmaxRows)->ArgNames({"rows", "cols"})->Args({128, 16})->Args({128, 128});
BENCHMARK(Gelu)->ArgNames({"rows", "cols"})->Args({128, 1536});

}  // namespace
}  // namespace pocketbert

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("measured clock, GHz",
                              std::to_string(pocketbert::Clock() / 1e9));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
