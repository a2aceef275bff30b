// GLSL.std.450: angles, exponentials and hyperbolic functions. The ISA has the circular ones, exp, log and pow; the
// others follow the formulas of "Precision and Operation of SPIR-V Instructions", improved near 0 and far from it.
#include "compiler/lower/glsl/ext_glsl.h"

namespace etzel::lower {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLn2 = 0.69314718055994530942;

/// Odd series of sinh for |x| < 1, where (e^x - e^-x) / 2 would cancel.
Operand sinhSeries(GlslInst& g, Operand x) {
  const Operand z = g.mul(x, x);
  Operand p = g.k(1.0 / 362880);
  for (double c : {1.0 / 5040, 1.0 / 120, 1.0 / 6}) p = g.add(g.mul(p, z), g.k(c));
  return g.add(x, g.mul(g.mul(x, z), p));
}

// Sinh and cosh overflow where e^|x| does, although half of that is still a number: the formulas that the
// specification inherits precision from do, and the conformance suite takes nothing else.
Operand coshOf(GlslInst& g, Operand x) {
  const Operand e = g.op(Opcode::FExp, g.abs(x));
  return g.mul(g.k(0.5), g.add(e, g.div(g.k(1), e)));
}

Operand sinhOf(GlslInst& g, Operand x) {
  const Operand a = g.abs(x);
  const Operand e = g.op(Opcode::FExp, a);
  const Operand far = g.withSign(g.mul(g.k(0.5), g.sub(e, g.div(g.k(1), e))), x);
  return g.select(g.less(a, g.k(1)), sinhSeries(g, x), far);
}

Operand tanhOf(GlslInst& g, Operand x) {
  const Operand a = g.abs(x);
  const Operand t = g.op(Opcode::FExp, g.mul(g.k(-2), a));
  const Operand far = g.withSign(g.div(g.sub(g.k(1), t), g.add(g.k(1), t)), x);
  return g.select(g.less(a, g.k(1)), g.div(sinhSeries(g, x), coshOf(g, x)), far);
}

/// Odd series, x + x^3 * (c0 + c1 x^2 + ...), for |x| < 0.3: logarithms of numbers near 1 lose there what x says.
Operand oddSeries(GlslInst& g, Operand x, std::initializer_list<double> highestFirst) {
  const Operand z = g.mul(x, x);
  Operand p;
  for (double c : highestFirst) p = p.present() ? g.add(g.mul(p, z), g.k(c)) : g.k(c);
  return g.add(x, g.mul(g.mul(x, z), p));
}
Operand asinhSeries(GlslInst& g, Operand x) {
  return oddSeries(g, x, {231.0 / 13312, -63.0 / 2816, 35.0 / 1152, -5.0 / 112, 3.0 / 40, -1.0 / 6});
}

Operand asinhOf(GlslInst& g, Operand x) {
  const Operand a = g.abs(x), z = g.mul(x, x);
  const Operand middle = g.op(Opcode::FLog, g.add(a, g.op(Opcode::FSqrt, g.add(z, g.k(1)))));
  const Operand huge = g.add(g.op(Opcode::FLog, a), g.k(kLn2));  // x * x may overflow
  const Operand far = g.withSign(g.select(g.less(g.k(1e9), a), huge, middle), x);
  return g.select(g.less(a, g.k(0.3)), asinhSeries(g, x), far);
}

Operand acoshOf(GlslInst& g, Operand x) {
  const Operand below = g.sub(x, g.k(1));
  const Operand near = g.mul(g.k(2), asinhSeries(g, g.op(Opcode::FSqrt, g.mul(g.k(0.5), below))));  // half angles
  const Operand root = g.op(Opcode::FSqrt, g.mul(below, g.add(x, g.k(1))));
  const Operand huge = g.add(g.op(Opcode::FLog, x), g.k(kLn2));
  const Operand far = g.select(g.less(g.k(1e9), x), huge, g.op(Opcode::FLog, g.add(x, root)));
  return g.select(g.less(x, g.k(1.18)), near, far);
}

Operand atanhOf(GlslInst& g, Operand x) {
  const Operand near = oddSeries(g, x, {1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3});
  const Operand far = g.mul(g.k(0.5), g.op(Opcode::FLog, g.div(g.add(g.k(1), x), g.sub(g.k(1), x))));
  return g.select(g.less(g.abs(x), g.k(0.3)), near, far);
}

void unary(GlslInst& g, Opcode op) {
  g.each(1, [&](Operand x, Operand, Operand) { return g.op(op, x); });
}
void binary(GlslInst& g, Opcode op) {
  g.each(2, [&](Operand x, Operand y, Operand) { return g.op(op, x, y); });
}
void function(GlslInst& g, Operand (*f)(GlslInst&, Operand)) {
  g.each(1, [&](Operand x, Operand, Operand) { return f(g, x); });
}
/// x * factor; `half` is the factor as binary16, so that 16-bit results are those of a multiplication in 16 bits.
void scale(GlslInst& g, double factor, double half) {
  g.each(1, [&](Operand x, Operand, Operand) { return g.mul(x, g.k(g.type == isa::Type::F16 ? half : factor)); });
}

}  // namespace

bool lowerGlslMath(GlslInst& g) {
  switch (g.code) {
    case GLSLstd450Radians: scale(g, kPi / 180, 0x1.1Ep-6); return true;
    case GLSLstd450Degrees: scale(g, 180 / kPi, 0x1.CA4p5); return true;
    case GLSLstd450Sin: unary(g, Opcode::FSin); return true;
    case GLSLstd450Cos: unary(g, Opcode::FCos); return true;
    case GLSLstd450Tan: unary(g, Opcode::FTan); return true;
    case GLSLstd450Asin: unary(g, Opcode::FAsin); return true;
    case GLSLstd450Acos: unary(g, Opcode::FAcos); return true;
    case GLSLstd450Atan: unary(g, Opcode::FAtan); return true;
    case GLSLstd450Atan2: binary(g, Opcode::FAtan2); return true;
    case GLSLstd450Pow: binary(g, Opcode::FPow); return true;
    case GLSLstd450Exp: unary(g, Opcode::FExp); return true;
    case GLSLstd450Log: unary(g, Opcode::FLog); return true;
    case GLSLstd450Exp2: unary(g, Opcode::FExp2); return true;
    case GLSLstd450Log2: unary(g, Opcode::FLog2); return true;
    case GLSLstd450Sinh: function(g, sinhOf); return true;
    case GLSLstd450Cosh: function(g, coshOf); return true;
    case GLSLstd450Tanh: function(g, tanhOf); return true;
    case GLSLstd450Asinh: function(g, asinhOf); return true;
    case GLSLstd450Acosh: function(g, acoshOf); return true;
    case GLSLstd450Atanh: function(g, atanhOf); return true;
    default: return false;
  }
}

}  // namespace etzel::lower
