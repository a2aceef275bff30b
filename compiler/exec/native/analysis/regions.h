// Which instructions may run one after the other without a barrier between them.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

/// A number for each instruction: two that a warp may run with no barrier in between have the same one. So all ways
/// from one number to another are over a barrier. A barrier itself belongs to what is before it.
std::vector<uint32_t> findRegions(const isa::Program& program, const Divergence& divergence);

/// Per instruction: whether it is a load of memory to whose kind nothing is written between the barriers around, so
/// that warps that load from one place get the same, whoever is first.
std::vector<bool> findSteadyLoads(const isa::Program& program, const std::vector<uint32_t>& regions);

/// Per instruction: whether nothing that runs with it between two barriers writes workgroup memory.
std::vector<bool> findQuiet(const isa::Program& program, const std::vector<uint32_t>& regions);

}  // namespace etzel::native
