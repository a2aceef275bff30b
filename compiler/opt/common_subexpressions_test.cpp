#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

TEST(MergeCommonPass, ARepetitionIsACopy) {
  expectPass("merge-common",
             "sys r0.x, #0xf\n"
             "fadd.f32 r1.x, r0.x, c0.y\n"
             "fadd.f32 r2.x, r0.x, c0.y\n"
             "fadd.f32 r3.x, r0.x, c0.x\n",
             "sys r0.x, #0xf\n"
             "fadd.f32 r1.x, r0.x, c0.y\n"
             "xmov r2.x, r1.x\n"
             "fadd.f32 r3.x, r0.x, c0.x\n");
}

TEST(MergeCommonPass, OnlyTheScopeThatComputedItKnowsIt) {
  const std::string text =
      "sys r0.x, #0xf\n"
      "if c0.y\n"
      "fadd.f32 r1.x, r0.x, c0.y\n"
      "else\n"
      "fadd.f32 r2.x, r0.x, c0.y\n"
      "endif\n";
  expectPass("merge-common", text, text);
}

TEST(MergeCommonPass, MemoryIsReadOnceWhileNothingOrdersIt) {
  expectPass("merge-common",
             "ld.buffer.i32 r0.x, c0.x, -, #0\n"
             "ld.buffer.i32 r0.y, c0.x, -, #0\n"
             "ld.buffer.i32 r0.z, c0.x, -, #4\n"
             "ld.push.i32 r1.x, -, -, #0\n"
             "ld.push.i32 r1.y, -, -, #0\n",
             "ld.buffer.i32 r0.x, c0.x, -, #0\n"
             "xmov r0.y, r0.x\n"
             "ld.buffer.i32 r0.z, c0.x, -, #4\n"
             "ld.push.i32 r1.x, -, -, #0\n"
             "xmov r1.y, r1.x\n");
}

TEST(MergeCommonPass, WorkgroupMemoryIsReadOnceBetweenBarriers) {
  expectPass("merge-common",
             "ld.shared.i32.x4 r0.x, -, -, #0\n"
             "ld.shared.i32.x4 r1.x, -, -, #0\n"
             "barrier\n"
             "ld.shared.i32.x4 r2.x, -, -, #0\n",
             "ld.shared.i32.x4 r0.x, -, -, #0\n"
             "xmov.x4 r1.x, r0.x\n"
             "barrier\n"
             "ld.shared.i32.x4 r2.x, -, -, #0\n",
             [](isa::Program& p) { p.info.stage = abi::Stage::Compute; });
}

TEST(MergeCommonPass, MemoryIsReadAgainBehindWhatOrdersIt) {
  for (const char* between : {"membar\n", "st.buffer.i32 c0.x, -, c0.y, #8\n", "st.shared.i32 -, -, c0.y, #0\n"}) {
    const std::string text =
        std::string("ld.buffer.i32 r0.x, c0.x, -, #0\n") + between + "ld.buffer.i32 r0.y, c0.x, -, #0\n";
    expectPass("merge-common", text, text);
  }
}

TEST(MergeCommonPass, EveryRoundOfALoopReadsMemory) {
  const std::string text =
      "ld.buffer.i32 r0.x, c0.x, -, #0\n"
      "block\n"
      "loop\n"
      "ld.buffer.i32 r0.y, c0.x, -, #0\n"
      "brc r0.y, #0\n"
      "endloop\n"
      "endblock\n"
      "ld.buffer.i32 r0.z, c0.x, -, #0\n";
  expectPass("merge-common", text, text);
}

TEST(MergeCommonPass, WhatDependsOnTheActiveLanesIsAskedAgain) {
  const std::string text = "sys r0.x, #0xf\nsgballot r1.x, r0.x\nsgballot r1.y, r0.x\nhelper r2.x\nhelper r2.y\n";
  expectPass("merge-common", text, text);
}

}  // namespace
}  // namespace etzel::opt
