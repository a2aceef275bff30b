// Scalars, vectors and matrices as expressions compute with them. Private to compiler/debug.
#pragma once

#include <array>

#include "compiler/debug/value.h"

namespace etzel::debugger {

/// In the order of GLSL's implicit conversions: each converts to those behind it, but Bool.
enum class Scalar : uint8_t { Bool, Int, Uint, Int64, Uint64, Float, Double };
constexpr uint32_t kScalars = 7;
constexpr bool isFloating(Scalar s) { return s >= Scalar::Float; }

struct Number {
  /// Floats in f, everything else in i: sign-extended, or zero-extended where unsigned.
  struct Cell {
    double f = 0;
    int64_t i = 0;
  };
  Scalar scalar = Scalar::Int;
  uint32_t columns = 1, rows = 1;  ///< a vector is one column; a scalar one row of it
  std::array<Cell, 16> cell{};     ///< column by column

  uint32_t count() const { return columns * rows; }
  bool isScalar() const { return count() == 1; }
  bool isMatrix() const { return columns > 1; }
  double asDouble(uint32_t k) const;
  int64_t asInt(uint32_t k) const { return isFloating(scalar) ? static_cast<int64_t>(cell[k].f) : cell[k].i; }
};

/// Component `k` set to a number, as the type has it: rounded, or wrapped.
void put(Number& n, uint32_t k, double value);
void put(Number& n, uint32_t k, int64_t value);
/// All components in another type, as a constructor converts.
Number convert(const Number& n, Scalar to);

/// A number of a value; nothing where it is none (structures, arrays, values that are nowhere).
std::optional<Number> toNumber(const DebugProgram& program, const Value& value);
/// A value of one of the program's types (DebugProgram::basicType).
Value toValue(const DebugProgram& program, const Number& n);

/// What a built-in function gives; an error says what it wants.
Result<Number> callBuiltIn(std::string_view name, std::vector<Number> arguments);

}  // namespace etzel::debugger
