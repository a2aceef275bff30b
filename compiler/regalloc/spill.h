// Moves groups of virtual words from registers to scratch memory.
#pragma once

#include "compiler/isa/program.h"

namespace etzel::regalloc {

/// Every access to a group whose `spilled[group]` is set becomes a load or store of scratch memory around the
/// instruction, through new groups that live for that instruction only. Those are appended to program.groups.
/// `groupOf`: by virtual word.
void spillGroups(isa::Program& program, const std::vector<bool>& spilled, const std::vector<uint32_t>& groupOf);

}  // namespace etzel::regalloc
