// Which values and branches are the same for all lanes. The native executor keeps uniform words as scalars and turns
// uniform branches into jumps; everything else uses the execution mask ("Divergence" in docs/isa.md).
#pragma once

#include "compiler/isa/program.h"

namespace etzel::jit {

struct Divergence {
  std::vector<bool> uniformWord;   ///< per Temp word: every lane always holds the same value
  std::vector<bool> masked;        ///< per instruction: some lanes of the entry mask may be inactive here
  std::vector<bool> divergentIf;   ///< If: lanes may take both sides. Indexed by instruction
  std::vector<bool> direct;        ///< Br, BrC, Ret, Kill: all lanes that could be active go together: a plain jump
  std::vector<bool> target;        ///< Block: some masked br leads to its end, which restores lanes
  std::vector<bool> crossed;       ///< If, Block, Loop: a masked br or ret leaves through it
};

/// Requires a verified program without base instructions.
Divergence analyzeDivergence(const isa::Program& program);

/// Whether `o` (one word) is the same in all lanes.
bool isUniform(const Divergence& d, isa::Operand o, uint32_t word = 0);
/// System values that the dispatcher fills with one value for all lanes.
bool isUniform(abi::SysValue v);

}  // namespace etzel::jit
