// Loops with more sums than the host has registers: a block of a matrix product in each invocation. Every round would
// load and store most of them. Sums do not know of each other, so what they are made of can be kept for all rounds, and
// a few sums at a time taken through all rounds, each in its own order; what is the same in some lanes is rather made
// again. In a crowd (crowds.h) a pair of warps at a time has registers for its sums, and what all pairs multiply with
// is made by the first one.
#pragma once

#include <map>

#include "compiler/exec/native/analysis/crowds.h"
#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

struct ManySums {
  uint32_t end = 0;               ///< the loop's EndLoop; the EndBlock behind it is where all lanes leave to
  std::vector<uint32_t> factors;  ///< webs that a round makes, and sums read
  std::vector<std::vector<uint32_t>> groups;  ///< instructions, in order: what makes a few of the sums
  uint32_t leave = 0;                         ///< the branch out of it
  bool again = false;                         ///< whether `factors` that do not vary freely are made for each group
  bool fitsCrowd = false;                     ///< whether pairs of a crowd may run it one after the other
  bool forCrowd = false;                      ///< whether only a crowd has more sums than registers
  std::vector<uint32_t> common;               ///< webs that a round makes for all pairs
  bool ofAll = false;                         ///< and for all crowds of a workgroup
  /// Which group an instruction is part of.
  std::optional<size_t> groupOf(uint32_t instruction) const;
};

/// The host's: how many vectors there is room for, and how many of them two warps of a crowd take for a value of each.
struct Registers {
  uint32_t count;
  uint32_t ofPair = 1;
};

/// By their Loop instructions.
std::map<uint32_t, ManySums> findManySums(const Webs& webs, const Divergence& divergence, Registers registers,
                                          const Crowd& crowd = {});

}  // namespace etzel::native
