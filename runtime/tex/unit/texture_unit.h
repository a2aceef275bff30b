// The texture units: every texture and image instruction for one warp. The exact C++ implementation of
// abi::FunctionTable::texture ("Image Operations" chapter). Any thread.
#pragma once

#include "runtime/abi/kernel.h"
#include "runtime/tex/view.h"

namespace etzel::tex {

/// See abi::FunctionTable::texture.
void execute(abi::Warp* warp, uint32_t texInst, LaneMask active, const LaneWords* handle, const LaneWords* sampler,
             const LaneWords* args, LaneWords* result);

/// The process-wide table with everything that compiled code calls.
const abi::FunctionTable& functionTable();

}  // namespace etzel::tex
