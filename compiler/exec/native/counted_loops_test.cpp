// Loops whose loads are looked at once: which ones, and that nothing else comes of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/exec/native/analysis/counted_loops.h"
#include "compiler/exec/native/analysis/multiples.h"
#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kWords;

/// Sums words of A and B over k, from the first push constant's count on: A[k * push 1 + row], B[k * push 2 * push 3 +
/// own].
const char kSums[] =
    "ld.push.i32 r1.z, -, -, #4\n"
    "xmov.m r1.x, c0.x\nxmov.m r1.y, c0.x\n"
    "block\nloop\n"
    "icmp.uge.i32 r1.w, r1.x, r0.z\nbrc r1.w, #0\n"
    "imul.i32 r2.x, r1.x, r1.z\niadd.i32 r2.y, r2.x, r0.y\nshl.i32 r2.z, r2.y, c0.z\n"
    "ld.buffer.i32 r2.w, c1.x, r2.z, #0\n"
    "ld.push.i32.x2 r3.x, -, -, #8\nimul.i32 r5.z, r1.x, r3.x\nimul.i32 r5.w, r5.z, r3.y\nshl.i32 r3.z, r5.w, "
    "c0.z\niadd.i32 r3.w, r3.z, r0.x\n"
    "ld.buffer.i32 r4.x, c1.y, r3.w, #4\n"
    "imul.i32 r4.y, r2.w, c2.x\niadd.i32 r4.z, r4.y, r4.x\niadd.i32 r4.w, r1.y, r4.z\nxmov.m r1.y, r4.w\n"
    "iadd.i32 r5.x, r1.x, c0.y\nxmov.m r1.x, r5.x\n"
    "endloop\nendblock\n"
    "st.buffer.i32 c1.z, r0.x, r1.y, #0\n";

/// Lanes that read from D, own place, whether to load. Of every other warp none does.
const char kSome[] =
    "ld.buffer.i32 r6.x, c1.w, r0.x, #0\nxmov.m r1.x, c0.x\nxmov.m r1.y, c0.x\n"
    "block\nloop\n"
    "icmp.uge.i32 r1.w, r1.x, r0.z\nbrc r1.w, #0\n"
    "ld.push.i32 r3.x, -, -, #8\nimul.i32 r3.y, r1.x, r3.x\nshl.i32 r3.z, r3.y, c0.z\niadd.i32 r3.w, r3.z, r0.x\n"
    "if r6.x\n"
    "ld.buffer.i32 r4.x, c1.y, r3.w, #4\niadd.i32 r4.w, r1.y, r4.x\nxmov.m r1.y, r4.w\n"
    "endif\n"
    "iadd.i32 r5.x, r1.x, c0.y\nxmov.m r1.x, r5.x\n"
    "endloop\nendblock\n"
    "st.buffer.i32 c1.z, r0.x, r1.y, #0\n";

/// Sums what each lane finds in blocks of 18 bytes, from its own number on up to the first push constant: of row y's
/// blocks, push 1 many, block i / 4 has two numbers of 16 bits behind the first two bytes for each i % 4.
const char kBlocks[] =
    "ld.push.i32 r1.z, -, -, #4\nimul.i32 r6.w, r0.y, r1.z\n"
    "xmov.m r1.x, r7.x\nxmov.m r1.y, c0.x\n"
    "block\nloop\n"
    "shl.i32 r4.y, r0.z, c0.z\nshr.i32 r4.z, r4.y, c0.z\n"
    "icmp.uge.i32 r1.w, r1.x, r4.z\nbrc r1.w, #0\n"
    "udiv.i32 r2.x, r1.x, c0.w\niadd.i32 r2.y, r6.w, r2.x\nimul.i32 r2.z, r2.y, c3.y\n"
    "umod.i32 r2.w, r1.x, c0.w\nshl.i32 r3.x, r2.w, c0.z\niadd.i32 r3.y, r2.z, r3.x\n"
    "ld.buffer.i16 r3.z, c1.x, r3.y, #2\n"
    "and.i32 r3.w, r1.x, c2.x\nshl.i32 r4.x, r3.w, c0.y\niadd.i32 r6.x, r4.x, c0.y\nshl.i32 r6.y, r6.x, c0.y\n"
    "iadd.i32 r6.z, r2.z, r6.y\nld.buffer.i16 r4.w, c1.x, r6.z, #2\n"
    "imul.i32 r5.x, r4.w, c2.z\niadd.i32 r5.y, r3.z, r5.x\niadd.i32 r5.z, r1.y, r5.y\nxmov.m r1.y, r5.z\n"
    "iadd.i32 r5.w, r1.x, c2.y\nxmov.m r1.x, r5.w\n"
    "endloop\nendblock\n"
    "st.buffer.i32 c1.z, r0.x, r1.y, #0\n";

/// Sums words of A over rounds of four, each of which goes on a row of push 1 words behind the one before: as many as
/// the first push constant has room for. All invocations of a row y begin at its word.
const char kFours[] =
    "ld.push.i32.x2 r1.z, -, -, #4\n"
    "xmov.m r1.x, c0.x\nxmov.m r1.y, c0.x\nxmov.m r2.x, r0.y\n"
    "block\nloop\n"
    "icmp.uge.i32 r2.w, r1.x, r0.z\nbrc r2.w, #0\n"
    "xmov.m r2.y, c0.x\n"
    "block\nloop\n"
    "icmp.uge.i32 r2.w, r2.y, c0.w\nbrc r2.w, #0\n"
    "shl.i32 r3.x, r2.x, c0.z\niadd.i32 r3.y, r3.x, r0.x\nld.buffer.i32 r3.z, c1.x, r3.y, #0\n"
    "iadd.i32 r3.w, r1.y, r3.z\nxmov.m r1.y, r3.w\n"
    "iadd.i32 r4.x, r2.x, r1.z\nxmov.m r2.x, r4.x\n"
    "iadd.i32 r4.y, r1.x, c0.y\nxmov.m r1.x, r4.y\n"
    "iadd.i32 r4.z, r2.y, c0.y\nxmov.m r2.y, r4.z\n"
    "endloop\nendblock\n"
    "endloop\nendblock\n"
    "st.buffer.i32 c1.z, r0.x, r1.y, #0\n";

/// The same in one loop, whose counter steps by 256 from push 3 on and may never get to a limit near 2^32.
const char kSteps[] =
    "ld.push.i32.x2 r1.z, -, -, #4\n"
    "ld.push.i32 r5.z, -, -, #12\nxmov.m r1.x, r5.z\nxmov.m r1.y, c0.x\nxmov.m r2.x, r0.y\n"
    "block\nloop\n"
    "icmp.uge.i32 r2.w, r1.x, r0.z\nbrc r2.w, #0\n"
    "icmp.uge.i32 r2.z, r2.x, c2.z\nbrc r2.z, #0\n"
    "shl.i32 r3.x, r2.x, c0.z\niadd.i32 r3.y, r3.x, r0.x\nld.buffer.i32 r3.z, c1.x, r3.y, #0\n"
    "iadd.i32 r3.w, r1.y, r3.z\nxmov.m r1.y, r3.w\n"
    "iadd.i32 r4.x, r2.x, r1.z\nxmov.m r2.x, r4.x\n"
    "iadd.i32 r4.y, r1.x, c3.w\nxmov.m r1.x, r4.y\n"
    "endloop\nendblock\n"
    "st.buffer.i32 c1.z, r0.x, r1.y, #0\n";

/// Sums what each lane finds at four places side by side, from push 1 on, in rounds push 2 apart.
const char kSideBySide[] =
    "ld.push.i32.x2 r6.x, -, -, #4\nxmov.m r1.x, c0.x\nxmov.m r1.y, c0.x\n"
    "block\nloop\n"
    "icmp.uge.i32 r1.w, r1.x, r0.z\nbrc r1.w, #0\n"
    "imul.i32 r2.x, r1.x, r6.y\niadd.i32 r2.y, r2.x, r6.x\nshl.i32 r2.z, r7.x, c2.x\niadd.i32 r2.w, r2.y, r2.z\n"
    "ld.buffer.i16 r3.x, c1.x, r2.w, #0\niadd.i32 r4.y, r2.w, c0.z\nld.buffer.i16 r3.y, c1.x, r4.y, #0\n"
    "iadd.i32 r4.z, r2.w, c0.w\nld.buffer.i16 r3.z, c1.x, r4.z, #0\n"
    "iadd.i32 r4.w, r4.z, c0.z\nld.buffer.i16 r3.w, c1.x, r4.w, #0\n"
    "iadd.i32 r5.x, r3.x, r3.y\niadd.i32 r5.y, r3.z, r3.w\nimul.i32 r5.z, r5.y, c2.z\niadd.i32 r5.w, r5.x, r5.z\n"
    "iadd.i32 r7.z, r1.y, r5.w\nxmov.m r1.y, r7.z\niadd.i32 r7.y, r1.x, c0.y\nxmov.m r1.x, r7.y\n"
    "endloop\nendblock\n"
    "st.buffer.i32 c1.z, r0.x, r1.y, #0\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}
const std::string kSigned = with(kSums, "uge", "sge");

size_t loadsOf(const std::string& body, const Multiples& taken = {}) {
  const auto kernel = exec::test::assembled(body, Shape::Rows);
  if (!kernel) return ~size_t{0};
  const Webs webs = findWebs(compiler::programOf(*kernel));
  const std::vector<Constant> constants = findConstants(webs);
  const Divergence divergence = analyzeDivergence(webs, zerosOf(webs, constants, taken));
  size_t loads = 0;
  for (const auto& [at, loop] : findCountedLoops(webs, divergence, Bounds(webs), constants)) loads += loop.loads.size();
  return loads;
}

TEST(CountedLoops, LoadsThatFollowTheCounterAreFound) {
  EXPECT_EQ(loadsOf(kSums), 2u);
  EXPECT_EQ(loadsOf(kSigned), 2u);
  EXPECT_EQ(loadsOf(kSome), 1u);
  const auto change = [](const std::string& from, const std::string& to) { return loadsOf(with(kSums, from, to)); };
  EXPECT_EQ(change("r1.x, r0.z\nbrc", "r0.z, r1.x\nbrc"), 0u) << "leaves while it is below";
  EXPECT_EQ(change("uge", "eq"), 0u) << "may pass the limit";
  EXPECT_EQ(change("r2.x, r1.x, r1.z", "r2.x, r1.y, r1.z"), 1u) << "by a sum of what was read";
  EXPECT_EQ(change("iadd.i32 r2.y, r2.x, r0.y", "isub.i32 r2.y, r2.x, r0.y"), 1u) << "may be below zero";
  EXPECT_EQ(change("brc r1.w, #0\n", "iadd.i32 r5.y, r1.x, c0.y\nxmov.m r1.x, r5.y\nbrc r1.w, #0\n"), 0u)
      << "changes before it is used";
  EXPECT_EQ(change("icmp.uge.i32 r1.w, r1.x, r0.z", "iadd.i32 r6.x, r1.x, c0.y\nicmp.uge.i32 r1.w, r1.x, r6.x"), 0u)
      << "a limit that changes";
  EXPECT_EQ(loadsOf(with(kSigned, "iadd.i32 r5.x, r1.x, c0.y", "isub.i32 r5.x, r1.x, c0.y")), 0u) << "counts down";
}

TEST(CountedLoops, LanesMayCountApartWhileTheyLeaveTogether) {
  EXPECT_EQ(loadsOf(kBlocks), 0u);
  EXPECT_EQ(loadsOf(kBlocks, {{0, 3}}), 2u);
  const auto change = [](const std::string& from, const std::string& to) {
    return loadsOf(with(kBlocks, from, to), {{0, 3}});
  };
  EXPECT_EQ(change("udiv.i32 r2.x, r1.x, c0.w", "udiv.i32 r2.x, r1.x, c0.x"), 0u) << "by zero";
  EXPECT_EQ(change("shl.i32 r4.y, r0.z, c0.z", "imul.i32 r4.y, r0.z, c2.y\nisub.i32 r4.y, r4.y, c2.y"), 0u)
      << "a limit that is made of a difference";
}

struct Case {
  uint32_t count, strideOfA, strideOfB;
  uint64_t bytesOfA, bytesOfB;
  uint32_t factorOfB = 1;
};

// What lies behind the end of a buffer is not zero, as a read from there would be.
TEST(CountedLoops, ReadsBehindTheEndGiveZeros) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  constexpr uint64_t kBytes = kWords * 4;
  // The last places that are read: A[9 * 5 + 3], B[1 + 9 * 20 + 63].
  constexpr uint64_t kA = 49 * 4, kB = 245 * 4;
  const Case cases[] = {
      {10, 5, 20, kA, kB},
      {10, 5, 20, kA - 1, kB},
      {10, 5, 20, kA, kB - 1},
      {10, 5, 20, 0, kB},
      {10, 5, 20, kA, 3},
      {0, 5, 20, kBytes, kBytes},
      {1, 0, 0, 16, 65 * 4},
      {10, 0x20000000, 20, kBytes, kBytes},          // places begin anew at 0
      {10, 5, 0x10000001, kBytes, kBytes},           // shifts lose bits
      {10, 0xFFFFFFFF, 0xFFFFFFFF, kBytes, kBytes},  // steps back
      {0x80000000, 5, 20, kA, kB},
      // Nine times the product, four bytes each, is 35 * 2^64 + 16: the last round's place looks harmless.
      {10, 5, 0xFD557702, kBytes, kBytes, 0xFB821D72}};
  for (const std::string& body : {std::string(kSums), kSigned, std::string(kSome)})
    for (const Shape shape : {Shape::Rows, Shape::Line}) {
      const auto kernel = exec::test::assembled(body, shape);
      ASSERT_TRUE(kernel);
      auto native = jit->compile(compiler::programOf(*kernel));
      ASSERT_TRUE(native.ok()) << native.error().message;
      for (const Case& c : cases) {
        if (c.count >> 31 && body != kSigned) continue;  // takes forever
        Group expected(*kernel, shape), actual(*kernel, shape);
        for (Group* g : {&expected, &actual}) {
          g->push(0, c.count), g->push(1, c.strideOfA), g->push(2, c.strideOfB), g->push(3, c.factorOfB);
          for (uint32_t i = 0; i < kWords; ++i) g->memory[3][i] = i / kWarpLanes % 2 ? i % 3 : 0;
          g->bind(0, g->memory[0], c.bytesOfA), g->bind(1, g->memory[1], c.bytesOfB);
        }
        ASSERT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
        ASSERT_EQ(actual.run(*(*native)->executable()), abi::WarpStatus::Done);
        for (uint32_t i = 0; i < kWords; ++i)
          ASSERT_EQ(actual.memory[2][i], expected.memory[2][i]) << &c - cases << ", word " << i;
      }
    }
}

TEST(CountedLoops, WhatGrowsWithTheCounterIsFollowedUntilItGrows) {
  EXPECT_EQ(loadsOf(kFours), 1u);
  EXPECT_EQ(loadsOf(kSteps), 1u);
  EXPECT_EQ(loadsOf(with(kFours, "iadd.i32 r4.x, r2.x, r1.z", "isub.i32 r4.x, r2.x, r1.z")), 0u) << "shrinks";
  EXPECT_EQ(loadsOf(with(kFours, "iadd.i32 r4.x, r2.x, r1.z", "iadd.i32 r4.x, r2.x, r2.y")), 0u) << "by more each time";
  EXPECT_EQ(loadsOf(with(kSteps, "shl.i32 r3.x", "iadd.i32 r5.x, r2.x, r1.z\nxmov.m r2.x, r5.x\nshl.i32 r3.x")), 0u)
      << "twice, and before it is read";
  EXPECT_EQ(loadsOf(with(kSteps, "iadd.i32 r4.y, r1.x, c3.w", "iadd.i32 r4.y, r1.x, r1.w")), 0u)
      << "a counter that may stand still";
}

TEST(CountedLoops, WhatGrowsBehindTheEndReadsZeros) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  for (const char* body : {kFours, kSteps}) {
    const auto kernel = exec::test::assembled(body, Shape::Rows);
    ASSERT_TRUE(kernel);
    auto native = jit->compile(compiler::programOf(*kernel));
    ASSERT_TRUE(native.ok()) << native.error().message;
    // From the last of the starts a counter goes over 2^32 before it gets to the last of the limits.
    for (const uint32_t start : {0u, 0xFFFFFF80u})
      for (const uint32_t limit : {0u, 1u, 4u, 5u, 1024u, 1025u, 0xFFFFFFFFu})
        for (const uint32_t step : {0u, 1u, 20u, 0x40000000u, 0xFFFFFFFFu})
          for (const uint64_t bytes : {1024u, 340u, 336u, 335u, 0u}) {
            if (limit > 1025 && (body == kFours || step == 0 || step >> 30)) continue;  // takes forever
            Group expected(*kernel), actual(*kernel);
            for (Group* g : {&expected, &actual}) {
              g->push(0, limit), g->push(1, step), g->push(3, start);
              g->bind(0, g->memory[0], bytes);
            }
            ASSERT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
            ASSERT_EQ(actual.run(*(*native)->executable()), abi::WarpStatus::Done);
            for (uint32_t i = 0; i < kWords; ++i)
              ASSERT_EQ(actual.memory[2][i], expected.memory[2][i])
                  << body << start << " to " << limit << " by " << step << ", " << bytes << " bytes, word " << i;
          }
  }
}

// Rows of four by the program: the last block that row y reads of is the one before (y + 1) * stride.
TEST(CountedLoops, BlocksBehindTheEndGiveZerosForAllCounts) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  // Both numbers of a block are one load where they are found in the same way.
  const std::string together = with(kBlocks, "and.i32 r3.w, r1.x, c2.x", "umod.i32 r3.w, r1.x, c0.w");
  for (const auto& [body, shape] : {std::pair(std::string(kBlocks), Shape::Rows),
                                    {kBlocks, Shape::Line},
                                    {together, Shape::Rows},
                                    {together, Shape::Line}}) {
    const auto kernel = exec::test::assembled(body, shape);
    ASSERT_TRUE(kernel);
    auto native = jit->compile(compiler::programOf(*kernel));
    ASSERT_TRUE(native.ok()) << native.error().message;
    // Counts that are multiples of what a warp takes, and others; up to 2^30, of which two bits are lost.
    for (const uint32_t count : {0u, 8u, 64u, 72u, 128u, 3u, 61u, 127u, 0x40000040u, 0xC0000008u})
      for (const uint32_t stride : {0u, 4u, 16u, 32u, 0x0E38E38Eu, 0x80000000u})
        for (const uint64_t missing : {0u, 1u, 2u, 3u, 20u, 600u}) {
          Group expected(*kernel, shape), actual(*kernel, shape);
          const uint64_t blocks = stride > 32 ? 60 : exec::test::heightOf(shape) * stride;
          for (Group* g : {&expected, &actual}) {
            g->push(0, count), g->push(1, stride);
            g->bind(0, g->memory[0], std::max<uint64_t>(blocks * 18, missing) - missing);
          }
          ASSERT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
          ASSERT_EQ(actual.run(*(*native)->executable()), abi::WarpStatus::Done);
          for (uint32_t i = 0; i < kWords; ++i)
            ASSERT_EQ(actual.memory[2][i], expected.memory[2][i])
                << count << " of " << stride << ", " << missing << " bytes missing, word " << i;
        }
  }
}

TEST(CountedLoops, ReadsSideBySideBehindTheEndGiveZeros) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  const auto kernel = exec::test::assembled(kSideBySide, Shape::Rows);
  ASSERT_TRUE(kernel);
  auto native = jit->compile(compiler::programOf(*kernel));
  ASSERT_TRUE(native.ok()) << native.error().message;
  struct Places {
    uint32_t first, step;
    uint64_t bytes;
  };
  std::vector<Places> all;
  // Of 64 lanes the last one reads bytes 504 to 511, and 24 further in the fourth round.
  for (uint64_t bytes = 526; bytes <= 538; ++bytes) all.push_back({0, 8, bytes}), all.push_back({2, 8, bytes});
  // Places that begin anew at 0, between rounds and between neighbours.
  for (uint32_t back = 1; back <= 12; ++back) all.push_back({0u - back, 8, 1024}), all.push_back({0u - back, 2, 1024});
  for (const Places& p : all) {
    Group expected(*kernel), actual(*kernel);
    for (Group* g : {&expected, &actual}) {
      g->push(0, 4), g->push(1, p.first), g->push(2, p.step);
      g->bind(0, g->memory[0], p.bytes);
    }
    ASSERT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
    ASSERT_EQ(actual.run(*(*native)->executable()), abi::WarpStatus::Done);
    for (uint32_t i = 0; i < kWords; ++i)
      ASSERT_EQ(actual.memory[2][i], expected.memory[2][i]) << p.first << ", " << p.bytes << ", word " << i;
  }
}

}  // namespace
}  // namespace etzel::native
