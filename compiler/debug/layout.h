// How types lie in memory: laid out by decorations (blocks), or scalars aligned to their size with nothing else between
// them (workgroup memory without). Private to compiler/debug.
#pragma once

#include "compiler/debug/debug_program.h"

namespace etzel::debugger {

inline bool isScalar(const Type& t) {
  return t.kind == Type::Kind::Bool || t.kind == Type::Kind::Int || t.kind == Type::Kind::Uint ||
         t.kind == Type::Kind::Float;
}

/// A part of a variable in memory.
struct Laid {
  uint32_t type = 0;
  uint64_t at = 0;            ///< bytes from the memory's start
  uint32_t matrixStride = 0;  ///< of the matrix that it is, or of which it is a row-major column
  bool rowMajor = false;
};

/// Components, columns, elements or members that a part has; of runtime arrays as many as `bytes` hold.
uint64_t laidParts(const DebugProgram& program, const Laid& part, uint64_t bytes);
/// One of them.
Laid laidPart(const DebugProgram& program, const Laid& part, uint32_t index, bool decorated);

}  // namespace etzel::debugger
