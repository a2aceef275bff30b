#include <gtest/gtest.h>

#include "compiler/isa/shadow.h"
#include "compiler/opt/pass_test.h"
#include "compiler/opt/passes.h"

namespace etzel::opt {
namespace {

/// An array of three words, which registers r8.x, r8.y and r8.z would be, and another one of two, r8.w and r9.x.
void arrays(isa::Program& program) {
  program.tempWords = 32;
  program.arrays = {{0, 12}, {12, 8}};
}

const std::string kConstants = ".const 0 4 8 0xfffffff8\n";

TEST(PromoteArraysPass, WhatIsReadAndWrittenAtKnownPlacesIsInRegisters) {
  EXPECT_TRUE(expectPass("promote-arrays",
                         kConstants + "st.scratch.i32 -, c0.y, r1.x, #4\n"
                                      "ld.scratch.i32.x2 r2.x, -, c0.y, #0\n"
                                      "st.scratch.i64 -, -, r1.x, #12\n"
                                      "ld.scratch.i32 r3.x, -, c0.z, #8\n",
                         kConstants + "xmov.m r8.z, r1.x\n"
                                      "xmov r2.x, r8.y\n"
                                      "xmov r2.y, r8.z\n"
                                      "xmov.m r8.w, r1.x\n"
                                      "xmov.m r9.x, r1.y\n"
                                      "xmov r3.x, r9.x\n",
                         arrays));
}

TEST(PromoteArraysPass, AnIndexThatIsNotKnownKeepsItsArrayInMemory) {
  EXPECT_TRUE(expectPass("promote-arrays",
                         kConstants + "st.scratch.i32 -, -, r1.x, #0\n"
                                      "ld.scratch.i32 r2.x, -, r3.x, #0\n"
                                      "ld.scratch.i32 r4.x, -, -, #16\n",
                         kConstants + "st.scratch.i32 -, -, r1.x, #0\n"
                                      "ld.scratch.i32 r2.x, -, r3.x, #0\n"
                                      "xmov r4.x, r8.y\n",  // the first register that is left
                         arrays));
}

TEST(PromoteArraysPass, AccessesPastTheEndKeepTheArrayInMemory) {
  const std::string text = kConstants +
                           "ld.scratch.i32.x2 r1.x, -, -, #16\n"
                           "ld.scratch.i32 r2.x, -, -, #2\n"
                           "ld.scratch.i32 r3.x, -, c0.w, #4\n";
  EXPECT_FALSE(expectPass("promote-arrays", text, text, arrays));
}

TEST(PromoteArraysPass, ShadowsKeepWhatRegistersHoldInTheHome) {
  isa::Program program;
  program.constants = {{0, 4, 8, 0}};
  program.newTemp();
  program.arrays = {{0, 8, 64}};
  isa::Inst store;
  store.op = isa::Opcode::St, store.sub = static_cast<uint8_t>(isa::Space::Scratch);
  store.src[1] = {isa::Bank::Param, 1}, store.src[2] = isa::temp(0);
  program.code = {store};
  ASSERT_TRUE(promoteArrays(program));
  ASSERT_EQ(program.code.size(), 2u);
  EXPECT_EQ(program.code[0].op, isa::Opcode::XMov);
  EXPECT_FALSE(isa::isShadow(program.code[0]));
  EXPECT_TRUE(isa::isShadow(program.code[1]));
  EXPECT_EQ(program.code[1].imm, 68u);
  EXPECT_EQ(program.code[1].src[2], program.code[0].dst);
  EXPECT_TRUE(program.arrays[0].promoted);
}

}  // namespace
}  // namespace etzel::opt
