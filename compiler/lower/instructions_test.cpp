#include "compiler/lower/instructions.h"

#include <gtest/gtest.h>

namespace etzel::lower {
namespace {

TEST(LoweringTable, NoInstructionIsLoweredTwice) { EXPECT_TRUE(loweringTable().isUnique()); }

TEST(LoweringTable, ControlFlowAndKernelsInstructionsAreNotInIt) {
  EXPECT_NE(loweringTable().find(spv::Op::OpFAdd), nullptr);
  EXPECT_NE(loweringTable().find(spv::Op::OpExtInst), nullptr);
  for (spv::Op op : {spv::Op::OpBranch, spv::Op::OpSwitch, spv::Op::OpFunctionCall, spv::Op::OpEnqueueKernel})
    EXPECT_EQ(loweringTable().find(op), nullptr);
}

}  // namespace
}  // namespace etzel::lower
