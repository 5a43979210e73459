#pragma once
// Functions of one number. In double: the C library's. In float: the polynomials that
// src/kernels documents, step by step, so that the bits must agree.

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/activation.h"

namespace reference {

using pocketbert::Activation;

template <typename T>
T Exp(T x) {
  if constexpr (std::is_same_v<T, float>) {
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    const float n = std::nearbyint(x * 1.44269504f);
    float r = x - n * 0.693359375f;
    r = r - n * -2.12194440e-4f;
    float p = 0.00138146128f;
    for (float c : {0.00836871006f, 0.041668389f, 0.166665211f, 0.49999994f}) p = p * r + c;
    p = (p * (r * r) + r) + 1.0f;
    return std::ldexp(p, static_cast<int>(n));
  } else {
    return std::exp(x);
  }
}

// a * Phi(-a), a >= 0.
template <typename T>
T NormalTailTimes(T a) {
  if constexpr (std::is_same_v<T, float>) {
    float q = 2.93248695e-06f;
    for (float c : {-1.67471371e-05f, 9.75818257e-05f, 0.000111351685f, 0.000980661367f,
                    0.00859163236f, 0.0447888002f, 0.0997324958f, 1.0f}) {
      q = q * a + c;
    }
    const float q2 = q * q;
    const float q4 = q2 * q2;
    return a * 0.5f / (q4 * q4);
  } else {
    return a * std::erfc(a / std::sqrt(T(2))) / 2;
  }
}

template <typename T>
T Gelu(T x) {
  return (x > 0 ? x : T(0)) - NormalTailTimes(std::abs(x));
}

template <typename T>
T GeluCoarse(T x) {
  if constexpr (std::is_same_v<T, float>) {
    const float y = x < -4.0f ? -4.0f : x > 4.0f ? 4.0f : x;
    float p = 2.25882051e-08f;
    for (float c : {-1.58882699e-06f, 4.7763886e-05f, -0.0008121875f, 0.00876369141f,
                    -0.0645544156f, 0.397870302f}) {
      p = p * (y * y) + c;
    }
    return x * (p * y + 0.5f);
  } else {
    return Gelu(x);
  }
}

// Formulas of transformers/activations.py, with a sigmoid where they have a tanh of half the
// argument: the same function.
template <typename T>
T ActivateOne(Activation activation, T x) {
  const auto clip = [](T v, T low, T high) { return v < low ? low : v > high ? high : v; };
  switch (activation) {
    case Activation::kLinear: return x;
    case Activation::kRelu: return x > 0 ? x : T(0);
    case Activation::kRelu2: return x > 0 ? x * x : T(0);
    case Activation::kRelu6: return clip(x, 0, 6);
    case Activation::kLeakyRelu: return x >= 0 ? x : x * T(0.01f);
    case Activation::kGelu: return Gelu(x);
    case Activation::kGeluCoarse: return GeluCoarse(x);
    case Activation::kGelu10: return clip(Gelu(x), -10, 10);
    case Activation::kGeluTanh: {
      const T inner = T(1) + T(0.044715f) * (x * x);
      const T factor = std::is_same_v<T, float> ? T(1.59576912f) : T(2 * std::sqrt(2 / M_PI));
      const T gate = factor * x * inner;
      return x / (T(1) + Exp(-gate));
    }
    case Activation::kQuickGelu: return x / (T(1) + Exp(-(x * T(1.702f))));
    case Activation::kSilu: return x / (T(1) + Exp(-x));
    case Activation::kMish: {
      if constexpr (std::is_same_v<T, float>) {
        const float e = Exp(x < 20.0f ? x : 20.0f);
        const float n = e * (e + 2.0f);
        return x * (n / (n + 2.0f));
      } else {
        return x * std::tanh(std::log1p(std::exp(x)));
      }
    }
    case Activation::kTanh: {
      if constexpr (std::is_same_v<T, float>) {
        return std::copysign(1.0f - 2.0f / (Exp(2.0f * std::abs(x)) + 1.0f), x);
      } else {
        return std::tanh(x);
      }
    }
    case Activation::kSigmoid: return T(1) / (T(1) + Exp(-x));
    case Activation::kLaplace: {
      if constexpr (std::is_same_v<T, float>) {
        const float z = (x - 0.707107f) * (1.0f / 0.282095f);
        const float a = std::abs(z) > 1e-6f ? std::abs(z) : 1e-6f;
        const float tail = NormalTailTimes(a) / a;
        return z > 0 ? 1.0f - tail : tail;
      } else {
        return std::erfc(-(x - 0.707107) / (0.282095 * std::sqrt(T(2)))) / 2;
      }
    }
  }
  return x;
}

}  // namespace reference
