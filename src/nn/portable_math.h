#pragma once
// Exponential, logarithm, sine and cosine in double by + - * / alone: the same bits on every
// engine, which C libraries do not promise. For tables, not for inner loops.

namespace pocketbert {

// e^x, relative error below 1e-15; x in [-700, 700].
double PortableExp(double x);

// The natural logarithm, error below 1e-15 absolute or relative; x > 0, normal.
double PortableLog(double x);

// Errors below 1e-15; |x| < 2^20.
struct SineCosine {
  double sine, cosine;
};
SineCosine PortableSineCosine(double x);

}  // namespace pocketbert
