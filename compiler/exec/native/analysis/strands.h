// How many warps of a workgroup native code runs side by side ("strands"). In a loop whose rounds wait for the ones
// before, a sum or an iteration, most of the arithmetic units stand idle; other warps' rounds fill them. Where
// registers hold sixteen words two strands share them, and groups of fragments are strands, too.
//
// Nobody may see that warps do not run one after the other: a program takes part only when it stores at most once to
// each of its buffers, outside of loops, and reads of these nothing but what the invocation itself stores later; that
// no two of them are the same memory is asked when it runs. Branches that all lanes of a warp take together must be
// those of all warps that run side by side.
#pragma once

#include "compiler/exec/native/analysis/bounds.h"
#include "compiler/exec/native/analysis/constants.h"
#include "compiler/exec/native/analysis/crowds.h"
#include "compiler/exec/native/analysis/divergence.h"
#include "compiler/exec/native/analysis/many_sums.h"

namespace etzel::native {

inline constexpr uint32_t kMostStrands = 8;

struct Strands {
  uint32_t count = 1;                ///< a power of two. 1: warps run one by one, and all else here is empty
  bool inTurns = false;              ///< groups of fragments: each instruction for one after the other, on any host
  std::vector<uint32_t> shared;      ///< per web: how many neighbours, from a multiple of it on, hold the same value
  std::vector<isa::Operand> stored;  ///< handles of the buffers that are written, each once. All are constant
  std::vector<isa::Operand> loaded;  ///< and of those that are only read
  /// Of a program with barriers, per instruction: how many warps run it together. 1, a pair, or a crowd.
  std::vector<uint8_t> together;
};

/// Of a program for compute. `vectors`: how many vectors of eight words registers hold.
Strands findStrands(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                    const std::vector<Constant>& constants, uint32_t vectors);
/// Of one for compute with barriers: a pair where it is worth it between some of them, or none. What lies between two
/// barriers runs in pairs only if no two of its stores, nor a store and a load, may meet. Where workgroup memory is
/// filled in a loop, or a loop of `sums` is for crowds, a crowd runs it.
Strands findPairsBetweenBarriers(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                                 const std::vector<Constant>& constants, const Crowd& crowd,
                                 const std::map<uint32_t, ManySums>& sums);
/// What two groups of fragments that run side by side find.
struct GroupWays {
  bool join = false;          ///< a register holds what both have
  bool readTogether = false;  ///< all samples of both can be read together (Emitter::readGroups())
  uint32_t vectors = 0;       ///< as findStrands() has it
};
/// Of one for groups of fragments (runtime/abi/fragment_groups.h): a pair, or none. Programs that do little but read
/// together run in turns; others as one register where that is possible, else those with loops whose numbers stay in
/// registers in turns.
Strands findGroupStrands(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                         const std::vector<Constant>& constants, const GroupWays& ways);

}  // namespace etzel::native
