// What runs between barriers.
#include <gtest/gtest.h>

#include "compiler/exec/native/analysis/regions.h"
#include "compiler/isa/assemble.h"

namespace etzel::native {
namespace {

std::vector<uint32_t> regionsOf(const std::string& text) {
  auto program = isa::assemble(".stage compute\n.local 16 1 1\n.shared 64\n.const 0 1 2 3\n" + text);
  EXPECT_TRUE(program.ok()) << program.error().message;
  if (!program.ok()) return {};
  return findRegions(*program, analyzeDivergence(findWebs(*program)));
}

TEST(Regions, EndAtBarriers) {
  const auto r = regionsOf("xmov r0.x, c0.x\nbarrier\nxmov r0.y, c0.x\nbarrier\nxmov r0.z, c0.x\n");
  ASSERT_EQ(r.size(), 5u);
  EXPECT_EQ(r[0], r[1]);
  EXPECT_EQ(r[2], r[3]);
  EXPECT_NE(r[0], r[2]);
  EXPECT_NE(r[2], r[4]);
  EXPECT_NE(r[0], r[4]);
}

// From the last barrier of a round one comes to the first one of the next, and out.
TEST(Regions, OfLoopsGoOnInTheNextRound) {
  const auto r = regionsOf(
      "xmov.m r0.x, c0.x\n"
      "block\nloop\n"
      "icmp.uge.i32 r0.y, r0.x, c0.w\nbrc r0.y, #0\n"
      "xmov r1.x, r0.x\nbarrier\n"
      "xmov r1.y, r0.x\nbarrier\n"
      "iadd.i32 r0.z, r0.x, c0.y\nxmov.m r0.x, r0.z\n"
      "endloop\nendblock\n"
      "xmov r1.z, r0.x\n");
  ASSERT_EQ(r.size(), 14u);
  EXPECT_EQ(r[0], r[5]);
  EXPECT_NE(r[5], r[7]);
  EXPECT_EQ(r[9], r[5]);
  EXPECT_EQ(r[13], r[9]);
}

TEST(Regions, MeetBehindBarriersThatSomeGoAround) {
  const auto r = regionsOf("ld.push.i32 r0.x, -, -, #0\nif r0.x\nbarrier\nxmov r0.y, c0.x\nendif\nxmov r0.z, c0.x\n");
  ASSERT_EQ(r.size(), 6u);
  EXPECT_EQ(r[0], r[3]);
  EXPECT_EQ(r[3], r[5]);
}

TEST(Regions, AreQuietWhereNothingWritesWorkgroupMemory) {
  auto program = isa::assemble(
      ".stage compute\n.local 16 1 1\n.shared 64\n.const 0 1 2 3\n"
      "ld.shared.i32 r0.x, -, c0.x, #0\nst.buffer.i32 c0.x, c0.x, r0.x, #0\nbarrier\n"
      "ld.shared.i32 r0.x, -, c0.x, #4\nst.shared.i32 -, c0.x, r0.x, #0\nbarrier\n"
      "ld.shared.i32 r0.x, -, c0.x, #0\n");
  ASSERT_TRUE(program.ok()) << program.error().message;
  const auto regions = findRegions(*program, analyzeDivergence(findWebs(*program)));
  EXPECT_EQ(findQuiet(*program, regions), (std::vector<bool>{true, true, true, false, false, false, true}));
}

}  // namespace
}  // namespace etzel::native
