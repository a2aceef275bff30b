#include "compiler/debug/number.h"

#include <bit>
#include <cmath>

#include "compiler/debug/layout.h"
#include "runtime/format/small_float.h"

namespace etzel::debugger {
namespace {

using Kind = Type::Kind;

Scalar scalarOf(const Type& t) {
  switch (t.kind) {
    case Kind::Bool: return Scalar::Bool;
    case Kind::Int: return t.bits == 64 ? Scalar::Int64 : Scalar::Int;
    case Kind::Float: return t.bits == 64 ? Scalar::Double : Scalar::Float;
    default: return t.bits == 64 ? Scalar::Uint64 : Scalar::Uint;
  }
}

Number::Cell cellOf(const Type& t, uint64_t bits) {
  Number::Cell c;
  switch (t.kind) {
    case Kind::Bool: c.i = bits != 0; break;
    case Kind::Int: c.i = static_cast<int64_t>(bits << (64 - t.bits)) >> (64 - t.bits); break;
    case Kind::Float:
      c.f = t.bits == 64    ? std::bit_cast<double>(bits)
            : t.isEncoded() ? format::encodedToFloat(t.encoding, static_cast<uint32_t>(bits))
            : t.bits == 16  ? simd::halfToFloat(static_cast<uint32_t>(bits))
                            : std::bit_cast<float>(static_cast<uint32_t>(bits));
      break;
    default: c.i = static_cast<int64_t>(t.bits == 64 ? bits : bits & ((uint64_t{1} << t.bits) - 1));
  }
  return c;
}

uint64_t bitsOf(const Number& n, uint32_t k) {
  switch (n.scalar) {
    case Scalar::Float: return std::bit_cast<uint32_t>(static_cast<float>(n.cell[k].f));
    case Scalar::Double: return std::bit_cast<uint64_t>(n.cell[k].f);
    case Scalar::Int:
    case Scalar::Uint: return static_cast<uint32_t>(n.cell[k].i);
    default: return static_cast<uint64_t>(n.cell[k].i);
  }
}

}  // namespace

double Number::asDouble(uint32_t k) const {
  if (isFloating(scalar)) return cell[k].f;
  return scalar == Scalar::Uint64 ? static_cast<double>(static_cast<uint64_t>(cell[k].i))
                                  : static_cast<double>(cell[k].i);
}

void put(Number& n, uint32_t k, double value) {
  if (isFloating(n.scalar))
    n.cell[k].f = n.scalar == Scalar::Float ? static_cast<double>(static_cast<float>(value)) : value;
  else if (n.scalar == Scalar::Bool)
    n.cell[k].i = value != 0;
  else if (!(value >= -9223372036854775808.0 && value < 18446744073709551616.0))
    n.cell[k].i = 0;  // undefined in GLSL
  else
    put(n, k, value < 0 ? static_cast<int64_t>(value) : static_cast<int64_t>(static_cast<uint64_t>(value)));
}

void put(Number& n, uint32_t k, int64_t value) {
  switch (n.scalar) {
    case Scalar::Bool: n.cell[k].i = value != 0; break;
    case Scalar::Int: n.cell[k].i = static_cast<int32_t>(value); break;
    case Scalar::Uint: n.cell[k].i = static_cast<uint32_t>(value); break;
    case Scalar::Float:
    case Scalar::Double: put(n, k, static_cast<double>(value)); break;
    default: n.cell[k].i = value;
  }
}

Number convert(const Number& n, Scalar to) {
  Number out = n;
  out.scalar = to;
  for (uint32_t k = 0; k < n.count(); ++k) {
    if (isFloating(to) || isFloating(n.scalar))
      put(out, k, n.asDouble(k));
    else
      put(out, k, n.cell[k].i);
  }
  return out;
}

std::optional<Number> toNumber(const DebugProgram& program, const Value& value) {
  if (value.state == Value::State::Nowhere) return {};
  const Type& t = program.types[value.type];
  Number n;
  if (isScalar(t)) {
    n.scalar = scalarOf(t);
    n.cell[0] = cellOf(t, value.bits);
    return n;
  }
  const bool matrix = t.kind == Kind::Matrix;
  if (!matrix && t.kind != Kind::Vector) return {};
  const Type& column = matrix ? program.types[t.element] : t;
  const Type& scalar = program.types[column.element];
  n.scalar = scalarOf(scalar);
  n.columns = matrix ? t.count : 1, n.rows = column.count;
  for (uint32_t c = 0; c < n.columns; ++c) {
    const Value& part = matrix ? value.parts.at(c) : value;
    if (part.parts.size() != n.rows) return {};
    for (uint32_t r = 0; r < n.rows; ++r) n.cell[c * n.rows + r] = cellOf(scalar, part.parts[r].bits);
  }
  return n;
}

Value toValue(const DebugProgram& program, const Number& n) {
  const auto scalar = static_cast<uint32_t>(n.scalar);
  const auto column = [&](uint32_t c) {
    Value v;
    v.type = program.basicType(scalar, 1, n.rows);
    if (n.rows == 1) {
      v.bits = bitsOf(n, c);
      return v;
    }
    for (uint32_t r = 0; r < n.rows; ++r) {
      Value& part = v.parts.emplace_back();
      part.type = program.basicType(scalar, 1, 1), part.bits = bitsOf(n, c * n.rows + r);
    }
    return v;
  };
  if (!n.isMatrix()) return column(0);
  Value v;
  v.type = program.basicType(scalar, n.columns, n.rows);
  for (uint32_t c = 0; c < n.columns; ++c) v.parts.push_back(column(c));
  return v;
}

}  // namespace etzel::debugger
