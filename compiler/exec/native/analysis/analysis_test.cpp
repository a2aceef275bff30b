// What the analyses find out about small programs.
#include <gtest/gtest.h>

#include "compiler/exec/native/analysis/multiples.h"
#include "compiler/exec/native/analysis/streams.h"
#include "compiler/exec/native/analysis/wide_loads.h"
#include "compiler/isa/assemble.h"
#include "runtime/abi/groups_abreast.h"

namespace etzel::native {
namespace {

/// A compute program of workgroups of 16 x 16, c0 is (0, 1, 4, 16), c1 is (15, 3, 2, 1024), c2 is (1023, 0, 0, 0).
struct Analyzed {
  isa::Program program;
  Webs webs;
  Divergence divergence;

  explicit Analyzed(const std::string& text) {
    auto made = isa::assemble(
        ".stage compute\n.local 16 16 1\n.shared 8192\n.const 0 1 4 16\n.const 15 3 2 1024\n.const 1023 0 0 0\n" +
        text);
    EXPECT_TRUE(made.ok()) << made.error().message;
    if (!made.ok()) return;
    program = std::move(*made);
    webs = findWebs(program);
    divergence = analyzeDivergence(webs);
  }
  /// Of what instruction `i` gives.
  Shape shape(uint32_t i) const { return shapeOf(webs, divergence, webs.program.code[i].dst); }
  std::vector<WideLoad> wideLoads() const { return findWideLoads(webs, divergence, Bounds(webs)); }
  /// Those of four words that are joined as well.
  std::vector<WideLoad> widest() const {
    return findWideLoads(webs, divergence, Bounds(webs), [](uint32_t) { return true; });
  }
};

std::vector<uint32_t> vectorOf(const Shape& s) { return {s.apart.begin(), s.apart.end()}; }

TEST(Divergence, BitsThatLanesDoNotShareAreTheSameInAll) {
  const Analyzed a(
      "sys r0.x, #0x27\n"  // LocalIndex: a multiple of 8, and the lane
      "and.i32 r0.y, r0.x, c1.x\n"
      "shr.i32 r0.z, r0.x, c0.z\n"
      "shr.i32 r0.w, r0.x, c0.y\n"
      "umod.i32 r1.x, r0.x, c0.w\n"
      "udiv.i32 r1.y, r0.x, c0.w\n"
      "and.i32 r1.z, r0.x, c1.y\n");
  EXPECT_EQ(a.shape(0).stride(), 1u);
  EXPECT_FALSE(a.shape(1).varying());
  EXPECT_EQ(a.shape(1).stride(), 1u);
  EXPECT_TRUE(a.shape(2).uniform());
  EXPECT_EQ(a.shape(3).stride(), std::nullopt);
  EXPECT_EQ(a.shape(4).stride(), 1u);
  EXPECT_TRUE(a.shape(5).uniform());
  EXPECT_FALSE(a.shape(6).uniform());
}

TEST(Divergence, LanesInBlocksAreApartByWhatTheProgramSays) {
  const Analyzed a(
      "sys r0.x, #0x27\n"
      "shr.i32 r0.y, r0.x, c1.z\n"
      "and.i32 r0.z, r0.x, c1.y\n"
      "imul.i32 r0.w, r0.y, c1.x\n"
      "iadd.i32 r1.x, r0.w, r0.z\n"
      "or.i32 r1.y, r0.x, c0.y\n"
      "umod.i32 r1.z, r0.x, c1.y\n"
      "imul.i32 r1.w, r0.x, r0.y\n"
      "shr.i32 r2.x, r1.x, c0.y\n");
  const auto apart = [&](uint32_t i) { return a.shape(i).varying() ? std::vector<uint32_t>{} : vectorOf(a.shape(i)); };
  EXPECT_EQ(apart(1), (std::vector<uint32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(apart(2), (std::vector<uint32_t>{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(a.shape(2).zeros, 32u);
  EXPECT_EQ(apart(4), (std::vector<uint32_t>{0, 1, 2, 3, 15, 16, 17, 18}));
  EXPECT_EQ(a.shape(4).stride(), std::nullopt);
  EXPECT_EQ(apart(5), (std::vector<uint32_t>{0, 0, 2, 2, 4, 4, 6, 6})) << "a bit that all have then";
  EXPECT_TRUE(a.shape(6).varying()) << "three is no power of two";
  EXPECT_TRUE(a.shape(7).varying()) << "a product of two";
  EXPECT_TRUE(a.shape(8).varying()) << "sums carry into other bits";
}

TEST(Divergence, WorkgroupsAbreastAgreeInAllButX) {
  using abi::SysValue;
  abi::ProgramInfo info;
  info.localSize[1] = 64;
  EXPECT_TRUE(shapeOf(info, SysValue::WorkgroupIdX).uniform());
  EXPECT_EQ(shapeOf(info, SysValue::LocalIndex).stride(), 1u);
  info.subgroupSize = abi::kSubgroupAbreast;
  for (SysValue v : {SysValue::WorkgroupIdX, SysValue::GlobalIdX}) {
    EXPECT_EQ(shapeOf(info, v).stride(), 1u);
    EXPECT_EQ(shapeOf(info, v).zeros, 0u);  // dispatches begin anywhere
  }
  for (SysValue v : {SysValue::LocalIdX, SysValue::LocalIdY, SysValue::LocalIndex, SysValue::GlobalIdY,
                     SysValue::WorkgroupIdZ, SysValue::NumWorkgroupsX})
    EXPECT_TRUE(shapeOf(info, v).uniform());
}

TEST(Divergence, LanesAreOnOneSideOfALimitThatHasNoneOfTheirBits) {
  const Analyzed a(
      "sys r0.x, #0x27\n"
      "icmp.uge.i32 r0.y, r0.x, c1.w\n"
      "icmp.uge.i32 r0.z, r0.x, c2.x\n"
      "icmp.ugt.i32 r0.w, c1.w, r0.x\n"
      "icmp.ugt.i32 r1.x, r0.x, c1.w\n"
      "icmp.eq.i32 r1.y, r0.x, c1.w\n");
  EXPECT_TRUE(a.shape(1).uniform());
  EXPECT_FALSE(a.shape(2).uniform());
  EXPECT_TRUE(a.shape(3).uniform());
  EXPECT_FALSE(a.shape(4).uniform());
  EXPECT_FALSE(a.shape(5).uniform());
}

const char kLoop[] =
    "xmov.m r0.x, c0.x\n"
    "block\n"
    "loop\n"
    "icmp.%s.i32 r0.y, r0.x, c0.w\n"
    "brc r0.y, #0\n"
    "shl.i32 r0.z, r0.x, c1.z\n"  // 5
    "iadd.i32 r0.w, r0.x, c0.y\n"
    "xmov.m r0.x, r0.w\n"
    "shl.i32 r1.x, r0.x, c1.z\n"  // 8
    "endloop\n"
    "endblock\n"
    "shl.i32 r1.y, r0.x, c1.z\n";

std::string loop(const std::string& compare) {
  std::string text = kLoop;
  return text.replace(text.find("%s"), 2, compare);
}

TEST(BoundsOfValues, CountersStayBelowTheLimitOfTheirLoop) {
  for (const char* compare : {"uge", "sge"}) {
    const Analyzed a(loop(compare));
    const Bounds bounds(a.webs);
    const auto most = [&](uint32_t i) { return bounds.most(a.webs.program.code[i].src[0], i); };
    EXPECT_EQ(most(5), 15u);
    EXPECT_EQ(most(8), Bounds::kNone) << "after the step";
    EXPECT_EQ(most(11), Bounds::kNone) << "after the loop";
    EXPECT_EQ(bounds.mostOf(a.webs.webOf(a.webs.program.code[5].dst), 6), 60u);
  }
  const Analyzed greater(loop("ugt")), equal(loop("eq"));
  EXPECT_EQ(Bounds(greater.webs).most(greater.webs.program.code[5].src[0], 5), 16u);
  EXPECT_EQ(Bounds(equal.webs).most(equal.webs.program.code[5].src[0], 5), Bounds::kNone);
}

TEST(BoundsOfValues, SignedLimitsSayNothingOfNegativeNumbers) {
  std::string text = loop("sge");
  text.replace(0, text.find('\n'), "ld.push.i32 r0.x, -, -, #0");
  const Analyzed a(text);
  EXPECT_EQ(Bounds(a.webs).most(a.webs.program.code[5].src[0], 5), Bounds::kNone);
}

TEST(BoundsOfValues, SumsThatMayWrapAreNotKnown) {
  const Analyzed a(
      "sys r0.x, #0x24\n"
      "imul.i32 r0.y, r0.x, c1.w\n"
      "iadd.i32 r0.z, r0.y, c1.x\n"
      "isub.i32 r0.w, r0.x, c0.y\n"
      "iadd.i32 r1.x, r0.w, c0.y\n"
      "xmov r1.y, r1.x\n");
  const Bounds bounds(a.webs);
  EXPECT_EQ(bounds.most(a.webs.program.code[1].src[0], 1), 15u);
  EXPECT_EQ(bounds.most(a.webs.program.code[2].src[0], 2), 15u * 1024);
  EXPECT_EQ(bounds.most(a.webs.program.code[4].src[0], 4), Bounds::kNone);
  EXPECT_EQ(bounds.most(a.webs.program.code[5].src[0], 5), Bounds::kNone);
}

TEST(BoundsOfValues, LanesThatComeBackHaveNotSeenWhatOthersWrote) {
  const Analyzed a(
      "ld.push.i32 r0.x, -, -, #0\n"
      "block\n"
      "brc r0.x, #0\n"
      "and.i32 r0.y, r0.x, c1.x\n"
      "xmov r0.z, r0.y\n"
      "endblock\n"
      "xmov r0.w, r0.y\n");
  const Bounds bounds(a.webs);
  EXPECT_EQ(bounds.most(a.webs.program.code[4].src[0], 4), 15u);
  EXPECT_EQ(bounds.most(a.webs.program.code[6].src[0], 6), Bounds::kNone);
}

/// Four words of a lane, 16 bytes from lane to lane, and what stands between the loads.
std::string fourLoads(const std::string& between, const std::string& index = "sys r0.x, #0x24\n") {
  return index +
         "shl.i32 r0.y, r0.x, c0.z\n"
         "ld.shared.i32 r1.x, -, r0.y, #0\n"
         "iadd.i32 r0.z, r0.y, c0.z\n"
         "ld.shared.i32 r1.y, -, r0.z, #0\n" +
         between +
         "ld.shared.i32 r1.w, -, r0.y, #12\n"
         "ld.shared.i32 r1.z, -, r0.y, #8\n"
         "st.shared.i32 -, r0.y, r1.w, #0\n";
}

TEST(WideLoads, WordsSideBySideAreLoadedTogether) {
  const auto loads = Analyzed(fourLoads("")).wideLoads();
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(loads[0].loads, (std::vector<uint32_t>{2, 4, 6, 5}));
}

TEST(WideLoads, StoresAndBranchesStandBetween) {
  for (const char* between : {"st.shared.i32 -, r0.x, r0.x, #0\n", "block\nbrc r0.x, #0\nendblock\n"}) {
    const auto loads = Analyzed(fourLoads(between)).wideLoads();
    ASSERT_EQ(loads.size(), 1u) << between;
    EXPECT_EQ(loads[0].loads.size(), 2u);
  }
}

TEST(WideLoads, PlacesThatMayWrapInBetweenAreTold) {
  const auto turns = [](const std::string& offset) {
    const auto found = Analyzed("ld.push.i32 r2.x, -, -, #0\n" + offset +
                                "sys r0.x, #0x24\n"
                                "shl.i32 r0.y, r0.x, c1.y\n"
                                "iadd.i32 r0.z, r0.y, r2.x\n"
                                "ld.shared.i32 r1.x, -, r0.z, #0\n"
                                "iadd.i32 r0.w, r0.z, c0.z\n"
                                "ld.shared.i32 r1.y, -, r0.w, #0\n")
                           .wideLoads();
    EXPECT_EQ(found.size(), 1u);
    return !found.empty() && found[0].turns;
  };
  EXPECT_TRUE(turns(""));  // 2^32 - 4, say
  EXPECT_FALSE(turns("shl.i32 r2.x, r2.x, c0.z\n")) << "the sum of multiples of 8 and 4 does not wrap";
}

TEST(WideLoads, WhatLiesAnywhereMayWrapInBetween) {
  const auto loads = [](const std::string& second) {
    return Analyzed(
               "sys r0.x, #0x24\nand.i32 r0.y, r0.x, c1.y\nimul.i32 r0.z, r0.y, c2.x\n"
               "ld.shared.i16 r1.x, -, r0.z, #0\niadd.i32 r0.w, r0.z, c1.z\n" +
               second)
        .wideLoads();
  };
  const auto alike = loads("ld.shared.i16 r1.y, -, r0.w, #0\n");
  ASSERT_EQ(alike.size(), 1u);
  EXPECT_FALSE(alike[0].turns) << "the product is below 2^16";
  const auto unknown = Analyzed(
                           "ld.push.i32 r2.x, -, -, #0\nsys r0.x, #0x24\nimul.i32 r0.y, r0.x, r0.x\n"
                           "iadd.i32 r0.z, r0.y, r2.x\n"
                           "ld.shared.i8 r1.x, -, r0.z, #0\niadd.i32 r0.w, r0.z, c0.y\n"
                           "ld.shared.i8 r1.y, -, r0.w, #0\n")
                           .wideLoads();
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_TRUE(unknown[0].turns);
  EXPECT_TRUE(loads("ld.shared.i32 r1.y, -, r0.w, #0\n").empty()) << "of another size";
  EXPECT_TRUE(loads("ld.shared.i16 r1.y, -, r0.w, #2\n").empty()) << "not next to it";
}

TEST(WideLoads, FourWordsAndTheNextFourAreLoadedTogetherWhereNothingLiesBetweenLanes) {
  const auto loads = [](const std::string& before, const char* each, const char* next) {
    return Analyzed("sys r0.x, #0x24\n" + before + "shr.i32 r0.y, r0.x, c1.z\nshl.i32 r0.y, r0.y, " + each +
                    "\nld.buffer.i32.x4 r1.x, c0.x, r0.y, #0\n" +
                    "shr.i32 r0.z, r0.x, c1.z\niadd.i32 r0.z, r0.z, c0.y\nshl.i32 r0.z, r0.z, " + each +
                    "\nld.buffer.i32.x4 r2.x, c0.x, r0.z, " + next + "\n");
  };
  const std::string eight = "shl.i32 r0.x, r0.x, c1.y\n";  // 8 words a lane, found by a quarter of their number
  const auto found = loads(eight, "c0.z", "#0").widest();
  ASSERT_EQ(found.size(), 1u) << "a quarter is the same wherever it is computed";
  EXPECT_EQ(found[0].loads, (std::vector<uint32_t>{4, 8}));
  EXPECT_FALSE(found[0].turns);
  EXPECT_TRUE(loads(eight, "c0.z", "#0").wideLoads().empty()) << "nobody asked";
  EXPECT_TRUE(loads(eight, "c0.z", "#16").widest().empty()) << "not the next ones";
  EXPECT_TRUE(loads("shl.i32 r0.x, r0.x, c0.z\n", "c0.z", "#0").widest().empty()) << "other lanes have the next four";
  EXPECT_TRUE(loads(eight + "ld.push.i32 r2.x, -, -, #0\niadd.i32 r0.x, r0.x, r2.x\n", "c0.z", "#0").widest().empty())
      << "whose places may turn over 2^32 in between";
}

TEST(WideLoads, LanesInARowNeedNoShuffling) {
  EXPECT_TRUE(Analyzed("sys r0.x, #0x24\nshl.i32 r0.y, r0.x, c1.z\nld.shared.i32 r1.x, -, r0.y, #0\n"
                       "ld.shared.i32 r1.y, -, r0.y, #4\n")
                  .wideLoads()
                  .empty());
}

/// A loop of each invocation from its own number on, up to what `limit` makes of push constants in r0.y.
Multiples multiplesOf(const std::string& limit) {
  const Analyzed a("sys r0.x, #0x24\n" + limit +
                   "shl.i32 r0.z, r0.x, c1.z\n"
                   "block\nloop\n"
                   "icmp.uge.i32 r0.w, r0.z, r0.y\nbrc r0.w, #0\n"
                   "iadd.i32 r1.x, r0.z, c1.w\nxmov.m r0.z, r1.x\n"
                   "endloop\nendblock\n");
  return findMultiples(a.webs, a.divergence, Bounds(a.webs), findConstants(a.webs));
}

TEST(MultiplesOfWarps, MakeLanesLeaveLoopsTogether) {
  EXPECT_EQ(multiplesOf("ld.push.i32 r0.y, -, -, #8\n"), (Multiples{{8, 5}})) << "lanes are four apart";
  EXPECT_EQ(multiplesOf("ld.push.i32 r1.y, -, -, #8\nudiv.i32 r0.y, r1.y, c0.w\n"), (Multiples{{8, 9}}));
  EXPECT_EQ(multiplesOf("ld.push.i32 r1.y, -, -, #8\nimul.i32 r0.y, r1.y, c0.z\n"), (Multiples{{8, 3}}));
  EXPECT_EQ(multiplesOf("ld.push.i32.x2 r1.y, -, -, #8\niadd.i32 r0.y, r1.y, r1.z\n"), (Multiples{{8, 5}, {12, 5}}));
  EXPECT_EQ(multiplesOf("ld.push.i32 r1.y, -, -, #8\nimul.i32 r2.x, r1.y, c1.w\niadd.i32 r0.y, r2.x, c0.w\n"),
            Multiples{})
      << "16 more than a multiple of 32";
  EXPECT_EQ(multiplesOf("ld.push.i32 r1.y, -, -, #8\nudiv.i32 r0.y, r1.y, c1.y\n"), Multiples{}) << "a third";
  EXPECT_EQ(multiplesOf("xmov r0.y, c1.w\n"), Multiples{}) << "they do already";
}

/// A loop that loads from where `place` says, in r2.x, of the workgroup's number r0.x, the lane's r0.y, and the counter
/// r0.z, which has 16 more in each round.
size_t streamsOf(const std::string& place) {
  const Analyzed a(
      ".resource 0 0 0 32 1\n"
      "sys r0.x, #0x28\nsys r0.y, #0x24\nxmov.m r0.z, c0.x\n"
      "block\nloop\n"
      "icmp.uge.i32 r0.w, r0.z, c2.x\nbrc r0.w, #0\n" +
      place +
      "ld.buffer.i32 r2.y, c0.x, r2.x, #0\n"
      "iadd.i32 r1.x, r0.z, c0.w\nxmov.m r0.z, r1.x\n"
      "endloop\nendblock\n");
  return findStreams(a.webs, a.divergence, Bounds(a.webs), findConstants(a.webs)).size();
}

TEST(Streams, GoOnALittleInEachRoundWhereOtherWorkgroupsDoNotRead) {
  const std::string own = "imul.i32 r1.y, r0.x, c1.w\niadd.i32 r1.z, r1.y, r0.y\n";
  EXPECT_EQ(streamsOf(own + "iadd.i32 r1.w, r1.z, r0.z\nshl.i32 r2.x, r1.w, c1.z\n"), 1u);
  EXPECT_EQ(streamsOf("iadd.i32 r1.w, r0.y, r0.z\nshl.i32 r2.x, r1.w, c1.z\n"), 0u) << "all workgroups read the same";
  EXPECT_EQ(streamsOf(own + "shl.i32 r2.x, r1.z, c1.z\n"), 0u) << "all rounds read the same";
  EXPECT_EQ(streamsOf(own + "imul.i32 r1.w, r0.z, c1.w\niadd.i32 r2.x, r1.w, r1.z\n"), 0u) << "16 KB in each round";
  EXPECT_EQ(streamsOf(own + "imul.i32 r1.w, r1.z, r0.y\niadd.i32 r2.x, r1.w, r0.z\n"), 0u) << "lanes lie anywhere";
}

}  // namespace
}  // namespace etzel::native
