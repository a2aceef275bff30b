// Mutants: deliberate defects that prove that the conformance cases can fail. They exist in a driver of
// their own (target vulkan_etzel_mutants: the files that include this one are compiled a second time, with
// ETZEL_MUTANTS), where the environment variable ETZEL_MUTANT names the one that is on; everywhere else mutated() is
// the constant false and nothing of them remains.
#pragma once

#include <cstdint>

namespace etzel {

enum class Mutant : uint8_t {
#define ETZEL_MUTANT(Id, name, description, witness) Id,
#include "runtime/mutant/mutants.def"
#undef ETZEL_MUTANT
};

#ifdef ETZEL_MUTANTS
/// The defect that ETZEL_MUTANT names; read once, any thread. An unknown name ends the process, since a misspelt
/// mutant would look like one that no case notices.
Mutant activeMutant();
inline bool mutated(Mutant mutant) { return activeMutant() == mutant; }
#else
constexpr bool mutated(Mutant) { return false; }
#endif

}  // namespace etzel
