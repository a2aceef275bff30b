// Loads in loops that go on a little in each round, through memory that each workgroup reads for itself, as the rows of
// a matrix are read. What they read comes from far away, and can be asked for long before.
#pragma once

#include <set>

#include "compiler/exec/native/analysis/bounds.h"
#include "compiler/exec/native/analysis/constants.h"
#include "compiler/exec/native/analysis/divergence.h"

namespace etzel::native {

/// From buffers of constant handles, by lanes whose distances are known. Elements that a wide load has are found one by
/// one. What is wrong with one costs time only.
std::set<uint32_t> findStreams(const Webs& webs, const Divergence& divergence, const Bounds& bounds,
                               const std::vector<Constant>& constants);

}  // namespace etzel::native
