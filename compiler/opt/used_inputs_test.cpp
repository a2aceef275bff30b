#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"
#include "compiler/opt/passes.h"
#include "runtime/abi/shader_io.h"

namespace etzel::opt {
namespace {

using abi::sysBit;
using abi::SysValue;

constexpr uint64_t kAll = sysBit(SysValue::FragCoordX) | sysBit(SysValue::FragCoordY) | sysBit(SysValue::FragCoordZ) |
                          sysBit(SysValue::FragCoordW) | sysBit(SysValue::PosX);

/// What is left of kAll.
uint64_t left(const std::string& text) {
  isa::Program program;
  expectPass("used-inputs", text, text, [&](isa::Program& p) {
    p.info.sysValues = kAll;
    program = p;
  });
  forgetUnusedInputs(program);
  return program.info.sysValues;
}

TEST(UsedInputsPass, ComponentsOfThePositionThatNobodyReadsGo) {
  EXPECT_EQ(left(""), sysBit(SysValue::PosX));
  EXPECT_EQ(left("sys r0.x, #0xf\nxmov o1.x, r0.x\n"), sysBit(SysValue::PosX) | sysBit(SysValue::FragCoordX));
  EXPECT_EQ(left("sys r0.x, #0x12\nxmov o1.x, r0.x\n"), sysBit(SysValue::PosX) | sysBit(SysValue::FragCoordW));
}

TEST(UsedInputsPass, BaseInstructionsMayReadAllOfIt) {
  isa::Program program;
  program.info.sysValues = kAll;
  program.code.emplace_back().op = isa::Opcode::Kls;
  forgetUnusedInputs(program);
  EXPECT_EQ(program.info.sysValues, kAll);
}

}  // namespace
}  // namespace etzel::opt
