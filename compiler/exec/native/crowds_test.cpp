// Crowds, eight warps that fill tiles and multiply side by side, give what one warp after the other gives.
#include <gtest/gtest.h>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"
#include "runtime/simd/cpu.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kBuffers, exec::test::kWords;

/// Whether a register has all lanes of a warp.
bool hostHasCrowds() { return simd::cpu().avx2; }
/// Whether sixteen sums are more than it has registers: they go through their loop a few at a time without crowds, too.
bool hostHasFewRegisters() { return hostHasCrowds() && !(simd::cpu().avx512vl && simd::cpu().avx512dq); }

/// c4 is (8, 15, 16, 6), c5 (63, 256, 1024, 12), c6 (0x1000, 32, 20, 255). r0.y, the row, is taken times 16.
const char kConstants[] = ".const 8 15 16 6\n.const 63 256 1024 12\n.const 4096 32 20 255\n";

std::string sum(uint32_t s) { return "r" + std::to_string(8 + s / 4) + "." + "xyzw"[s % 4]; }

/// Sums that begin with different numbers, and the place of the invocation's columns.
std::string begin(uint32_t sums) {
  std::string text = "imul.i32 r1.x, r7.x, c2.z\nxmov.m " + sum(0) + ", r1.x\n";
  for (uint32_t s = 1; s < sums; ++s) text += "iadd.i32 r1.x, r1.x, c2.w\nxmov.m " + sum(s) + ", r1.x\n";
  return text + "sys r4.w, #36\nshl.i32 r6.x, r4.w, c0.w\nshl.i32 r6.y, r0.y, c0.w\n";
}

/// As many rounds of `body` as the first push constant, over 2^4, says; r2.x counts.
std::string rounds(const std::string& body) {
  return "ld.push.i32 r2.w, -, -, #0\nshr.i32 r2.w, r2.w, c0.w\n"
         "xmov.m r2.x, c0.x\nblock\nloop\nicmp.uge.i32 r2.z, r2.x, r2.w\nbrc r2.z, #0\n" +
         body + "iadd.i32 r2.y, r2.x, c0.y\nxmov.m r2.x, r2.y\nendloop\nendblock\n";
}

/// Tiles of 16 times 64 words; the first one is turned. Some of what they are filled with lies outside of its buffer.
/// `across`: of how many words a tile's row is filled from a buffer's.
std::string fill(const std::string& across = "c4.z", const std::string& most = "c5.z") {
  return "sys r3.x, #39\nblock\nloop\nicmp.uge.i32 r3.y, r3.x, " + most +
         "\nbrc r3.y, #0\n"
         "umod.i32 r3.z, r3.x, c4.z\nudiv.i32 r3.w, r3.x, " +
         across +
         "\nshl.i32 r4.x, r3.w, c0.w\niadd.i32 r4.x, r4.x, r2.x\niadd.i32 r4.x, r4.x, r3.z\nshl.i32 r4.x, r4.x, c0.z\n"
         "ld.buffer.i32 r4.y, c1.x, r4.x, #0\n"
         "shl.i32 r4.z, r3.z, c4.x\nshl.i32 r5.x, r3.w, c0.z\niadd.i32 r4.z, r4.z, r5.x\n"
         "st.shared.i32 -, r4.z, r4.y, #0\n"
         "umod.i32 r4.x, r3.x, c6.w\niadd.i32 r4.x, r4.x, r2.x\nshl.i32 r4.x, r4.x, c0.z\n"
         "ld.buffer.i32 r4.y, c1.y, r4.x, #0\nshl.i32 r4.z, r3.x, c0.z\nst.shared.i32 -, r4.z, r4.y, #4096\n"
         "iadd.i32 r5.y, r3.x, c5.y\nxmov.m r3.x, r5.y\nendloop\nendblock\nbarrier\n";
}

/// Sixteen rounds with four numbers of the row and four of the columns; what each does with the sums depends on their
/// order. r7.y is one of the columns' numbers, in all lanes.
std::string multiply(uint32_t sums, const std::string& more = "") {
  const char* const steps[] = {"imul.i32 r5.x, S, L\n", "iadd.i32 r5.x, S, R\n", "xor.i32 r5.x, R, S\n",
                               "isub.i32 r5.x, L, S\n", "imul.i32 r5.x, R, S\n"};
  const std::string left[] = {"r16.x", "r16.y", "r16.z", "r16.w"}, right[] = {"r17.x", "r17.y", "r17.z", "r17.w"};
  std::string text = "xmov.m r3.x, c0.x\nblock\nloop\nicmp.uge.i32 r3.y, r3.x, c4.z\nbrc r3.y, #0\n";
  text += "shl.i32 r3.z, r3.x, c4.x\niadd.i32 r4.x, r3.z, r6.y\niadd.i32 r4.y, r3.z, r6.x\n";
  for (uint32_t k = 0; k < 4; ++k) {
    const std::string imm = std::to_string(4 * k);
    text += "ld.shared.i32 " + left[k] + ", -, r4.x, #" + imm + "\n";
    text += "ld.shared.i32 " + right[k] + ", -, r4.y, #" + std::to_string(4096 + 4 * k) + "\n";
  }
  for (uint32_t s = 0; s < sums; ++s) {
    std::string step = steps[s % std::size(steps)];
    const auto put = [&](char what, const std::string& name) {
      for (size_t at; (at = step.find(what)) != std::string::npos;) step.replace(at, 1, name);
    };
    put('S', sum(s)), put('L', left[s / 4 % 4]), put('R', right[s % 4]);
    text += step + "xmov.m " + sum(s) + ", r5.x\n";
  }
  return text + more + "iadd.i32 r3.w, r3.x, c0.y\nxmov.m r3.x, r3.w\nendloop\nendblock\nbarrier\n";
}

/// One number of all sums.
std::string give(uint32_t sums) {
  std::string text = "xmov.m r5.y, c0.x\n";
  for (uint32_t s = 0; s < sums; ++s)
    text += "imul.i32 r5.z, r5.y, c2.z\niadd.i32 r5.w, r5.z, " + sum(s) + "\nxmov.m r5.y, r5.w\n";
  return text + "st.buffer.i32 c1.z, r0.x, r5.y, #0\n";
}

class Crowds : public testing::Test {
 protected:
  void SetUp() override {
    if (!jit_) GTEST_SKIP() << "no native executor on this host";
  }
  /// The code, which gives what the interpreter gives.
  std::string expectSame(const std::string& body, Shape shape = Shape::Square) {
    std::string text = exec::test::around(body, shape);
    text.replace(text.find(".temps 8"), 8, ".temps 40");
    text.insert(text.find("sys r7.x"), kConstants);
    auto program = isa::assemble(text);
    EXPECT_TRUE(program.ok()) << program.error().message;
    if (!program.ok()) return "";
    const auto kernel = compiler::makeKernel(std::move(*program));
    EXPECT_TRUE(kernel.ok()) << kernel.error().message;
    if (!kernel.ok()) return "";
    const auto code = jit_->compile(compiler::programOf(**kernel));
    const auto listing = jit_->listing(compiler::programOf(**kernel));
    EXPECT_TRUE(code.ok() && listing.ok());
    if (!code.ok() || !listing.ok()) return "";
    for (const uint32_t pushed : {0u, 16u, 37u}) {
      Group expected(**kernel, shape), actual(**kernel, shape), oneByOne(**kernel, shape);
      expected.push(0, pushed), actual.push(0, pushed), oneByOne.push(0, pushed);
      EXPECT_EQ(expected.run(*(*kernel)->executable.load()), abi::WarpStatus::Done);
      EXPECT_EQ(actual.run(*(*code)->executable()), abi::WarpStatus::Done);
      abi::Executable alone = *(*code)->executable();
      alone.workgroup = nullptr;
      EXPECT_EQ(oneByOne.run(alone), abi::WarpStatus::Done);
      for (uint32_t b = 0; b < kBuffers; ++b)
        for (uint32_t i = 0; i < kWords; ++i) {
          EXPECT_EQ(actual.memory[b][i], expected.memory[b][i]) << body << "buffer " << b << " word " << i;
          EXPECT_EQ(oneByOne.memory[b][i], expected.memory[b][i]) << body << "buffer " << b << " word " << i;
        }
    }
    return *listing;
  }
  static bool has(const std::string& listing, const char* what) { return listing.find(what) != std::string::npos; }

  std::unique_ptr<Compiler> jit_ = Compiler::create();
};

/// What there is in the code: factors that pairs share, a way for crowds that find them made, and rows of four words
/// that several warps store as one.
constexpr const char *kFactors = "factors", *kTaken = "take", *kTurned = "store <4 x i32>";

TEST_F(Crowds, FillTilesAndMultiplyAsWarpsOneByOneDo) {
  for (const uint32_t sums : {16u, 35u}) {
    const std::string code = expectSame(begin(sums) + rounds(fill() + multiply(sums)) + give(sums));
    EXPECT_EQ(has(code, kFactors), hostHasCrowds() || sums > 32) << sums;
    EXPECT_EQ(has(code, kTaken), hostHasCrowds());
    EXPECT_EQ(has(code, kTurned), hostHasCrowds());
  }
  EXPECT_FALSE(has(expectSame(begin(3) + rounds(fill() + multiply(3)) + give(3)), kFactors)) << "few sums";
}

// Sums that begin with constants, which warps keep in their memory while they fill the tiles.
TEST_F(Crowds, PutConstantsIntoTheMemoryOfAllWarpsInALoop) {
  const auto beginning = [](uint32_t sums, const std::string& between) {
    std::string text = begin(1);
    for (uint32_t s = 0; s < sums; ++s)
      text += "xmov.m " + sum(s) + (s % 3 ? ", c5." : ", c4.") + "xyzw"[s % 4] + "\n" + (s % 2 ? between : "");
    return text;
  };
  constexpr const char* kLoop = "constants:";
  const std::string rest = rounds(fill() + multiply(35)) + give(35);
  EXPECT_EQ(has(expectSame(beginning(35, "") + rest), kLoop), hostHasCrowds());
  EXPECT_FALSE(has(expectSame(beginning(35, "imul.i32 r1.x, r7.x, c2.z\n") + rest), kLoop)) << "two at a time";
}

TEST_F(Crowds, StoreOneByOneWhatMayGoToOnePlaceTwice) {
  EXPECT_FALSE(has(expectSame(begin(3) + rounds(fill("c6.y") + multiply(3)) + give(3)), kTurned)) << "half of the rows";
  EXPECT_FALSE(has(expectSame(begin(3) + rounds(fill("c4.z", "c2.z") + multiply(3)) + give(3)), kTurned))
      << "warps leave the loop one by one";
}

TEST_F(Crowds, MakeForThemselvesWhatDependsOnTheirRow) {
  const std::string own = begin(16) + "iadd.i32 r6.x, r6.x, r6.y\nand.i32 r6.x, r6.x, c6.w\n";
  EXPECT_EQ(has(expectSame(own + rounds(fill() + multiply(16)) + give(16)), kFactors), hostHasFewRegisters());
}

// The columns' place goes on from round to round, by what all rows of a crowd have in common.
TEST_F(Crowds, TakeWhatIsCarriedFromRoundToRoundFromItsBeginning) {
  const std::string more = "iadd.i32 r4.z, r6.z, c0.z\nxmov.m r6.z, r4.z\n";
  std::string loop = multiply(16, more);
  loop.replace(loop.find("iadd.i32 r4.x, r3.z, r6.y"), 25, "iadd.i32 r4.x, r6.z, r6.y");
  const std::string code =
      expectSame(begin(16) + "xmov.m r6.z, c0.x\n" + rounds(fill() + "xmov.m r6.z, c0.z\n" + loop) + give(16));
  EXPECT_EQ(has(code, kFactors), hostHasCrowds());
}

// A second round between the same barriers has other factors, and they may be looked at behind the loop.
TEST_F(Crowds, MakeWhatTheyMultiplyWithAnewWhereOthersDoNotLeaveIt) {
  std::string loop = multiply(16);
  loop.replace(loop.find("barrier\n"), 8, "");
  loop.replace(loop.find("iadd.i32 r4.y, r3.z, r6.x"), 25, "iadd.i32 r4.y, r3.z, r6.x\niadd.i32 r4.y, r4.y, r6.z");
  const std::string twice = "xmov.m r6.z, c0.x\nblock\nloop\nicmp.uge.i32 r6.w, r6.z, c4.x\nbrc r6.w, #0\n" + loop +
                            "iadd.i32 r7.y, r6.z, c0.w\nxmov.m r6.z, r7.y\nendloop\nendblock\nbarrier\n";
  const std::string code = expectSame(begin(16) + rounds(fill() + twice) + give(16));
  EXPECT_EQ(has(code, kFactors), hostHasCrowds());
  EXPECT_FALSE(has(code, kTaken));
  std::string looks = multiply(16);
  looks.insert(looks.find("ld.shared"), "xmov.m r18.x, r17.w\n");
  looks += "iadd.i32 r18.y, " + sum(0) + ", r18.x\nxmov.m " + sum(0) + ", r18.y\n";
  EXPECT_FALSE(has(
      expectSame(begin(16) + "xmov.m r18.x, c0.x\nxmov.m r17.w, c0.x\n" + rounds(fill() + looks) + give(16)), kTaken));
}

TEST_F(Crowds, PartWhereBranchesDo) {
  const std::string some = "icmp.ult.i32 r5.y, r0.w, c0.z\nif r5.y\niadd.i32 r6.w, r6.w, c0.y\nendif\n";
  const std::string body = begin(16) + "xmov.m r6.w, c0.x\n" + rounds(fill() + some + multiply(16)) + give(16);
  EXPECT_EQ(has(expectSame(body), kFactors), hostHasFewRegisters());
}

TEST_F(Crowds, AreAsManyAsWholeOnesFillTheWorkgroup) {
  const std::string body = begin(16) + rounds("barrier\n" + multiply(16)) + give(16);
  EXPECT_EQ(has(expectSame(body, Shape::Rows), kFactors), hostHasCrowds()) << "one";
  EXPECT_EQ(has(expectSame(body, Shape::Line), kFactors), hostHasFewRegisters()) << "lanes are missing";
}

}  // namespace
}  // namespace etzel::native
