// The passes of passes.def, one file each.
#pragma once

#include "compiler/isa/program.h"

namespace etzel::opt {

/// Removes instructions without side effect whose results nobody reads.
void removeDeadCode(isa::Program& program);

/// Removes ifs and blocks without contents. True when it found any: their conditions may be dead now.
bool removeEmptyScopes(isa::Program& program);

/// Ifs whose condition is a constant: what never runs goes, what always does stays without the if. True when it found
/// any. Requires folded constants.
bool resolveBranches(isa::Program& program);

/// Instructions that all lanes run that are there at all need not keep the old values of others (isa::Inst::masked).
void unmaskAtTop(isa::Program& program);

/// Blocks that no br leaves disappear.
void removeUnusedBlocks(isa::Program& program);

/// Loops without barriers that every lane has left after a known, small number of rounds become that many copies of
/// their body, inner ones first. True when it found any: constants wait to be folded. Requires folded constants.
bool unrollLoops(isa::Program& program);

/// Inputs and outputs that instructions reach by index are the registers themselves where the index is known, so that
/// whoever looks for what a program writes finds it. True when it found any: copies wait to be propagated. Requires
/// folded constants.
bool nameRegisters(isa::Program& program);

/// Private variables in scratch memory (isa::Program::arrays) that are only read and written at known places become
/// registers, one for each word. True when it found any: copies wait to be propagated. A debug compile stores what the
/// registers hold to the array's home. Requires folded constants.
bool promoteArrays(isa::Program& program);

/// Instructions whose sources are all known become constants, computed by the interpreter's own handlers; constants
/// are read from the PARAM bank instead of being loaded, as far as its operands reach.
void foldConstants(isa::Program& program);

/// Readers of a copy read the original, where it certainly still holds the same value.
void propagateCopies(isa::Program& program);

/// A pure instruction that repeats a dominating one becomes a copy of its result.
void mergeCommon(isa::Program& program);

/// Small rewrites: negated comparisons, comparisons of booleans with 0, neutral operands, `if br endif` to brc.
void simplifyInstructions(isa::Program& program);

/// Products of texels and a constant 0 become the 0 where the shader allows contraction. True when it found any: the
/// texels may be dead now. Requires folded constants.
bool dropZeroProducts(isa::Program& program);

/// A product that one sum reads is fused with it where both allow it (isa::Inst::contract). Leaves the product dead.
void contract(isa::Program& program);

/// Loops over products of matrices that only compute and load do two rounds at once. True when it found any: copies
/// wait to be propagated.
bool unrollProducts(isa::Program& program);

/// Products of matrices that add to one another's results stand one behind the other, behind what they need. Requires
/// propagated copies.
void chainProducts(isa::Program& program);

/// Takes components of FragCoord that nothing reads any more out of ProgramInfo::sysValues: lowering asks for all four.
void forgetUnusedInputs(isa::Program& program);

/// Decides ProgramInfo::sharesSamples; see there.
void findSampleSharing(isa::Program& program);

/// Lets warps be made of eight workgroups (runtime/abi/groups_abreast.h) where the program cannot tell and it pays.
void layGroupsAbreast(isa::Program& program);

}  // namespace etzel::opt
