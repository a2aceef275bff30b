// Chains of vector code that do not wait for one another, each of whose steps waits for the one before, as sums of
// products are. Processors look ahead of what waits only so far: where one chain stands behind the other they wait for
// the first one, and where steps of both stand in turns they work on both.
#pragma once

#include <llvm/IR/BasicBlock.h>

namespace etzel::native {

/// Lets vector instructions of a block stand in the order in which their sources are there. Blocks that load no vectors
/// stay as they are, since what comes from other blocks is in many registers already, and so do those in which more
/// vectors would be alive at once than registers have room for.
void takeTurns(llvm::BasicBlock& block);

}  // namespace etzel::native
