// Which stores become one.
#include "compiler/exec/native/analysis/wide_stores.h"

#include <gtest/gtest.h>

#include "compiler/isa/assemble.h"

namespace etzel::native {
namespace {

using Stores = std::vector<std::vector<uint32_t>>;

/// What is found in a compute program of workgroups of 16 x 16 with c0 (0, 1, 4, 16) and c1 (8, 3, 2, 32).
std::vector<WideStore> found(const std::string& text) {
  auto made = isa::assemble(".stage compute\n.local 16 16 1\n.shared 8192\n.const 0 1 4 16\n.const 8 3 2 32\n" + text);
  EXPECT_TRUE(made.ok()) << made.error().message;
  if (!made.ok()) return {};
  const Webs webs = findWebs(*made);
  return findWideStores(webs, analyzeDivergence(webs), Bounds(webs));
}

Stores storesOf(const std::string& text) {
  Stores all;
  for (const WideStore& wide : found(text)) all.push_back(wide.stores);
  return all;
}

/// The number in a row is r0.x, its place `bytes` times that, in r0.y: instructions 0 and 1.
std::string place(const char* bytes) { return std::string("sys r0.x, #0x24\nimul.i32 r0.y, r0.x, ") + bytes + "\n"; }
std::string store(const char* what, uint32_t imm) {
  return std::string("st.buffer.i32 c0.x, r0.y, ") + what + ", #" + std::to_string(imm) + "\n";
}
std::string stores(uint32_t count) {
  std::string text;
  for (uint32_t w = 0; w < count; ++w) text += store("r0.x", 4 * w);
  return text;
}

TEST(WideStores, WordsSideBySideAreStoredTogetherWhereLanesAreFurtherApart) {
  EXPECT_EQ(storesOf(place("c1.w") + stores(8)), (Stores{{2, 3, 4, 5, 6, 7, 8, 9}}));
  EXPECT_EQ(storesOf(place("c1.w") + stores(7)), (Stores{{2, 3, 4, 5}, {6, 7}}));
  EXPECT_EQ(storesOf(place("c0.w") + stores(8)), (Stores{{2, 3, 4, 5}, {6, 7, 8, 9}})) << "lanes have room for four";
  EXPECT_EQ(storesOf(place("c1.x") + stores(3)), (Stores{{2, 3}}));
  EXPECT_EQ(storesOf(place("c0.z") + stores(4)), Stores()) << "lanes lie in a row";
}

TEST(WideStores, PlacesAreNextToEachOtherInTheOrderOfStores) {
  EXPECT_EQ(storesOf(place("c0.w") + store("r0.x", 4) + store("r0.x", 0)), Stores());
  EXPECT_EQ(storesOf(place("c0.w") + store("r0.x", 0) + store("r0.x", 8)), Stores());
  const std::string other = "st.buffer.i32 c1.z, r0.y, r0.x, #4\n";
  EXPECT_EQ(storesOf(place("c0.w") + store("r0.x", 0) + other), Stores()) << "of another buffer";
  EXPECT_EQ(storesOf(place("c0.w") + store("r0.x", 0) + other + store("r0.x", 4)), Stores());
}

TEST(WideStores, NothingThatLooksAtMemoryStandsBetween) {
  for (const char* between : {"ld.buffer.i32 r1.x, c1.z, r0.y, #0\n", "block\nbrc r0.x, #0\nendblock\n", "barrier\n",
                              "st.buffer.i32.x2 c1.z, r0.y, r0.x, #0\n"})
    EXPECT_EQ(storesOf(place("c0.w") + store("r0.x", 0) + between + store("r0.x", 4)), Stores()) << between;
  EXPECT_EQ(storesOf(place("c0.w") + store("r0.x", 0) + "ld.push.i32 r1.x, -, -, #0\n" + store("r1.x", 4)),
            (Stores{{2, 4}}))
      << "nobody writes there";
}

TEST(WideStores, WhatTheFirstOnesStoreIsStillThere) {
  const std::string next = "iadd.i32 r1.y, r1.x, c0.y\nxmov.m r1.x, r1.y\n", end = "endloop\nendblock\n";
  const std::string loop =
      place("c0.w") + "xmov.m r1.x, c0.x\nblock\nloop\nicmp.uge.i32 r1.z, r1.x, c0.w\nbrc r1.z, #0\n";
  EXPECT_EQ(storesOf(loop + store("r1.x", 0) + next + store("r1.x", 4) + end), Stores());
  EXPECT_EQ(storesOf(loop + store("r1.x", 0) + store("r1.x", 4) + next + end), (Stores{{7, 8}}));
}

TEST(WideStores, PlacesThatMayWrapInBetweenAreTold) {
  const auto turns = [](const std::string& offset) {
    const auto all = found("ld.push.i32 r2.x, -, -, #0\n" + offset + place("c1.w") +
                           "iadd.i32 r0.z, r0.y, r2.x\nst.buffer.i32 c0.x, r0.z, r0.x, #0\n"
                           "iadd.i32 r0.w, r0.z, c0.z\nst.buffer.i32 c0.x, r0.w, r0.x, #0\n");
    EXPECT_EQ(all.size(), 1u);
    return !all.empty() && all[0].turns;
  };
  EXPECT_TRUE(turns(""));  // 2^32 - 4, say
  EXPECT_FALSE(turns("shl.i32 r2.x, r2.x, c1.y\n")) << "the sum of multiples of 8 and 4 does not wrap";
}

}  // namespace
}  // namespace etzel::native
