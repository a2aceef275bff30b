// What each kind of host tells of itself (x64/, arm64/); cpu.h is what the others ask. Private to this folder.
#pragma once

#include "runtime/simd/cpu.h"

namespace etzel::simd {

/// The processor as it is.
Cpu detectCpu();

/// Takes away what a machine of that name (a target, or one between two targets) does not have. False: nothing is
/// called so, or the processor lacks some of it.
bool limitTo(std::string_view machine, Cpu& cpu);

/// What the processor says of its instructions beyond what is in `Cpu`: makers of code ask it for that.
std::vector<uint32_t> instructionWords();

}  // namespace etzel::simd
