// Loops whose loads are looked at once: which ones, and that nothing else comes of it.
#include <gtest/gtest.h>

#include "compiler/exec/native/analysis/counted_loops.h"
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

std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}
const std::string kSigned = with(kSums, "uge", "sge");

size_t loadsOf(const std::string& body) {
  const auto kernel = exec::test::assembled(body, Shape::Rows);
  if (!kernel) return ~size_t{0};
  const Webs webs = findWebs(compiler::programOf(*kernel));
  size_t loads = 0;
  for (const auto& [at, loop] : findCountedLoops(webs, analyzeDivergence(webs), Bounds(webs), findConstants(webs)))
    loads += loop.loads.size();
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

}  // namespace
}  // namespace etzel::native
