// Loads between two barriers of a loop, as tiles of matrices are filled, or before the loop's products of matrices:
// what they read in the loop's next round lies further on by what the counter's steps become on the way to their place.
// Its rows are no stream that processors follow, and it can be asked for while this round computes.
#pragma once

#include <map>
#include <vector>

#include "compiler/exec/native/analysis/bounds.h"
#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

struct NextRound {
  uint32_t loop = 0;                ///< its instruction
  uint32_t counter = 0;             ///< web
  std::vector<isa::Operand> steps;  ///< what the counter grows by, the same in all lanes, before the loop
};

/// What makes an operand's word in that loop; nothing where its place in the round is all that it depends on.
std::optional<uint32_t> madeInRound(const Webs& webs, const Bounds& bounds, const NextRound& next, isa::Operand o);

/// By loads from buffers. `products`: also of loops without barriers that have products of matrices. What is wrong with
/// one costs time only.
std::map<uint32_t, NextRound> findNextRounds(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                                             bool products);

}  // namespace etzel::native
