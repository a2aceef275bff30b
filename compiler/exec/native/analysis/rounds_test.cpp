// What programs with tiles in workgroup memory let native code do: sums that stay in memory, loads of the next round.
#include <gtest/gtest.h>

#include "compiler/exec/native/analysis/many_sums.h"
#include "compiler/exec/native/analysis/next_rounds.h"
#include "compiler/exec/native/analysis/regions.h"
#include "compiler/exec/native/analysis/staying.h"
#include "compiler/isa/assemble.h"

namespace etzel::native {
namespace {

/// c0 is (0, 1, 2, 4). Two values go through a loop of two barriers: r1.x is added to behind the second one, in a loop
/// of its own, and r1.y before the first one, there and at the end.
const char kTiles[] =
    ".stage compute\n.local 16 16 1\n.shared 1024\n.const 0 1 2 4\n"
    "sys r0.x, #0x27\nshl.i32 r0.x, r0.x, c0.z\nxmov.m r1.x, r0.x\nxmov.m r1.y, r0.x\nxmov.m r0.y, c0.x\n"  // 0
    "block\nloop\n"                                                                                         // 5
    "ld.push.i32 r0.z, -, -, #0\nicmp.uge.i32 r0.w, r0.y, r0.z\nbrc r0.w, #0\n"                             // 7
    "imul.i32 r2.x, r0.y, r0.z\niadd.i32 r2.x, r2.x, r0.x\nld.buffer.i32 r2.y, c0.x, r2.x, #0\n"            // 10
    "ld.buffer.i32 r2.z, c0.x, r0.x, #0\nshr.i32 r2.w, r2.x, r0.y\nld.buffer.i32 r2.w, c0.x, r2.w, #0\n"    // 13
    "iadd.i32 r2.y, r2.y, r2.z\niadd.i32 r3.x, r1.y, r2.w\nxmov.m r1.y, r3.x\n"                             // 16
    "st.shared.i32 -, r0.x, r2.y, #0\nbarrier\n"                                                            // 19
    "xmov.m r3.y, c0.x\nblock\nloop\nicmp.uge.i32 r3.z, r3.y, c0.w\nbrc r3.z, #0\n"                         // 21
    "ld.shared.i32 r3.w, -, r0.x, #0\niadd.i32 r4.x, r1.x, r3.w\nxmov.m r1.x, r4.x\n"                       // 26
    "iadd.i32 r4.y, r3.y, c0.y\nxmov.m r3.y, r4.y\nendloop\nendblock\nbarrier\n"                            // 29
    "iadd.i32 r4.z, r0.y, c0.y\nxmov.m r0.y, r4.z\nendloop\nendblock\n"                                     // 34
    "iadd.i32 r4.w, r1.x, r1.y\nst.buffer.i32 c0.z, r0.x, r4.w, #0\n";                                      // 38

struct Tiles {
  isa::Program program;
  Webs webs;
  Divergence divergence;
  std::vector<uint32_t> regions;

  Tiles() {
    auto made = isa::assemble(kTiles);
    EXPECT_TRUE(made.ok()) << made.error().message;
    if (!made.ok()) return;
    program = std::move(*made);
    webs = findWebs(program);
    divergence = analyzeDivergence(webs);
    regions = findRegions(program, divergence);
  }
  uint32_t webAt(uint32_t instruction) const { return webs.webOf(webs.program.code[instruction].dst); }
};

TEST(Staying, IsWhatIsHardlyLookedAt) {
  const Tiles t;
  ASSERT_EQ(t.regions.size(), 40u);
  const Staying staying = findStaying(t.webs, t.divergence, t.regions, {});
  EXPECT_TRUE(staying.count({t.regions[10], t.webAt(28)})) << "begun, and given at the end";
  EXPECT_FALSE(staying.count({t.regions[26], t.webAt(28)})) << "each round adds to it";
  EXPECT_FALSE(staying.count({t.regions[10], t.webAt(18)})) << "begun, added to, given at the end";
  EXPECT_TRUE(staying.count({t.regions[26], t.webAt(18)})) << "nobody looks at it";
}

TEST(Staying, LeavesRegistersThatOtherLanesUse) {
  for (const bool other : {false, true}) {
    const std::string leave = other ? "xmov.m r1.x, r0.z\nst.buffer.i32 c0.x, r0.x, r1.x, #0\nret\n" : "ret\n";
    auto program = isa::assemble(
        ".stage compute\n.local 16 16 1\n.shared 1024\n.const 0 1 2 4\nsys r0.x, #0x27\nimul.i32 r0.z, r0.x, r0.x\n"
        "xmov.m r1.x, r0.z\nicmp.ugt.i32 r0.y, r0.z, c0.w\nblock\nbrc r0.y, #0\n" +
        leave + "endblock\nbarrier\nbarrier\nst.buffer.i32 c0.z, r0.x, r1.x, #0\n");
    ASSERT_TRUE(program.ok()) << program.error().message;
    const Webs webs = findWebs(*program);
    const Divergence divergence = analyzeDivergence(webs);
    const std::vector<uint32_t> regions = findRegions(*program, divergence);
    const uint32_t web = webs.webOf(webs.program.code[2].dst);
    EXPECT_EQ(findStaying(webs, divergence, regions, {}).count({regions[2], web}), other ? 0u : 1u);
  }
}

TEST(Staying, CountsSumsThatAreBroughtOnce) {
  const Tiles t;
  ASSERT_EQ(t.regions.size(), 40u);
  const std::map<uint32_t, ManySums> sums = findManySums(t.webs, t.divergence, {1});
  ASSERT_EQ(sums.count(23), 1u);
  EXPECT_TRUE(findStaying(t.webs, t.divergence, t.regions, sums).count({t.regions[26], t.webAt(28)}));
}

TEST(NextRounds, OfLoadsThatGrowWithTheCounter) {
  const Tiles t;
  ASSERT_EQ(t.regions.size(), 40u);
  const std::map<uint32_t, NextRound> next = findNextRounds(t.webs, t.divergence, Bounds(t.webs), false);
  ASSERT_EQ(next.size(), 1u) << "the second one stays where it is, the third one goes nobody knows where";
  EXPECT_EQ(next.begin()->first, 12u);
  EXPECT_EQ(next.begin()->second.counter, t.webAt(35));
}

/// A loop whose counter `counts`, with a load and perhaps a product.
std::map<uint32_t, NextRound> nextOfProducts(const std::string& counts, bool multiplies, bool asked = true) {
  auto program = isa::assemble(
      ".stage compute\n.local 8 1 1\n.temps 40\n.const 0 1 2 4\nsys r0.x, #0x30\nshl.i32 r0.y, r0.x, c0.z\n"
      "xmov.m r1.x, c0.x\nblock\nloop\nicmp.uge.i32 r1.y, r1.x, c0.w\nbrc r1.y, #0\niadd.i32 r2.x, r0.y, r1.x\n"
      "ld.buffer.i32.x8 r4.x, c0.x, r2.x, #0\n" +
      std::string(multiplies ? "sgproduct.i32.x8 r6.x, r4.x, r4.x, r8.x\n" : "") + counts +
      "xmov.m r1.x, r1.z\nendloop\nendblock\nret\n");
  EXPECT_TRUE(program.ok()) << program.error().message;
  if (!program.ok()) return {};
  const Webs webs = findWebs(*program);
  return findNextRounds(webs, analyzeDivergence(webs), Bounds(webs), asked);
}

TEST(NextRounds, OfProductsAreTwoStepsFurther) {
  const std::string one = "iadd.i32 r1.z, r1.x, c0.w\n", two = "iadd.i32 r1.w, r1.x, c0.w\niadd.i32 r1.z, r1.w, c0.z\n";
  const auto next = nextOfProducts(two, true);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next.begin()->first, 8u);
  EXPECT_EQ(next.begin()->second.steps.size(), 2u);
  EXPECT_EQ(nextOfProducts(one, true).size(), 1u);
  EXPECT_TRUE(nextOfProducts(one, false).empty()) << "nothing to compute meanwhile";
  EXPECT_TRUE(nextOfProducts(one, true, false).empty()) << "not asked for";
  EXPECT_TRUE(nextOfProducts("iadd.i32 r1.z, r1.x, r0.y\n", true).empty()) << "lanes count differently";
}

/// A loop that adds to `sums` values, and what it does beside.
std::map<uint32_t, ManySums> sumsOf(uint32_t sums, const std::string& beside, Webs& webs) {
  const auto sum = [](uint32_t s) { return "r" + std::to_string(4 + s / 4) + "." + "xyzw"[s % 4]; };
  std::string text = ".stage compute\n.local 16 16 1\n.shared 1024\n.const 0 1 2 4\nsys r0.x, #0x27\n";
  for (uint32_t s = 0; s < sums; ++s) text += "xmov.m " + sum(s) + ", r0.x\n";
  text += "xmov.m r1.x, c0.x\nblock\nloop\nicmp.uge.i32 r1.y, r1.x, c0.w\nbrc r1.y, #0\nimul.i32 r2.x, r0.x, r1.x\n";
  for (uint32_t s = 0; s < sums; ++s) text += "iadd.i32 r2.y, " + sum(s) + ", r2.x\nxmov.m " + sum(s) + ", r2.y\n";
  text += beside + "iadd.i32 r1.z, r1.x, c0.y\nxmov.m r1.x, r1.z\nendloop\nendblock\n";
  for (uint32_t s = 0; s < sums; ++s) text += "st.buffer.i32 c0.x, r0.x, " + sum(s) + ", #0\n";
  auto program = isa::assemble(text);
  EXPECT_TRUE(program.ok()) << program.error().message;
  if (!program.ok()) return {};
  webs = findWebs(*program);
  return findManySums(webs, analyzeDivergence(webs), {8});
}

TEST(ManySums, AreGroupsThatLeaveHalfOfTheRegisters) {
  Webs webs;
  EXPECT_TRUE(sumsOf(7, "", webs).empty());
  const auto found = sumsOf(10, "", webs);
  ASSERT_EQ(found.size(), 1u);
  const ManySums& many = found.begin()->second;
  ASSERT_EQ(many.groups.size(), 3u);
  EXPECT_EQ(many.groups[0].size(), 8u) << "an addition and a move for each of four";
  EXPECT_EQ(many.groups[2].size(), 4u);
  ASSERT_EQ(many.factors.size(), 1u);
  EXPECT_EQ(many.groupOf(many.groups[1][0]), std::optional<size_t>(1));
  EXPECT_EQ(many.groupOf(many.end), std::nullopt);
}

TEST(ManySums, AreNoneWhereTheirOrderCouldBeSeen) {
  Webs webs;
  EXPECT_TRUE(sumsOf(8, "iadd.i32 r2.z, r4.x, c0.y\nst.buffer.i32 c0.z, r0.x, r2.z, #0\n", webs).empty()) << "stores";
  EXPECT_TRUE(sumsOf(8, "iadd.i32 r3.x, r4.x, c0.y\nxmov.m r3.y, r3.x\n", webs).empty()) << "one is looked at";
  EXPECT_TRUE(sumsOf(8, "if r0.x\niadd.i32 r3.x, r0.x, c0.y\nendif\n", webs).empty()) << "lanes go their own ways";
}

}  // namespace
}  // namespace etzel::native
