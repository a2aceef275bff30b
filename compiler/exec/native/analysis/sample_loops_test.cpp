// Which loops fetch sample after sample, and what of them may be skipped.
#include "compiler/exec/native/analysis/sample_loops.h"

#include <gtest/gtest.h>

#include "compiler/isa/assemble.h"

namespace etzel::native {
namespace {

/// The pixel is in r0, the sample in r5.x, sums in r3.
const std::string kHead =
    "sys r0.x, #0xf\nsys r0.y, #0x10\ncvtfs.f32.i32 r0.x, r0.x\ncvtfs.f32.i32 r0.y, r0.y\nxmov.x4 r3.x, c1.x\n";
std::string fetch(const std::string& to, const std::string& image, const std::string& x = "r0.x") {
  return "xmov r1.x, " + x + "\nxmov r1.y, r0.y\nxmov r1.z, r5.x\ntexture " + to + ".x, c0." + image +
         ", r1.x, -, #0x911\n";
}
std::string loop(const std::string& body) {
  return "xmov.m r5.x, c0.x\nblock\nloop\nicmp.sge.i32 r5.y, r5.x, c0.w\nbrc r5.y, #0\n" + body +
         "iadd.i32 r5.y, r5.x, c0.y\nxmov.m r5.x, r5.y\nendloop\nendblock\n";
}
/// Makes r6.x of r2 and r7.
std::string light(uint32_t instructions = 30) {
  std::string text = "fmul.f32 r6.x, r2.x, r7.x\n";
  for (uint32_t i = 1; i < instructions; ++i) text += "fadd.f32 r6.x, r6.x, r2.y\n";
  return text;
}
const std::string kSum = "fadd.f32 r4.x, r3.x, r6.x\nxmov.m r3.x, r4.x\n";
const std::string kBoth = fetch("r2", "x") + fetch("r7", "z");

struct Found {
  isa::Program program;
  std::map<uint32_t, SampleLoop> loops;

  explicit Found(const std::string& text) {
    auto made = isa::assemble(
        ".stage fragment\n.temps 24\n.resource 0 0 0x00000000 32 1\n.resource 0 1 0x00000002 32 1\n"
        ".resource 0 2 0x00000004 32 1\n.const 0 1 2 3\n.const 0 0 0 4\n" +
        text + "xmov o1.x, r3.x\nret\n");
    EXPECT_TRUE(made.ok()) << made.error().message << text;
    if (!made.ok()) return;
    program = std::move(*made);
    const Webs webs = findWebs(program);
    loops = findSampleLoops(webs, analyzeDivergence(webs), findConstants(webs));
  }
  /// Instructions that may be skipped.
  uint32_t skipped() const {
    return loops.empty() ? 0 : loops.begin()->second.skipEnd - loops.begin()->second.skipBegin;
  }
};

TEST(SampleLoops, WhatIsMadeOfASampleAloneMayBeSkipped) {
  const Found f(kHead + loop(kBoth + light() + kSum));
  ASSERT_EQ(f.loops.size(), 1u);
  const auto& [begin, found] = *f.loops.begin();
  EXPECT_EQ(f.program.code[begin].op, isa::Opcode::Loop);
  EXPECT_EQ(found.images.size(), 2u);
  ASSERT_EQ(found.fetches.size(), 2u);
  EXPECT_EQ(found.fetches[1].image, 1u);
  EXPECT_EQ(found.skipBegin, found.fetches[0].at);
  EXPECT_EQ(f.program.code[found.skipEnd].op, isa::Opcode::FAdd);
  EXPECT_EQ(f.program.code[found.skipEnd - 1].dst, f.program.code[found.skipEnd].src[1]);
}

TEST(SampleLoops, InnerLoopsAndBranchesMayBeSkippedWhole) {
  const std::string inner =
      "xmov.m r8.x, c0.x\nxmov.m r6.x, c0.x\nblock\nloop\nicmp.sge.i32 r8.y, r8.x, c1.w\nbrc r8.y, #0\n" +
      std::string("if r2.x\nfadd.f32 r9.x, r6.x, r7.x\nxmov.m r6.x, r9.x\nendif\n") +
      "iadd.i32 r8.y, r8.x, c0.y\nxmov.m r8.x, r8.y\nendloop\nendblock\n";
  const Found f(kHead + loop(kBoth + inner + kSum));
  ASSERT_EQ(f.loops.size(), 1u);
  const SampleLoop& found = f.loops.begin()->second;
  EXPECT_EQ(f.program.code[found.skipEnd - 1].op, isa::Opcode::EndBlock);
  // A lane that leaves it for a block around does not come to its end.
  std::string leaves = inner;
  leaves.replace(leaves.find("brc r8.y, #0"), 12, "brc r8.y, #1");
  EXPECT_EQ(Found(kHead + loop(kBoth + leaves + kSum)).skipped(), 0u);
}

TEST(SampleLoops, LittleIsNotWorthABranch) { EXPECT_EQ(Found(kHead + loop(kBoth + light(10) + kSum)).skipped(), 0u); }

TEST(SampleLoops, WhatReadsTheSampleOrWhatLoopsCarryIsDoneInEveryRound) {
  EXPECT_GT(Found(kHead + loop(kBoth + light() + kSum)).skipped(), 30u);
  for (const std::string other : {"iadd.i32 r6.x, r6.x, r5.x\n", "fadd.f32 r6.x, r6.x, r3.x\n",
                                  "iadd.i32 r6.x, r6.x, r1.z\n", "fadd.f32 r6.x, r6.x, o1.y\n"})
    EXPECT_EQ(Found(kHead + loop(kBoth + light(10) + other + light(20) + kSum)).skipped(), 0u) << other;
  // Or if the sample's number was copied among them, for somebody behind.
  EXPECT_EQ(
      Found(kHead + loop(kBoth + "xmov r10.x, r5.x\n" + light() + kSum + "iadd.i32 r11.x, r10.x, r6.x\n")).skipped(),
      0u);
}

TEST(SampleLoops, WhatSomebodyElseInTheLoopWritesIsNotLeftAsItIs) {
  const auto after = [](const std::string& other) {
    return Found(kHead + loop(kBoth + light() + kSum + other + kSum)).skipped();
  };
  EXPECT_GT(after(""), 30u);
  EXPECT_EQ(after("if r3.x\nxmov.m r6.x, c0.y\nendif\n"), 0u);
}

TEST(SampleLoops, NothingIsSkippedWhereLanesOrMemoryChange) {
  for (const std::string other :
       {"if r2.x\nkill\nendif\n", "demote\n", "st.buffer.i32 c1.x, -, r6.x, #0\n", "if r2.x\nret\nendif\n"}) {
    const Found f(kHead + loop(kBoth + light() + kSum + other));
    EXPECT_EQ(f.loops.size(), 1u) << other;
    EXPECT_EQ(f.skipped(), 0u) << other;
  }
}

TEST(SampleLoops, OtherPixelsEveryRoundAreNoneOfTheirs) {
  EXPECT_TRUE(
      Found(kHead + loop("iadd.i32 r10.x, r0.x, r5.x\n" + fetch("r2", "x", "r10.x") + light() + kSum)).loops.empty());
  // Nor samples that stay, nor fetches that only some rounds come to.
  EXPECT_TRUE(
      Found(kHead + loop("xmov r1.x, r0.x\nxmov r1.y, r0.y\nxmov r1.z, c0.y\ntexture r2.x, c0.x, r1.x, -, #0x911\n" +
                         light() + kSum))
          .loops.empty());
  EXPECT_TRUE(Found(kHead + loop("if r3.x\n" + kBoth + "endif\n" + kSum)).loops.empty());
}

}  // namespace
}  // namespace etzel::native
