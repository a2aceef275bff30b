#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

TEST(DeadCodePass, WhatNobodyReadsGoesWithWhatItAloneRead) {
  expectPass("dead-code",
             "ldimm r0.x, #5\n"
             "fadd.f32 r0.y, r0.x, r0.x\n"
             "fmul.f32 r1.x, r0.y, r0.y\n"
             "fmul.f32 o1.x, r0.x, r0.x\n",
             "ldimm r0.x, #5\n"
             "fmul.f32 o1.x, r0.x, r0.x\n");
}

TEST(DeadCodePass, AtomicsStayWithoutTheirResults) {
  expectPass("dead-code", "atom.buffer.add.i32 r0.x, c0.x, -, c0.y, #0\n",
             "atom.buffer.add.i32 -, c0.x, -, c0.y, #0\n");
}

TEST(DeadCodePass, OneWordThatIsReadKeepsAVector) {
  expectPass("dead-code",
             "ld.buffer.i32.x4 r0.x, c0.x, -, #0\n"
             "ld.buffer.i32.x4 r1.x, c0.x, -, #16\n"
             "xmov o1.x, r1.z\n",
             "ld.buffer.i32.x4 r1.x, c0.x, -, #16\n"
             "xmov o1.x, r1.z\n");
}

TEST(DeadCodePass, StoresAndDiscardsStay) {
  const std::string text = "st.buffer.i32 c0.x, -, c0.y, #0\nif c0.y\ndemote\nendif\nclock r0.x\n";
  expectPass("dead-code", text, text);
}

}  // namespace
}  // namespace etzel::opt
