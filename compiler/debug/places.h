// Where each instruction stands in the source, as numbers that are quick to compare: what steps and breakpoints look at
// after every instruction. Immutable once made; any thread.
#pragma once

#include "compiler/debug/debug_program.h"

namespace etzel::debugger {

/// One line of one call. Calls are inlined, so each has places of its own.
struct SourcePlace {
  Position position;
  uint32_t depth = 0;             ///< calls around it, itself included
  std::vector<uint32_t> callers;  ///< places of the calls around it, innermost first
};

class Places {
 public:
  explicit Places(const DebugProgram& program);

  /// The place of an instruction; 0: it stands in no known line.
  uint32_t of(uint32_t instruction) const { return instruction < of_.size() ? of_[instruction] : 0; }
  const SourcePlace& operator[](uint32_t place) const { return places_[place]; }
  /// Whether `place` waits for a call that `inner` belongs to.
  bool calls(uint32_t place, uint32_t inner) const;
  /// Every line of a file that has instructions, in order, each once.
  std::vector<uint32_t> linesOf(uint32_t file) const;
  /// The first line at or behind `line` of a file that has instructions; 0: none.
  uint32_t lineAtOrBehind(uint32_t file, uint32_t line) const;
  size_t count() const { return places_.size(); }
  bool hasLines() const { return places_.size() > 1; }

 private:
  std::vector<SourcePlace> places_;
  std::vector<uint32_t> of_;
};

}  // namespace etzel::debugger
