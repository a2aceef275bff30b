// Programs of the instruction set with nothing left undefined in them, so that what they write can be compared between
// executors (docs/isa.md says what is undefined).
#pragma once

#include <optional>

#include "compiler/isa/program.h"

namespace etzel::fuzz {

/// Whether a program reads memory by address, or textures through handles of its own: nothing says whether the address
/// is anybody's, or whether a handle names a descriptor. Such programs have what they ask for, and are made but not
/// run.
bool namesMemory(const isa::Program& program);

/// The program with registers, private and workgroup memory that begin as zeros, and destinations that inactive lanes
/// keep. `quietNans`: every NaN that an instruction gives is the same one. Nothing where that cannot be had: it asks
/// for the time, has too much memory to be cleared, or no room for what must be added.
std::optional<isa::Program> defined(const isa::Program& program, bool quietNans);

}  // namespace etzel::fuzz
