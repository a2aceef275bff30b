// Where each group of virtual words must keep its registers: one interval of instructions per group.
#pragma once

#include "compiler/isa/program.h"

namespace etzel::regalloc {

/// Positions: instruction i reads its sources at 2i and writes its destination at 2i + 1.
struct LiveRange {
  uint32_t start = ~0u, end = 0;  ///< inclusive; start > end: the group is never used
  float cost = 0;                 ///< accesses, those in loops weighted: the price of spilling
  bool used() const { return start <= end; }
};

struct LiveRanges {
  std::vector<LiveRange> group;   ///< by index in program.groups
  std::vector<uint32_t> groupOf;  ///< by virtual word
};

/// Intervals in program order, made valid for loops:
/// - a value that may be read in an iteration before that iteration writes it keeps its registers through the loop;
/// - so does a value that leaves the loop, because lanes that left wait while others go round again;
/// - a value from before the loop keeps them to its end.
/// Every virtual word must belong to exactly one group.
LiveRanges liveRanges(const isa::Program& program);

}  // namespace etzel::regalloc
