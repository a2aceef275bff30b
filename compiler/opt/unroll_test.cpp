#include <gtest/gtest.h>

#include "compiler/isa/assemble.h"
#include "compiler/opt/pass_test.h"
#include "compiler/opt/passes.h"

namespace etzel::opt {
namespace {

TEST(UnrollPass, RoundsThatIndexAnArrayAreWrittenOut) {
  EXPECT_TRUE(expectPass("unroll",
                         ".const 0 4 8 0\n"
                         "xmov r0.x, c0.x\n"
                         "block\n"
                         "loop\n"
                         "icmp.eq.i32 r1.x, r0.x, c0.z\n"
                         "brc r1.x, #0\n"
                         "ld.table.i32 r2.x, -, r0.x, #0\n"
                         "iadd.i32 r3.x, r3.x, r2.x\n"
                         "iadd.i32 r0.x, r0.x, c0.y\n"
                         "endloop\n"
                         "endblock\n"
                         "xmov o1.x, r3.x\n",
                         ".const 0 4 8 0\n"
                         ".const 0xffffffff 0 0 0\n"
                         "xmov r0.x, c0.x\n"
                         "icmp.eq.i32 r4.x, c0.x, c0.z\n"
                         "ld.table.i32 r5.x, -, c0.x, #0\n"
                         "iadd.i32 r3.x, r3.x, r5.x\n"
                         "iadd.i32 r0.x, c0.x, c0.y\n"
                         "icmp.eq.i32 r6.x, c0.y, c0.z\n"
                         "ld.table.i32 r7.x, -, c0.y, #0\n"
                         "iadd.i32 r3.x, r3.x, r7.x\n"
                         "iadd.i32 r0.x, c0.y, c0.y\n"
                         "icmp.eq.i32 r8.x, c0.z, c0.z\n"  // the third round leaves
                         "xmov o1.x, r3.x\n"));
}

TEST(UnrollPass, LoopsWhoseLengthIsNotKnownStay) {
  const std::string text =
      "block\nloop\nbrc r1.x, #0\nld.table.i32 r2.x, -, r0.x, #0\niadd.i32 r1.x, r1.x, r2.x\nendloop\nendblock\n";
  EXPECT_FALSE(expectPass("unroll", text, text));
}

TEST(UnrollPass, LoopsThatUseArraysAtKnownPlacesOnlyStay) {
  const std::string text =
      ".const 0 4 8 0\nxmov r0.x, c0.x\nblock\nloop\nicmp.eq.i32 r1.x, r0.x, c0.z\nbrc r1.x, #0\n"
      "ld.scratch.i32 r2.x, -, c0.y, #0\niadd.i32 r0.x, r0.x, c0.y\nendloop\nendblock\n";
  EXPECT_FALSE(expectPass("unroll", text, text));
}

TEST(UnrollPass, WhatIsKnownAfterwardsDoesNotCountAsCode) {
  // 64 rounds of 20 instructions, 18 of which count on.
  std::string text =
      ".const 0 1 64 0\nxmov r0.x, c0.x\nxmov r3.x, c0.x\nblock\nloop\n"
      "icmp.eq.i32 r1.x, r0.x, c0.z\nbrc r1.x, #0\nst.scratch.i32 -, r3.x, r2.x, #0\n";
  for (int i = 0; i < 16; ++i) text += "iadd.i32 r3.x, r3.x, c0.y\n";
  text += "iadd.i32 r0.x, r0.x, c0.y\nendloop\nendblock\n";
  auto program = isa::assemble(".stage fragment\n" + text);
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_TRUE(unrollLoops(*program));
  for (const isa::Inst& inst : program->code) EXPECT_NE(inst.op, isa::Opcode::Loop);
}

TEST(UnrollPass, PlainLoopsStay) {
  const std::string text =
      ".const 0 4 8 0\nxmov r0.x, c0.x\nblock\nloop\nicmp.eq.i32 r1.x, r0.x, c0.z\nbrc r1.x, #0\n"
      "iadd.i32 r0.x, r0.x, c0.y\nendloop\nendblock\n";
  EXPECT_FALSE(expectPass("unroll", text, text));
}

}  // namespace
}  // namespace etzel::opt
