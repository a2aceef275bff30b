// Loops with more sums than registers: a few at a time give what all together give, each in its own order.
#include <gtest/gtest.h>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"
#include "runtime/simd/cpu.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kBuffers, exec::test::kWords;

/// Whether a register has all lanes of a warp.
bool hostHasRoom() { return simd::cpu().avx2; }

std::string sum(uint32_t s) { return "r" + std::to_string(8 + s / 4) + "." + "xyzw"[s % 4]; }

/// Sums that begin with different numbers.
std::string begin(uint32_t sums) {
  std::string text = "ld.buffer.i32 r1.x, c1.y, r0.x, #0\nxmov.m " + sum(0) + ", r1.x\n";
  for (uint32_t s = 1; s < sums; ++s) text += "iadd.i32 r1.x, r1.x, c2.w\nxmov.m " + sum(s) + ", r1.x\n";
  return text;
}

/// Four rounds; what each does with the sums depends on their order. `load` gives r4.x, the same in all lanes, of r3.z,
/// and r4.y.
std::string rounds(uint32_t sums, const std::string& load, const std::string& more = "") {
  const char* const steps[] = {"imul.i32 r5.x, S, r4.z\n", "iadd.i32 r5.x, S, r4.x\n", "xor.i32 r5.x, r4.z, S\n",
                               "isub.i32 r5.x, r4.y, S\n", "imul.i32 r5.x, S, S\n"};
  std::string text = "xmov.m r3.x, c0.x\nblock\nloop\nicmp.uge.i32 r3.y, r3.x, c0.w\nbrc r3.y, #0\n";
  text += "shl.i32 r3.z, r3.x, c0.z\n" + load + "imul.i32 r4.z, r4.y, r4.x\niadd.i32 r4.z, r4.z, r3.x\n";
  for (uint32_t s = 0; s < sums; ++s) {
    std::string step = steps[s % std::size(steps)];
    for (size_t at; (at = step.find('S')) != std::string::npos;) step.replace(at, 1, sum(s));
    text += step + "xmov.m " + sum(s) + ", r5.x\n";
  }
  return text + more + "iadd.i32 r3.w, r3.x, c0.y\nxmov.m r3.x, r3.w\nendloop\nendblock\n";
}

/// One number of all sums.
std::string give(uint32_t sums) {
  std::string text = "xmov.m r5.y, c0.x\n";
  for (uint32_t s = 0; s < sums; ++s)
    text += "imul.i32 r5.z, r5.y, c2.z\niadd.i32 r5.w, r5.z, " + sum(s) + "\nxmov.m r5.y, r5.w\n";
  return text + "st.buffer.i32 c1.z, r0.x, r5.y, #0\n";
}

const std::string kFromBuffer = "ld.buffer.i32 r4.x, c1.x, r3.z, #0\nld.buffer.i32 r4.y, c1.x, r0.x, #0\n";
const std::string kFromTile = "ld.shared.i32 r4.x, -, r3.z, #0\nld.shared.i32 r4.y, -, r0.x, #0\n";

class SumsInGroups : public testing::Test {
 protected:
  void SetUp() override {
    if (!jit_) GTEST_SKIP() << "no native executor on this host";
  }
  /// Whether sums are taken through the loop a few at a time.
  bool expectSame(const std::string& body, Shape shape) {
    std::string text = exec::test::around(body, shape);
    text.replace(text.find(".temps 8"), 8, ".temps 32");
    auto program = isa::assemble(text);
    EXPECT_TRUE(program.ok()) << program.error().message;
    if (!program.ok()) return false;
    const auto kernel = compiler::makeKernel(std::move(*program));
    EXPECT_TRUE(kernel.ok()) << kernel.error().message;
    if (!kernel.ok()) return false;
    const auto code = jit_->compile(compiler::programOf(**kernel));
    const auto listing = jit_->listing(compiler::programOf(**kernel));
    EXPECT_TRUE(code.ok() && listing.ok());
    if (!code.ok() || !listing.ok()) return false;
    Group expected(**kernel, shape), actual(**kernel, shape);
    EXPECT_EQ(expected.run(*(*kernel)->executable.load()), abi::WarpStatus::Done);
    EXPECT_EQ(actual.run(*(*code)->executable()), abi::WarpStatus::Done);
    for (uint32_t b = 0; b < kBuffers; ++b)
      for (uint32_t i = 0; i < kWords; ++i)
        EXPECT_EQ(actual.memory[b][i], expected.memory[b][i]) << body << "buffer " << b << " word " << i;
    return listing->find("factors") != std::string::npos;
  }

  std::unique_ptr<Compiler> jit_ = Compiler::create();
};

TEST_F(SumsInGroups, GiveAFewAtATimeWhatAllTogetherGive) {
  EXPECT_EQ(expectSame(begin(67) + rounds(67, kFromBuffer) + give(67), Shape::Rows), hostHasRoom());
  EXPECT_EQ(expectSame(begin(67) + rounds(67, kFromBuffer) + give(67), Shape::Line), hostHasRoom());
  EXPECT_FALSE(expectSame(begin(6) + rounds(6, kFromBuffer) + give(6), Shape::Rows)) << "registers have room for all";
}

TEST_F(SumsInGroups, StayInMemoryWhileTilesAreFilled) {
  const std::string fill =
      "ld.buffer.i32 r1.x, c1.x, r0.x, #0\niadd.i32 r1.x, r1.x, r2.x\nst.shared.i32 -, r0.x, r1.x, #0\n";
  const std::string next = "iadd.i32 r2.y, r2.x, c0.y\nxmov.m r2.x, r2.y\nendloop\nendblock\n";
  for (const uint32_t sums : {3u, 67u}) {
    const std::string body = begin(sums) +
                             "xmov.m r2.x, c0.x\nblock\nloop\nicmp.uge.i32 r2.z, r2.x, c2.x\nbrc r2.z, #0\n" + fill +
                             "barrier\n" + rounds(sums, kFromTile) + "barrier\n" + next + give(sums);
    EXPECT_EQ(expectSame(body, Shape::Rows), sums > 32 && hostHasRoom());
    EXPECT_EQ(expectSame(body, Shape::Line), sums > 32 && hostHasRoom());
  }
}

TEST_F(SumsInGroups, ThatSomebodyLooksAtGoOnTogether) {
  const std::string looks = "iadd.i32 r6.x, " + sum(9) + ", c0.y\nxmov.m " + sum(68) + ", r6.x\n";
  EXPECT_EQ(expectSame(begin(69) + rounds(67, kFromBuffer, looks) + give(69), Shape::Rows), hostHasRoom())
      << "but for one";
  EXPECT_FALSE(
      expectSame(begin(67) + rounds(67, kFromBuffer + "st.buffer.i32 c1.w, r0.x, r4.y, #0\n") + give(67), Shape::Rows))
      << "stores";
}

}  // namespace
}  // namespace etzel::native
