// What programs with tiles in workgroup memory let native code do: loads of the next round.
#include <gtest/gtest.h>

#include "compiler/exec/native/analysis/next_rounds.h"
#include "compiler/isa/assemble.h"

namespace etzel::native {
namespace {

/// c0 is (0, 1, 2, 4). Two values go through a loop of two barriers: r1.x is added to behind the second one, in a loop
/// of its own, and r1.y before the first one, there and at the end.
const char kTiles[] =
    ".stage compute\n.local 16 16 1\n.shared 1024\n.const 0 1 2 4\n"
    "sys r0.x, #0x27\nshl.i32 r0.x, r0.x, c0.z\nxmov.m r1.x, r0.x\nxmov.m r1.y, r0.x\nxmov.m r0.y, c0.x\n"  // 0
    "block\nloop\n"                                                                                       // 5
    "ld.push.i32 r0.z, -, -, #0\nicmp.uge.i32 r0.w, r0.y, r0.z\nbrc r0.w, #0\n"                           // 7
    "imul.i32 r2.x, r0.y, r0.z\niadd.i32 r2.x, r2.x, r0.x\nld.buffer.i32 r2.y, c0.x, r2.x, #0\n"          // 10
    "ld.buffer.i32 r2.z, c0.x, r0.x, #0\nshr.i32 r2.w, r2.x, r0.y\nld.buffer.i32 r2.w, c0.x, r2.w, #0\n"  // 13
    "iadd.i32 r2.y, r2.y, r2.z\niadd.i32 r3.x, r1.y, r2.w\nxmov.m r1.y, r3.x\n"                           // 16
    "st.shared.i32 -, r0.x, r2.y, #0\nbarrier\n"                                                          // 19
    "xmov.m r3.y, c0.x\nblock\nloop\nicmp.uge.i32 r3.z, r3.y, c0.w\nbrc r3.z, #0\n"                       // 21
    "ld.shared.i32 r3.w, -, r0.x, #0\niadd.i32 r4.x, r1.x, r3.w\nxmov.m r1.x, r4.x\n"                     // 26
    "iadd.i32 r4.y, r3.y, c0.y\nxmov.m r3.y, r4.y\nendloop\nendblock\nbarrier\n"                          // 29
    "iadd.i32 r4.z, r0.y, c0.y\nxmov.m r0.y, r4.z\nendloop\nendblock\n"                                   // 34
    "iadd.i32 r4.w, r1.x, r1.y\nst.buffer.i32 c0.z, r0.x, r4.w, #0\n";                                    // 38

struct Tiles {
  isa::Program program;
  Webs webs;
  Divergence divergence;

  Tiles() {
    auto made = isa::assemble(kTiles);
    EXPECT_TRUE(made.ok()) << made.error().message;
    if (!made.ok()) return;
    program = std::move(*made);
    webs = findWebs(program);
    divergence = analyzeDivergence(webs);
  }
  uint32_t webAt(uint32_t instruction) const { return webs.webOf(webs.program.code[instruction].dst); }
};

TEST(NextRounds, OfLoadsThatGrowWithTheCounter) {
  const Tiles t;
  ASSERT_EQ(t.program.code.size(), 40u);
  const std::map<uint32_t, NextRound> next = findNextRounds(t.webs, t.divergence, Bounds(t.webs));
  ASSERT_EQ(next.size(), 1u) << "the second one stays where it is, the third one goes nobody knows where";
  EXPECT_EQ(next.begin()->first, 12u);
  EXPECT_EQ(next.begin()->second.counter, t.webAt(35));
}

}  // namespace
}  // namespace etzel::native
