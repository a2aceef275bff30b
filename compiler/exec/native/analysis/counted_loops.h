// Loops that count up to a limit, and loads in them whose places follow from the counter: whether all of them lie
// inside of their buffers can be asked once, before the first round.
#pragma once

#include <map>

#include "compiler/exec/native/analysis/bounds.h"
#include "compiler/exec/native/analysis/constants.h"
#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

/// Where the loads stand the counter is below the limit, in all lanes. The limit is the same in all lanes of a warp.
struct CountedLoop {
  uint32_t end = 0;       ///< its EndLoop
  uint32_t counter = 0;   ///< web
  isa::Operand limit;     ///< does not change in the loop, or is made there of what does not where it is not signed
  bool isSigned = false;  ///< the counter is below the limit as a signed number, and not negative while the limit is
                          ///< below kCountsTo
  std::vector<uint32_t> loads;  ///< from buffers of constant handles
  isa::Operand step;            ///< what the counter grows by, where something else grows with it
  /// By web: what else grows in each round, by what does not change, behind all of `loads` and what their places follow
  /// from.
  std::map<uint32_t, isa::Operand> carried;
  static constexpr uint32_t kCountsTo = 1u << 30;
};

/// The instruction that makes an operand's word in the loop that begins at `begin`; nothing when it is the counter or
/// no instruction of the loop. Sums, products, and what constants shift, divide or take bits out of such operands: none
/// gives less for more, and bits that are lost make it less.
std::optional<uint32_t> madeInLoop(const Bounds& bounds, const Webs& webs, const std::vector<Constant>& constants,
                                   const CountedLoop& loop, uint32_t begin, isa::Operand o);

/// By their Loop instructions: those without other loops or barriers inside, that are worth being there twice.
std::map<uint32_t, CountedLoop> findCountedLoops(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                                                 const std::vector<Constant>& constants);

}  // namespace etzel::native
