// Registers that are reused for different values are different values again: a web is a set of writes and reads of one
// register word that belong together. Native code keeps each web by itself, so that one register may hold a uniform
// value here and a varying one there. Also says what is live at barriers.
#pragma once

#include "compiler/isa/program.h"

namespace etzel::native {

inline constexpr uint32_t kNoScope = ~0u;

struct Webs {
  /// The program; words of Temp operands are indices of `web` and `home`, so w words further is index + w.
  isa::Program program;
  std::vector<uint32_t> web;   ///< which value an operand's word is
  std::vector<uint32_t> home;  ///< the register word that it was
  uint32_t count = 0;          ///< of webs
  /// Per web: the instruction that opens the innermost scope (If, Block, Loop) outside of which nobody reads it. A lane
  /// that is missing there never reads it either. kNoScope: the function.
  std::vector<uint32_t> scope;
  std::vector<bool> undefined;  ///< per web: some way to a read has no write
  /// Per instruction, webs in rising order. If, Block: what is needed after the end; Else: what its side needs.
  std::vector<std::vector<uint32_t>> needed;
  /// Per web: whether some lane may see another's value, in a derivative or the like.
  std::vector<bool> seenByOthers;
  /// Per Barrier, in program order: the values that are needed after it.
  struct Live {
    uint32_t web, home;
  };
  std::vector<std::vector<Live>> barriers;

  uint32_t webOf(isa::Operand o, uint32_t w = 0) const { return web[o.word + w]; }
  bool neededAt(uint32_t instruction, uint32_t web) const;
  uint32_t homeOf(isa::Operand o, uint32_t w = 0) const { return home[o.word + w]; }
};

/// Requires a verified program over real registers.
Webs findWebs(const isa::Program& program);

}  // namespace etzel::native
