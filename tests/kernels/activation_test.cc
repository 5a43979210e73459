#include "kernels/activation.h"

#include <catch2/catch_amalgamated.hpp>

#include <string>

#include "reference/compare.h"
#include "reference/random.h"
#include "reference/scalar_math.h"

using pocketbert::Activate;
using pocketbert::Activation;
using pocketbert::ActivationFromName;

namespace {

constexpr Activation kAll[] = {
    Activation::kLinear,    Activation::kRelu,     Activation::kRelu2,    Activation::kRelu6,
    Activation::kLeakyRelu, Activation::kGelu,     Activation::kGelu10,   Activation::kGeluTanh,
    Activation::kQuickGelu, Activation::kSilu,     Activation::kMish,     Activation::kTanh,
    Activation::kSigmoid,   Activation::kLaplace};

// -30 … 30 in steps that are no multiples of a power of two, and huge values.
std::vector<float> DenseGrid() {
  std::vector<float> x;
  for (int i = -300000; i <= 300000; ++i) x.push_back(static_cast<float>(i) * 1.0001e-4f);
  for (float v : {0.0f, -0.0f, 1e-30f, -1e-30f, 88.5f, -88.5f, 1e4f, -1e4f, 1e15f, -1e15f}) {
    x.push_back(v);
  }
  return x;
}

void ActivateInPlace(Activation activation, std::vector<float>& values) {
  Activate(activation, pocketbert::TensorView<float>(values.data(), 1, values.size()));
}

}  // namespace

TEST_CASE("activations are within 5e-7 of their formulas") {
  const std::vector<float> grid = DenseGrid();
  for (Activation activation : kAll) {
    std::vector<float> y = grid;
    ActivateInPlace(activation, y);
    std::vector<double> expected(grid.size());
    for (size_t i = 0; i < grid.size(); ++i) {
      expected[i] = reference::ActivateOne<double>(activation, grid[i]);
    }
    CAPTURE(static_cast<int>(activation));
    const double error = reference::GreatestError<double>(y, expected);
    CAPTURE(error);
    // kLaplace divides its argument by 0.28, and with it the argument's rounding.
    CHECK(error <= (activation == Activation::kLaplace ? 1e-6 : 5e-7));
  }
}

TEST_CASE("the coarse GELU is within 2e-4 of the formula, and 0 or the input beyond 4") {
  const std::vector<float> x = DenseGrid();
  std::vector<float> y = x;
  ActivateInPlace(Activation::kGeluCoarse, y);
  std::vector<double> expected(x.size());
  std::vector<float> twin(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    expected[i] = reference::ActivateOne<double>(Activation::kGelu, x[i]);
    twin[i] = reference::ActivateOne<float>(Activation::kGeluCoarse, x[i]);
    if (x[i] >= 4) CHECK(y[i] == x[i]);
    if (x[i] <= -4) CHECK(y[i] == 0);
  }
  CHECK(reference::GreatestError<double>(y, expected) <= 2e-4);
  CHECK(reference::CountDifferentBits(y, twin) == 0);
}

TEST_CASE("exact GELU is within 3e-7 for all negative inputs, where the result is small") {
  std::vector<float> x;
  for (int i = 0; i <= 2000000; ++i) x.push_back(static_cast<float>(i) * -5e-6f);
  std::vector<float> y = x;
  ActivateInPlace(Activation::kGelu, y);
  std::vector<double> expected(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    expected[i] = reference::ActivateOne<double>(Activation::kGelu, x[i]);
  }
  CHECK(reference::GreatestError<double>(y, expected) <= 3e-7);
}

TEST_CASE("activations give the bits of the documented steps, at every length and stride") {
  reference::Random random(1);
  for (Activation activation : kAll) {
    for (size_t cols : {0, 1, 3, 4, 5, 37}) {
      const reference::Matrix<float> x = random.FloatMatrix(3, cols, 6);
      reference::StridedMatrix values(reference::Matrix<float>(3, cols), 3);
      reference::StridedMatrix input(x, 1);
      Activate(activation, input.view(), values.view());
      reference::Matrix<float> expected = x;
      for (float& v : expected.values) v = reference::ActivateOne(activation, v);
      CAPTURE(static_cast<int>(activation), cols);
      CHECK(reference::CountDifferentBits(values.Dense().values, expected.values) == 0);
      CHECK(values.GuardsIntact());
    }
  }
}

TEST_CASE("activation names are those of transformers") {
  // Values at 1 from torch's definitions, so that a name bound to the wrong formula shows.
  struct Expectation {
    const char* name;
    double at_one;
  };
  const Expectation expectations[] = {
      {"gelu", 0.8413447460685429},         {"gelu_python", 0.8413447460685429},
      {"gelu_10", 0.8413447460685429},      {"gelu_new", 0.8411919906082768},
      {"gelu_fast", 0.8411919906082768},    {"gelu_pytorch_tanh", 0.8411919906082768},
      {"gelu_python_tanh", 0.8411919906082768}, {"gelu_accurate", 0.8411919906082768},
      {"quick_gelu", 0.8457957659328212},   {"relu", 1.0},
      {"relu2", 1.0},                       {"relu6", 1.0},
      {"leaky_relu", 1.0},                  {"silu", 0.7310585786300049},
      {"swish", 0.7310585786300049},        {"mish", 0.8650983882673103},
      {"tanh", 0.7615941559557649},         {"sigmoid", 0.7310585786300049},
      {"linear", 1.0},                      {"laplace", 0.8504296492845703}};
  for (const auto& [name, at_one] : expectations) {
    CAPTURE(name);
    const auto activation = ActivationFromName(name);
    REQUIRE(activation.has_value());
    std::vector<float> value = {1};
    ActivateInPlace(*activation, value);
    CHECK(value[0] == Catch::Approx(at_one).margin(2e-7));
  }
  for (const char* name : {"", "prelu", "xielu", "GELU", "gelu2", "softmax"}) {
    CHECK_FALSE(ActivationFromName(name).has_value());
  }
}
