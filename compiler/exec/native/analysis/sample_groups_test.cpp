// Which fetches are of the same pixels.
#include "compiler/exec/native/analysis/sample_groups.h"

#include <gtest/gtest.h>

#include "compiler/isa/assemble.h"

namespace etzel::native {
namespace {

const std::string kPlace = "sys r0.x, #0xf\nsys r0.y, #0x10\n";  // FragCoord
/// A fetch into r2 of what r1 names, from an image and a sample in c0.
std::string fetch(const std::string& image, const std::string& sample) {
  return "xmov r1.z, c0." + sample + "\ntexture r2.x, c0." + image + ", r1.x, -, #0x911\n";
}
/// At r0, as integers.
const std::string kHere = "cvtfs.f32.i32 r1.x, r0.x\ncvtfs.f32.i32 r1.y, r0.y\n";
const std::string kSum = "fadd.f32 r3.x, r3.x, r2.x\n";

struct Found {
  isa::Program program;
  std::map<uint32_t, SampleGroup> groups;

  explicit Found(const std::string& text) {
    auto made = isa::assemble(
        ".stage fragment\n.temps 24\n.resource 0 0 0x00000000 32 1\n.resource 0 1 0x00000002 32 1\n.const 0 1 2 3\n" +
        text + "ret\n");
    EXPECT_TRUE(made.ok()) << made.error().message;
    if (!made.ok()) return;
    program = std::move(*made);
    const Webs webs = findWebs(program);
    groups = findSampleGroups(webs, analyzeDivergence(webs), findConstants(webs));
  }
};

TEST(SampleGroups, PlacesThatAreComputedAgainAreTheSame) {
  const Found f(kPlace + kHere + fetch("x", "x") + kSum + kHere + fetch("x", "z") + kSum + kHere + fetch("x", "w") +
                kSum + "fmul.f32 r3.x, r3.x, c0.y\nxmov o1.x, r3.x\n");
  ASSERT_EQ(f.groups.size(), 1u);
  const auto& [begin, group] = *f.groups.begin();
  EXPECT_EQ(begin, 5u);
  ASSERT_EQ(group.fetches.size(), 3u);
  EXPECT_EQ(group.fetches[0].at, 5u);
  EXPECT_EQ(group.fetches[1].sample, 2u);
  EXPECT_EQ(group.images, std::vector<uint32_t>{5});
  EXPECT_EQ(group.samplesOf(0), 0b1101u);
  // With what is made of the last one.
  EXPECT_GT(group.end, group.fetches[2].at + 1);
}

TEST(SampleGroups, OtherPlacesAndUnknownSamplesAreNotOfTheGroup) {
  const Found f(kPlace + kHere + fetch("x", "x") + kSum + "iadd.i32 r1.x, r1.x, c0.y\n" + fetch("x", "y") + kSum +
                kHere + "xmov r1.z, r1.x\ntexture r2.x, c0.x, r1.x, -, #0x911\n" + kSum + kHere + fetch("x", "z"));
  ASSERT_EQ(f.groups.size(), 1u);
  const SampleGroup& group = f.groups.begin()->second;
  ASSERT_EQ(group.fetches.size(), 2u);
  EXPECT_EQ(group.fetches[1].sample, 2u);
}

TEST(SampleGroups, ImagesGoTogetherIfOneHasSeveralSamples) {
  const std::string both = kPlace + kHere + fetch("x", "y") + kHere + fetch("z", "y");
  EXPECT_TRUE(Found(both).groups.empty());
  const Found f(both + kHere + fetch("z", "w"));
  ASSERT_EQ(f.groups.size(), 1u);
  const SampleGroup& group = f.groups.begin()->second;
  EXPECT_EQ(group.images.size(), 2u);
  EXPECT_EQ(group.samplesOf(0), 0b10u);
  EXPECT_EQ(group.samplesOf(1), 0b1010u);
}

TEST(SampleGroups, BranchesEndThem) {
  EXPECT_TRUE(
      Found(kPlace + kHere + fetch("x", "x") + "if r0.x\n" + kHere + fetch("x", "y") + "endif\n").groups.empty());
}

// What a register holds may change between two fetches although each is written but once: by a loop's next round.
TEST(SampleGroups, WhatLoopsCarryIsNotTheSame) {
  const Found f(kPlace + "xmov.m r4.x, r0.x\nblock\nloop\nxmov r1.x, r4.x\nxmov r1.y, r0.y\n" + fetch("x", "x") + kSum +
                "iadd.i32 r4.x, r4.x, c0.y\nxmov r1.x, r4.x\nxmov r1.y, r0.y\n" + fetch("x", "y") + kSum +
                "icmp.sge.i32 r5.x, r4.x, c0.w\nbrc r5.x, #0\nendloop\nendblock\n");
  EXPECT_TRUE(f.groups.empty());
}

}  // namespace
}  // namespace etzel::native
