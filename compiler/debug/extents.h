// Where the variables of private memory and of the table of constants begin and end, which is as far as an index may
// go. Made once for a program, and asked at every access of an invocation that is looked at. Immutable.
#pragma once

#include <vector>

#include "compiler/debug/debug_program.h"

namespace etzel::debugger {

class Extents {
 public:
  explicit Extents(const DebugProgram& program);

  /// Bytes from `first` up to `end`.
  struct Range {
    uint64_t first = 0, end = 0;
  };
  /// The variable that byte `at` of private memory (Scratch) or of the table of constants (Table) is in: the largest,
  /// as what begins in the same bytes, such as a parameter that points to a part, does not make the whole smaller. All
  /// of the memory where none is known.
  Range around(lower::DebugPlace::Kind place, uint64_t at) const;

 private:
  std::vector<Range> scratch_, table_;
  uint64_t scratchBytes_, tableBytes_;
};

}  // namespace etzel::debugger
