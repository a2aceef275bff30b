// GLSL.std.450: geometric functions, determinants and inverses. Sums go left to right.
#include "compiler/lower/glsl/ext_glsl.h"

namespace etzel::lower {
namespace {

Operand lengthOf(GlslInst& g, const Components& x) {
  return x.size() == 1 ? g.abs(x[0]) : g.op(Opcode::FSqrt, g.dot(x, x));
}

/// A square matrix: column-major components.
struct Matrix {
  Components at;
  uint32_t n;
  Operand operator()(uint32_t column, uint32_t row) const { return at[column * n + row]; }
};

/// The matrix without one column and one row.
Matrix minorOf(const Matrix& m, uint32_t column, uint32_t row) {
  Matrix r{{}, m.n - 1};
  for (uint32_t c = 0; c < m.n; ++c)
    for (uint32_t i = 0; i < m.n; ++i)
      if (c != column && i != row) r.at.push_back(m(c, i));
  return r;
}

Operand determinant(GlslInst& g, const Matrix& m) {
  if (m.n == 1) return m(0, 0);
  if (m.n == 2) return g.sub(g.mul(m(0, 0), m(1, 1)), g.mul(m(1, 0), m(0, 1)));
  Operand sum;
  for (uint32_t row = 0; row < m.n; ++row) {
    const Operand term = g.mul(m(0, row), determinant(g, minorOf(m, 0, row)));
    sum = row == 0 ? term : row % 2 ? g.sub(sum, term) : g.add(sum, term);
  }
  return sum;
}

/// The adjugate divided by the determinant.
Components inverse(GlslInst& g, const Matrix& m) {
  Matrix cofactor{Components(m.n * m.n), m.n};
  for (uint32_t c = 0; c < m.n; ++c)
    for (uint32_t r = 0; r < m.n; ++r) {
      const Operand d = determinant(g, minorOf(m, c, r));
      cofactor.at[c * m.n + r] = (c + r) % 2 ? g.neg(d) : d;
    }
  Operand det = g.mul(m(0, 0), cofactor(0, 0));
  for (uint32_t r = 1; r < m.n; ++r) det = g.add(det, g.mul(m(0, r), cofactor(0, r)));
  Components result(m.n * m.n);
  for (uint32_t c = 0; c < m.n; ++c)
    for (uint32_t r = 0; r < m.n; ++r) result[c * m.n + r] = g.div(cofactor(r, c), det);
  return result;
}

uint32_t order(GlslInst& g) {
  const auto& t = g.l.typeOfValue(g.id(0));
  return t.count;
}

void cross(GlslInst& g) {
  const Components a = g.arg(0), b = g.arg(1);
  Components r;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    r.push_back(g.sub(g.mul(a[j], b[k]), g.mul(b[j], a[k])));
  }
  g.result(std::move(r));
}

void normalize(GlslInst& g) {
  Components x = g.arg(0);
  const Operand length = lengthOf(g, x);
  for (Operand& o : x) o = g.div(o, length);
  g.result(std::move(x));
}

void faceForward(GlslInst& g) {
  Components n = g.arg(0);
  const Operand towards = g.less(g.dot(g.arg(2), g.arg(1)), g.k(0));
  for (Operand& o : n) o = g.select(towards, o, g.neg(o));
  g.result(std::move(n));
}

void reflect(GlslInst& g) {
  Components i = g.arg(0);
  const Components n = g.arg(1);
  const Operand twice = g.mul(g.k(2), g.dot(n, i));
  for (size_t c = 0; c < i.size(); ++c) i[c] = g.sub(i[c], g.mul(twice, n[c]));
  g.result(std::move(i));
}

void refract(GlslInst& g) {
  Components i = g.arg(0);
  const Components n = g.arg(1);
  const Operand eta = g.arg(2)[0];
  const Operand d = g.dot(n, i);
  const Operand k = g.sub(g.k(1), g.mul(g.mul(eta, eta), g.sub(g.k(1), g.mul(d, d))));
  const Operand total = g.less(k, g.k(0));  // total internal reflection
  const Operand along = g.add(g.mul(eta, d), g.op(Opcode::FSqrt, k));
  for (size_t c = 0; c < i.size(); ++c) i[c] = g.select(total, g.k(0), g.sub(g.mul(eta, i[c]), g.mul(along, n[c])));
  g.result(std::move(i));
}

}  // namespace

bool lowerGlslVector(GlslInst& g) {
  switch (g.code) {
    case GLSLstd450Length: g.result({lengthOf(g, g.arg(0))}); return true;
    case GLSLstd450Distance: {
      Components a = g.arg(0);
      const Components b = g.arg(1);
      for (size_t i = 0; i < a.size(); ++i) a[i] = g.sub(a[i], b[i]);
      g.result({lengthOf(g, a)});
      return true;
    }
    case GLSLstd450Cross: cross(g); return true;
    case GLSLstd450Normalize: normalize(g); return true;
    case GLSLstd450FaceForward: faceForward(g); return true;
    case GLSLstd450Reflect: reflect(g); return true;
    case GLSLstd450Refract: refract(g); return true;
    case GLSLstd450Determinant: g.result({determinant(g, {g.arg(0), order(g)})}); return true;
    case GLSLstd450MatrixInverse: g.result(inverse(g, {g.arg(0), order(g)})); return true;
    default: return false;
  }
}

}  // namespace etzel::lower
