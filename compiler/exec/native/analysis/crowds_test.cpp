// What warps side by side have in common, and where barriers may be added.
#include <gtest/gtest.h>

#include "compiler/exec/native/analysis/agreement.h"
#include "compiler/exec/native/analysis/crowds.h"
#include "compiler/exec/native/analysis/pauses.h"
#include "compiler/exec/native/analysis/regions.h"
#include "compiler/isa/assemble.h"

namespace etzel::native {
namespace {

using isa::Opcode;

/// A compute program of workgroups of 16 x 16, c0 is (0, 1, 4, 16), c1 is (15, 3, 2, 1024), c2 is (256, 8, 255, 64).
isa::Program programOf(const std::string& text) {
  auto made = isa::assemble(
      ".stage compute\n.local 16 16 1\n.shared 8192\n.const 0 1 4 16\n.const 15 3 2 1024\n.const 256 8 255 64\n" +
      text);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return made.ok() ? std::move(*made) : isa::Program();
}

struct Analyzed {
  Webs webs;
  Bounds bounds;
  Crowd crowd;

  explicit Analyzed(const std::string& text) : webs(findWebs(programOf(text))), bounds(webs) {
    const Divergence divergence = analyzeDivergence(webs);
    crowd = findCrowd(webs, divergence, bounds, findRegions(webs.program, divergence));
  }
  uint32_t web(uint32_t i) const { return webs.webOf(webs.program.code[i].dst); }
  std::vector<uint32_t> first(uint32_t i) const {
    const auto& first = crowd.kin[web(i)].first;
    return {first.begin(), first.end()};
  }
  std::vector<uint32_t> more(uint32_t i) const {
    const auto& more = crowd.kin[web(i)].more;
    return {more.begin(), more.end()};
  }
};

using Eight = std::vector<uint32_t>;
const Eight kAlone{0, 1, 2, 3, 4, 5, 6, 7}, kNone(kCrowd);

TEST(CrowdAnalysis, AreApartByWhatTheProgramSays) {
  const Analyzed a(
      "sys r0.x, #0x27\n"  // LocalIndex
      "umod.i32 r0.y, r0.x, c0.w\n"
      "udiv.i32 r0.z, r0.x, c0.w\n"
      "sys r0.w, #0x24\n"  // LocalIdX
      "sys r1.x, #0x25\n"  // LocalIdY
      "ld.push.i32 r1.y, -, -, #0\n"
      "imul.i32 r1.z, r0.z, r1.y\n"
      "sys r1.w, #0x29\n"  // WorkgroupIdY
      "iadd.i32 r2.x, r0.x, r1.w\n"
      "shr.i32 r2.y, r2.x, c0.z\n"
      "barrier\n");
  ASSERT_TRUE(a.crowd.possible);
  EXPECT_EQ(a.more(0), (Eight{0, 8, 16, 24, 32, 40, 48, 56}));
  EXPECT_EQ(a.more(1), (Eight{0, 8, 0, 8, 0, 8, 0, 8}));
  EXPECT_EQ(a.more(2), (Eight{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(a.more(3), (Eight{0, 8, 0, 8, 0, 8, 0, 8}));
  EXPECT_EQ(a.more(4), (Eight{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(a.first(5), kNone);
  EXPECT_EQ(a.more(5), kNone);
  EXPECT_EQ(a.first(6), (Eight{0, 0, 2, 2, 4, 4, 6, 6})) << "a factor that nobody knows";
  EXPECT_EQ(a.more(8), a.more(0));
  EXPECT_EQ(a.first(9), kAlone) << "sums carry into other bits";
}

TEST(CrowdAnalysis, AreOfProgramsThatDoNotTakeLongToMake) {
  for (const bool isShort : {true, false}) {
    std::string text = "barrier\n";
    for (uint32_t i = 0; i < (isShort ? 639u : 640u); ++i) text += "iadd.i32 r0.x, r0.x, c0.y\n";
    EXPECT_EQ(Analyzed(text).crowd.possible, isShort);
  }
}

TEST(CrowdAnalysis, HaveInCommonWhatIsLoadedFromOnePlace) {
  const std::string loads =
      "ld.shared.i32 r1.x, -, r0.y, #0\n"   // 4: by column
      "imul.i32 r1.y, r1.x, r1.x\n"         // 5
      "ld.shared.i32 r1.z, -, r0.w, #64\n"  // 6: by row
      "iadd.i32 r1.w, r1.y, r1.z\n";        // 7
  const std::string places = "sys r0.x, #0x24\nshl.i32 r0.y, r0.x, c1.z\nsys r0.z, #0x25\nshl.i32 r0.w, r0.z, c1.z\n";
  const Analyzed a(places + loads + "barrier\n");
  ASSERT_TRUE(a.crowd.possible);
  EXPECT_TRUE(a.crowd.isCommon(a.web(4)));
  EXPECT_TRUE(a.crowd.isCommon(a.web(5)));
  EXPECT_EQ(a.first(6), (Eight{0, 0, 2, 2, 4, 4, 6, 6}));
  EXPECT_TRUE(a.crowd.isAlone(a.web(7)));
  EXPECT_TRUE(a.crowd.ofAll[a.web(5)]);
  EXPECT_FALSE(a.crowd.ofAll[a.web(6)]);
  const Analyzed written(places + loads + "st.shared.i32 -, r0.y, r1.w, #0\nbarrier\n");
  EXPECT_TRUE(written.crowd.isAlone(written.web(5))) << "another warp may have stored in between";
}

TEST(CrowdAnalysis, NeedBranchesThatAllTakeTogether) {
  const auto possible = [](const std::string& text) { return Analyzed(text + "barrier\n").crowd.possible; };
  const auto branch = [](const std::string& condition) { return condition + "if r1.x\nxmov.m r1.y, c0.y\nendif\n"; };
  EXPECT_TRUE(possible(branch("ld.push.i32 r1.x, -, -, #0\n")));
  EXPECT_TRUE(possible(branch("sys r0.x, #0x27\nicmp.ult.i32 r1.x, r0.x, c2.w\n"))) << "a multiple of 64";
  EXPECT_FALSE(possible(branch("sys r0.x, #0x27\nicmp.ult.i32 r1.x, r0.x, c2.y\n"))) << "of warps";
  EXPECT_FALSE(possible(branch("sys r0.x, #0x27\nicmp.ult.i32 r1.x, r0.x, c0.z\n"))) << "of lanes";
}

/// A loop over the tile's words from the invocation's own one on, `step` further each time, up to `most`; `place` makes
/// r1.x of r0.x.
bool fillsApart(const std::string& place, const std::string& step = "c2.x", const std::string& most = "c1.w") {
  const Analyzed a("sys r0.x, #0x27\nblock\nloop\nicmp.uge.i32 r0.y, r0.x, " + most + "\nbrc r0.y, #0\n" + place +
                   "st.shared.i32 -, r1.x, r0.x, #0\niadd.i32 r0.z, r0.x, " + step +
                   "\nxmov.m r0.x, r0.z\nendloop\nendblock\nbarrier\n");
  const auto& code = a.webs.program.code;
  const auto store = std::find_if(code.begin(), code.end(), [](const isa::Inst& i) { return i.op == Opcode::St; });
  return storesApart(a.webs, a.bounds, static_cast<uint32_t>(store - code.begin()));
}

TEST(StoresApart, GoWhereEachBitOfANumberHasOneOfItsOwn) {
  const std::string turned =
      "umod.i32 r1.y, r0.x, c0.w\nudiv.i32 r1.z, r0.x, c0.w\nshl.i32 r1.y, r1.y, c2.y\nshl.i32 r1.z, r1.z, c1.z\n";
  EXPECT_TRUE(fillsApart("shl.i32 r1.x, r0.x, c1.z\n"));
  EXPECT_TRUE(fillsApart(turned + "iadd.i32 r1.x, r1.y, r1.z\n"));
  EXPECT_FALSE(fillsApart("shl.i32 r1.x, r0.x, c0.y\n")) << "halves of words";
  EXPECT_FALSE(fillsApart(turned + "iadd.i32 r1.x, r1.y, r1.y\n")) << "sums that are carried";
  EXPECT_FALSE(fillsApart("and.i32 r1.y, r0.x, c2.z\nshl.i32 r1.x, r1.y, c1.z\n")) << "bits that are lost";
  EXPECT_FALSE(fillsApart("shl.i32 r1.x, r0.x, c1.z\n", "c2.w")) << "numbers that others have in a later round";
  EXPECT_FALSE(fillsApart(turned + "iadd.i32 r1.x, r1.y, r1.z\n", "c2.x", "r2.x")) << "any number of words";
}

TEST(Agreement, EndsWhereSomeGoAnotherWay) {
  const Analyzed a(
      "sys r0.x, #0x28\n"                                                  // WorkgroupIdX
      "sys r0.y, #0x25\n"                                                  // LocalIdY
      "if r0.x\nxmov.m r1.x, c0.y\nendif\n"                                // 2: all alike
      "if r0.y\nxmov.m r1.y, c0.y\nendif\n"                                // 5: some
      "xmov.m r1.z, c0.x\nxmov.m r1.w, c0.x\n"                             // 8
      "block\nloop\nicmp.uge.i32 r2.x, r1.z, r0.y\nbrc r2.x, #0\n"         // 10
      "iadd.i32 r2.y, r1.z, c0.y\nxmov.m r1.z, r2.y\nendloop\nendblock\n"  // 14
      "block\nloop\nicmp.uge.i32 r2.z, r1.w, r0.x\nbrc r2.z, #0\n"         // 18
      "iadd.i32 r2.w, r1.w, c0.y\nxmov.m r1.w, r2.w\nendloop\nendblock\n"  // 22
      "barrier\n");
  const Agreement agreement(a.webs, a.bounds, [&](uint32_t i) { return a.webs.program.code[i].imm == 0x28; });
  const auto alike = [&](uint32_t i) { return agreement.isAlike(a.web(i)); };
  EXPECT_TRUE(alike(0));
  EXPECT_FALSE(alike(1));
  EXPECT_TRUE(alike(3));
  EXPECT_FALSE(alike(6));
  EXPECT_FALSE(alike(15)) << "as many rounds as the row says";
  EXPECT_TRUE(alike(23));
  EXPECT_FALSE(agreement.comesBy(14));
  EXPECT_TRUE(agreement.comesBy(22));
  EXPECT_TRUE(agreement.comesBy(26));
}

/// How many barriers more a loop of `rounds` with barriers has behind it.
size_t pauses(const std::string& rounds, const std::string& before = "", const std::string& limit = "c0.w") {
  const isa::Program program = programOf(
      before + "xmov.m r0.x, c0.x\nblock\nloop\nicmp.uge.i32 r0.y, r0.x, " + limit + "\nbrc r0.y, #0\n" + rounds +
      "iadd.i32 r0.z, r0.x, c0.y\nxmov.m r0.x, r0.z\nendloop\nendblock\n" + "st.buffer.i32 c0.x, c0.x, r0.x, #0\n");
  const auto paused = withPauses(program);
  if (!paused) return 0;
  const auto end = std::find_if(paused->code.rbegin(), paused->code.rend(),
                                [](const isa::Inst& i) { return i.op == Opcode::EndBlock; });
  EXPECT_EQ((end - 1)->op, Opcode::Barrier);
  return paused->code.size() - program.code.size();
}

TEST(Pauses, StandBehindLoopsThatAllLeaveAtOnce) {
  const std::string load = "ld.buffer.i32 r1.x, c0.x, c0.x, #0\n", row = "sys r1.y, #0x25\n";
  EXPECT_EQ(pauses(load + "barrier\n"), 1u);
  EXPECT_EQ(pauses(load + "barrier\n", "ld.push.i32 r1.y, -, -, #0\n", "r1.y"), 1u);
  EXPECT_EQ(pauses(load), 0u) << "no barrier";
  EXPECT_EQ(pauses("barrier\n" + load), 0u) << "reads memory on the way out";
  EXPECT_EQ(pauses("barrier\n", load), 0u) << "or before";
  EXPECT_EQ(pauses("barrier\n", load + "barrier\n"), 1u);
  EXPECT_EQ(pauses("barrier\n", row, "r1.y"), 0u) << "rows leave one by one";
  EXPECT_EQ(pauses(row + "barrier\nbrc r1.y, #0\n"), 0u) << "two ways out";
}

TEST(SteadyLoads, AreOfMemoryThatIsNotWrittenBetweenBarriers) {
  const isa::Program program = programOf(
      "ld.shared.i32 r0.x, -, c0.x, #0\nld.buffer.i32 r0.y, c0.x, c0.x, #0\nst.shared.i32 -, c0.x, r0.y, #0\n"
      "barrier\n"
      "ld.shared.i32 r0.x, -, c0.x, #0\nld.buffer.i32 r0.y, c0.x, c0.x, #0\nst.buffer.i32 c0.z, c0.x, r0.x, #0\n"
      "ld.push.i32 r0.z, -, -, #0\n");
  const auto regions = findRegions(program, analyzeDivergence(findWebs(program)));
  EXPECT_EQ(findSteadyLoads(program, regions),
            (std::vector<bool>{false, true, false, false, true, false, false, true}));
}

}  // namespace
}  // namespace etzel::native
