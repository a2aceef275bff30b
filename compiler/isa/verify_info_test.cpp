// Descriptions that no compiler made, as a forged cache might have them, never become kernels.
#include <gtest/gtest.h>

#include <functional>

#include "compiler/compiler.h"
#include "compiler/isa/assemble.h"
#include "compiler/isa/container.h"

namespace etzel::isa {
namespace {

Program sample() { return *assemble(".stage compute\n.temps 4\n.local 8 2 1\n.shared 64\nbarrier\n"); }

TEST(VerifyInfo, WhatTheCompilerSaysIsFine) { EXPECT_TRUE(compiler::makeKernel(sample()).ok()); }

TEST(VerifyInfo, WorkgroupsThatSeeNothingOfEachOtherMayLieAbreast) {
  const auto runs = [](const std::string& text) {
    return compiler::makeKernel(*assemble(".stage compute\n.temps 4\n.abreast\n" + text)).ok();
  };
  EXPECT_TRUE(runs(".local 1 64 1\nsys r0.x, #0x21\n"));
  EXPECT_FALSE(runs(".local 8 8 1\nsys r0.x, #0x21\n"));
  EXPECT_FALSE(runs(".local 1 64 1\nsys r0.x, #0x21\nsgballot r0.y, r0.x\n"));
}

TEST(VerifyInfo, SubgroupsAreWarpsOrHalvesOfThem) {
  const auto runs = [](const std::string& text) {
    auto program = assemble(".stage compute\n.temps 4\n" + text);
    return program.ok() && compiler::makeKernel(std::move(*program)).ok();
  };
  EXPECT_TRUE(runs(".subgroup 4\nsgscani.add.i32 r0.x, r0.y, #4\n"));
  EXPECT_FALSE(runs(".subgroup 2\nsgscani.add.i32 r0.x, r0.y, #4\n"));
  EXPECT_FALSE(runs("sgscani.add.i32 r0.x, r0.y, #3\n"));
  EXPECT_FALSE(runs("sgscane.add.i32 r0.x, r0.y, #16\n"));
}

TEST(VerifyInfo, FragmentsMentionWhatTheyInterpolate) {
  auto program = assemble(".stage fragment\n.temps 4\nbary.center r0.x, -, -\nintrp r1.x, r0.x, r0.y, #0x7f\n");
  ASSERT_TRUE(program.ok()) << program.error().message;
  const auto kernel = compiler::makeKernel(std::move(*program));
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_EQ((*kernel)->info.inputLocations, 1u << 27);
}

TEST(VerifyInfo, ForgedDescriptionsAreRefused) {
  using abi::ProgramInfo;
  const std::function<void(Program&)> lies[] = {
      [](Program& p) { p.info.localSize[0] = 1478472051; },
      [](Program& p) { p.info.localSize[1] = 0; },
      [](Program& p) { p.info.localSize[0] = p.info.localSize[1] = 64; },
      [](Program& p) { p.info.sharedBytes = 1u << 30; },
      [](Program& p) { p.scratchBytes = 0xfffffff0; },
      [](Program& p) { p.info.subgroupSize = 64; },
      [](Program& p) { p.info.subgroupSize = 1; },
      [](Program& p) { p.info.usesBarrier = false; },
      [](Program& p) {
        p.info.xfbOutputs = {{0xffff, 0, 0, 0}};
      },
      [](Program& p) {
        p.info.xfbOutputs = {{0, 200, 0, 0}};
      },
      [](Program& p) {
        p.info.xfbOutputs = {{0, 0, 16, 0}};
      },
      [](Program& p) {
        p.info.xfbOutputs = {{0, 0, 0, 0xfffffffc}};
      },
      [](Program& p) { p.info.xfbStride[1] = ~0u; },
      [](Program& p) { p.info.outputVertices = 1000; },
      [](Program& p) { p.info.geometryVerticesOut = 1u << 30; },
      [](Program& p) { p.info.geometryInvocations = ~0u; },
      [](Program& p) { p.info.geometryOutput = 3; },
      [](Program& p) { p.info.geometryInput = 7; },
      [](Program& p) { p.info.tessMode = 3; },
      [](Program& p) { p.info.tessSpacing = 9; },
      [](Program& p) { p.info.depthMode = 4; },
      [](Program& p) { p.info.clipDistances = 7, p.info.cullDistances = 2; },
      [](Program& p) { p.info.inputLocations = 1ull << 40; },
      [](Program& p) { p.info.outputLocations = 1ull << 63; },
      [](Program& p) { p.info.sysValues = ~0ull; },
      [](Program& p) { p.info.linearInputs = ~0ull; },
      [](Program& p) { p.info.integerOutputs = ~0u; },
      [](Program& p) { p.info.stage = static_cast<abi::Stage>(99); },
  };
  for (const auto& lie : lies) {
    Program forged = sample();
    lie(forged);
    auto read = readContainer(writeContainer(forged));
    EXPECT_FALSE(read.ok() && compiler::makeKernel(std::move(*read)).ok()) << &lie - lies;
  }
}

}  // namespace
}  // namespace etzel::isa
