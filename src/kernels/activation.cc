#include "kernels/activation.h"

#include "kernels/simd.h"

namespace pocketbert {

namespace {

using namespace simd;  // NOLINT: the vocabulary of a kernel file

// a * Phi(-a) for a >= 0, Phi = standard normal distribution: a / (2 q(a)^8), where polynomial q
// approximates (2 Phi(-a))^(-1/8). The form is that of Abramowitz & Stegun 7.1.28; degree and
// coefficients are a minimax fit for this file: within 5e-8 before rounding. Goes to 0 for large a
// (q(a)^8 may overflow to infinity, which is wanted).
VecF32 NormalTailTimes(VecF32 a) {
  VecF32 q = Horner<-1.67471371e-05f>(Constant<2.93248695e-06f>(), a);
  q = Horner<9.75818257e-05f>(q, a);
  q = Horner<0.000111351685f>(q, a);
  q = Horner<0.000980661367f>(q, a);
  q = Horner<0.00859163236f>(q, a);
  q = Horner<0.0447888002f>(q, a);
  q = Horner<0.0997324958f>(q, a);
  q = Horner<1.0f>(q, a);
  q = hn::Mul(q, q);
  q = hn::Mul(q, q);
  q = hn::Mul(q, q);
  return hn::Div(hn::Mul(a, Constant<0.5f>()), q);
}

// x Phi(x) = max(x, 0) - |x| Phi(-|x|): the second term is small, so its error is.
VecF32 Gelu(VecF32 x) {
  return hn::Sub(Greater(hn::Zero(F32()), x), NormalTailTimes(hn::Abs(x)));
}

// x (1/2 + y P(y^2)), where y is x cut to [-4, 4] and y P(y^2) approximates Phi(y) - 1/2: a minimax
// fit for this file to the error of the whole, 1.9e-4. P(16) is 1/8 in float arithmetic, so that
// beyond 4 the result is exactly 0 or x.
VecF32 GeluCoarse(VecF32 x) {
  const VecF32 y = Lesser(Greater(x, Constant<-4.0f>()), Constant<4.0f>());
  const VecF32 y2 = hn::Mul(y, y);
  VecF32 p = Horner<-1.58882699e-06f>(Constant<2.25882051e-08f>(), y2);
  p = Horner<4.7763886e-05f>(p, y2);
  p = Horner<-0.0008121875f>(p, y2);
  p = Horner<0.00876369141f>(p, y2);
  p = Horner<-0.0645544156f>(p, y2);
  p = Horner<0.397870302f>(p, y2);
  return hn::Mul(x, Horner<0.5f>(p, y));
}

VecF32 Sigmoid(VecF32 x) {
  return hn::Div(Constant<1.0f>(), hn::Add(Constant<1.0f>(), Exp(hn::Neg(x))));
}

// x * sigmoid(gate), with one division.
VecF32 TimesSigmoid(VecF32 x, VecF32 gate) {
  return hn::Div(x, hn::Add(Constant<1.0f>(), Exp(hn::Neg(gate))));
}

// tanh(u) = 2 sigmoid(2u) - 1, so the tanh form of GELU is x * sigmoid(2u).
VecF32 GeluTanh(VecF32 x) {
  const VecF32 inner = hn::Add(Constant<1.0f>(), hn::Mul(Constant<0.044715f>(), hn::Mul(x, x)));
  return TimesSigmoid(x, hn::Mul(hn::Mul(Constant<1.59576912f>(), x), inner));  // 2 sqrt(2 / pi)
}

// 1 - 2 / (e^2|x| + 1), with the sign of x.
VecF32 Tanh(VecF32 x) {
  const VecF32 e = Exp(hn::Mul(Constant<2.0f>(), hn::Abs(x)));
  const VecF32 rest = hn::Div(Constant<2.0f>(), hn::Add(e, Constant<1.0f>()));
  const VecF32 t = hn::Sub(Constant<1.0f>(), rest);
  return hn::CopySignToAbs(t, x);
}

// tanh(log(1 + e^x)) = n / (n + 2) with n = e^x (e^x + 2); from x = 20 on it is 1 in float32.
VecF32 Mish(VecF32 x) {
  const VecF32 e = Exp(hn::Min(x, Constant<20.0f>()));
  const VecF32 n = hn::Mul(e, hn::Add(e, Constant<2.0f>()));
  return hn::Mul(x, hn::Div(n, hn::Add(n, Constant<2.0f>())));
}

// Phi((x - 0.707107) / 0.282095) = (1 + erf(z)) / 2; tail Phi(-|z|) through the same polynomial as
// above, without the factor.
VecF32 Laplace(VecF32 x) {
  const VecF32 z =
      hn::Mul(hn::Sub(x, Constant<0.707107f>()), Constant<1.0f / 0.282095f>());
  const VecF32 a = hn::Max(hn::Abs(z), Constant<1e-6f>());
  const VecF32 tail = hn::Div(NormalTailTimes(a), a);
  return hn::IfThenElse(hn::Gt(z, hn::Zero(F32())), hn::Sub(Constant<1.0f>(), tail), tail);
}

VecF32 Relu(VecF32 x) { return hn::Max(x, hn::Zero(F32())); }

VecF32 LeakyRelu(VecF32 x) {
  return hn::IfThenElse(hn::Ge(x, hn::Zero(F32())), x, hn::Mul(x, Constant<0.01f>()));
}

VecF32 Clip(VecF32 x, float low, float high) {
  return hn::Min(hn::Max(x, hn::Set(F32(), low)), hn::Set(F32(), high));
}

// The activations that hardly any model has: chosen for every vector anew, because a loop for each
// would be half a kilobyte of code.
HWY_NOINLINE VecF32 RareActivation(Activation activation, VecF32 x) {
  switch (activation) {
    case Activation::kLinear: return x;
    case Activation::kRelu: return Relu(x);
    case Activation::kRelu2: return hn::Mul(Relu(x), Relu(x));
    case Activation::kRelu6: return Clip(x, 0, 6);
    case Activation::kLeakyRelu: return LeakyRelu(x);
    case Activation::kGelu10: return Clip(Gelu(x), -10, 10);
    case Activation::kQuickGelu: return TimesSigmoid(x, hn::Mul(x, Constant<1.702f>()));
    case Activation::kSilu: return TimesSigmoid(x, x);
    case Activation::kMish: return Mish(x);
    case Activation::kTanh: return Tanh(x);
    case Activation::kSigmoid: return Sigmoid(x);
    case Activation::kLaplace: return Laplace(x);
    case Activation::kGelu:
    case Activation::kGeluCoarse:
    case Activation::kGeluTanh: break;
  }
  PB_CHECK(false && "no rare activation");
  return x;
}

// The matrices that one activation reads and writes.
struct Matrices {
  TensorView<const float> input;
  TensorView<float> output;
};

template <typename VectorOp>
HWY_NOINLINE void MapRows(const Matrices& matrices, VectorOp vector_op) {
  const auto& [input, output] = matrices;
  for (size_t r = 0; r < input.rows; ++r) {
    MapRow(input.data + r * input.stride, output.data + r * output.stride, input.cols, vector_op);
  }
}

struct NamedActivation {
  std::string_view name;
  Activation activation;
};

// Names: the keys of ACT2FN in transformers/activations.py.
constexpr NamedActivation kNames[] = {
    {"gelu", Activation::kGelu},
    {"gelu_10", Activation::kGelu10},
    {"gelu_accurate", Activation::kGeluTanh},
    {"gelu_fast", Activation::kGeluTanh},
    {"gelu_new", Activation::kGeluTanh},
    {"gelu_python", Activation::kGelu},
    {"gelu_python_tanh", Activation::kGeluTanh},
    {"gelu_pytorch_tanh", Activation::kGeluTanh},
    {"laplace", Activation::kLaplace},
    {"leaky_relu", Activation::kLeakyRelu},
    {"linear", Activation::kLinear},
    {"mish", Activation::kMish},
    {"quick_gelu", Activation::kQuickGelu},
    {"relu", Activation::kRelu},
    {"relu2", Activation::kRelu2},
    {"relu6", Activation::kRelu6},
    {"sigmoid", Activation::kSigmoid},
    {"silu", Activation::kSilu},
    {"swish", Activation::kSilu},
    {"tanh", Activation::kTanh},
};

}  // namespace

std::optional<Activation> ActivationFromName(std::string_view name) {
  for (const NamedActivation& named : kNames) {
    if (named.name == name) return named.activation;
  }
  return std::nullopt;
}

void Activate(Activation activation, TensorView<const float> input, TensorView<float> output) {
  PB_CHECK(input.rows == output.rows && input.cols == output.cols);
  const Matrices matrices{input, output};
  switch (activation) {
    case Activation::kGelu: return MapRows(matrices, [](VecF32 x) { return Gelu(x); });
    case Activation::kGeluCoarse:
      return MapRows(matrices, [](VecF32 x) { return GeluCoarse(x); });
    case Activation::kGeluTanh: return MapRows(matrices, [](VecF32 x) { return GeluTanh(x); });
    default:
      return MapRows(matrices, [activation](VecF32 x) { return RareActivation(activation, x); });
  }
}

}  // namespace pocketbert
