// Numbers of a few bits that are unpacked and multiplied: they become floats where they lie, and what is alike is done
// for two of them in one register.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <sstream>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"
#include "runtime/simd/cpu.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kWords;

bool hostHasMasks() { return simd::cpu().avx512vl && simd::cpu().avx512dq; }
bool hostHasPairs() { return hostHasMasks() && simd::cpu().avx512bw; }

class Unpacking : public testing::Test {
 protected:
  void SetUp() override {
    if (!jit_) GTEST_SKIP() << "no native executor on this host";
  }
  /// The code of a program whose lanes store r4.x, which gives what the interpreter gives. A is anything, B are floats.
  std::string codeOf(const std::string& body) {
    const auto kernel = exec::test::assembled(body + "st.buffer.i32 c1.z, r0.x, r4.x, #0\n", Shape::Line);
    if (!kernel) return {};
    const auto code = jit_->compile(compiler::programOf(*kernel));
    const auto text = jit_->listing(compiler::programOf(*kernel));
    EXPECT_TRUE(code.ok() && text.ok());
    if (!code.ok() || !text.ok()) return {};
    for (const uint32_t seed : {1u, 2u, 3u, 4u}) {
      Group expected(*kernel, Shape::Line), actual(*kernel, Shape::Line);
      for (Group* g : {&expected, &actual}) {
        for (const uint32_t buffer : {0u, 1u}) g->bind(buffer, g->memory[buffer], sizeof g->memory[buffer]);
        std::minstd_rand random(seed);
        for (uint32_t i = 0; i < kWords; ++i) {
          g->memory[0][i] = uint32_t(random()) << 16 ^ uint32_t(random());
          g->memory[1][i] = std::bit_cast<uint32_t>((float(random() % 4096) - 2048) / 512);
        }
        if (seed == 4) std::fill_n(g->memory[0], kWords, 0x80808080u);
      }
      EXPECT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
      EXPECT_EQ(actual.run(*(*code)->executable()), abi::WarpStatus::Done);
      for (uint32_t i = 0; i < kWords; ++i) EXPECT_EQ(actual.memory[2][i], expected.memory[2][i]) << body << i;
    }
    return *text;
  }
  static bool has(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

  std::unique_ptr<Compiler> jit_ = Compiler::create();
};

const char kWord[] = "ld.buffer.i32 r1.x, c1.x, r0.x, #0\n";

/// A float of bits of r1.x.
std::string field(bool isSigned, uint32_t at, uint32_t bits) {
  const auto number = [](const char* to, uint32_t v) {
    return std::string("ldimm ") + to + ", #" + std::to_string(v) + "\n";
  };
  return number("r2.x", at) + number("r2.y", bits) + (isSigned ? "sbfe" : "ubfe") + ".i32 r2.z, r1.x, r2.x, r2.y\n" +
         (isSigned ? "cvtsf" : "cvtuf") + ".i32.f32 r2.w, r2.z\n";
}

TEST_F(Unpacking, EveryFieldIsTheFloatThatItsNumberIs) {
  for (const bool isSigned : {false, true})
    for (const uint32_t bits : {1u, 2u, 4u, 8u, 11u, 16u, 17u, 24u})
      for (uint32_t at = 0; at + bits <= 32; at += bits > 8 ? 3 : 4) {
        const std::string text = codeOf(kWord + field(isSigned, at, bits) + "xmov r4.x, r2.w\n");
        if (bits == 1 || bits > 16 || at + bits == 32) continue;  // a bit is a condition
        const bool isConverted = has(text, "uitofp <8") || has(text, "uitofp nneg <8") || has(text, "sitofp <8");
        EXPECT_EQ(isConverted, !hostHasMasks()) << at << ' ' << bits;
      }
}

TEST_F(Unpacking, WhatIsAddedNextIsAddedExactly) {
  for (const char* added : {"0xC1000000", "0x41000000", "0x3F000000", "0x7F800000", "0x00000001", "0x4B800000"})
    for (const char* op : {"fadd.f32 r4.x, r2.w, r3.x\n", "fsub.f32 r4.x, r2.w, r3.x\n", "fsub.f32 r4.x, r3.x, r2.w\n"})
      for (const bool isSigned : {false, true})
        codeOf(kWord + field(isSigned, 8, 4) + "ldimm r3.x, #" + added + "\n" + op);
  for (const char* added : {"#8", "#0xFFFFFFF8", "#0x7FFFFFFF", "#0x80000000"})
    codeOf(kWord + std::string("ldimm r2.x, #4\nldimm r2.y, #4\nubfe.i32 r2.z, r1.x, r2.x, r2.y\nldimm r3.x, ") +
           added + "\niadd.i32 r3.y, r2.z, r3.x\ncvtsf.i32.f32 r4.x, r3.y\n");
}

TEST_F(Unpacking, NumbersThatAreReadOtherwiseStay) {
  codeOf(kWord + field(true, 8, 8) + "fadd.f32 r3.x, r2.w, r2.w\niadd.i32 r4.x, r3.x, r2.z\n");
}

/// The sum in `to` of the products of the four signed bytes of `word` with the words of `floats`.
std::string products(const char* word, const char* floats, const char* to) {
  std::string text;
  for (uint32_t k = 0; k < 4; ++k) {
    text += "ldimm r7.y, #" + std::to_string(8 * k) + "\nldimm r7.z, #8\nsbfe.i32 r7.w, " + word +
            ", r7.y, r7.z\ncvtsf.i32.f32 r7.w, r7.w\n";
    const std::string factor = std::string(floats) + "." + "xyzw"[k];
    text += k ? std::string("ffma.f32 ") + to + ", r7.w, " + factor + ", " + to + "\n"
              : std::string("fmul.f32 ") + to + ", r7.w, " + factor + "\n";
  }
  return text;
}

const std::string kTwoWords =
    "shl.i32 r2.x, r7.x, c2.x\nld.buffer.i32.x2 r1.x, c1.x, r2.x, #0\nshl.i32 r2.x, r7.x, c0.w\n"
    "ld.buffer.i32.x4 r5.x, c1.y, r2.x, #0\nld.buffer.i32.x4 r6.x, c1.y, r2.x, #16\n";

TEST_F(Unpacking, SumsThatMeetAreMadeInOneRegister) {
  const std::string both = kTwoWords + products("r1.x", "r5", "r3.x") + products("r1.y", "r6", "r3.y");
  EXPECT_EQ(has(codeOf(both + "fadd.f32 r4.x, r3.x, r3.y\n"), "fma.v16f32"), hostHasPairs());
  EXPECT_EQ(has(codeOf(both + "fsub.f32 r4.x, r3.y, r3.x\n"), "fma.v16f32"), hostHasPairs()) << "each its own half";
}

TEST_F(Unpacking, SumsOfWhichOneWaitsForTheOtherAreMadeInTurn) {
  const std::string chain = kTwoWords + products("r1.x", "r5", "r3.x") + products("r1.y", "r6", "r3.y") +
                            "fmul.f32 r3.z, r3.x, r3.y\nffma.f32 r4.x, r3.z, r3.x, r3.y\n";
  EXPECT_FALSE(has(codeOf(chain), "fma.v16f32")) << "others read them, too";
  std::string inTurn = kTwoWords + products("r1.x", "r5", "r3.x");
  for (uint32_t k = 0; k < 4; ++k) inTurn += "ffma.f32 r3.x, r3.x, r5.x, r3.x\n";
  EXPECT_FALSE(has(codeOf(inTurn + "xmov r4.x, r3.x\n"), "fma.v16f32"));
}

TEST_F(Unpacking, WhatIsNotAlikeIsNotJoined) {
  const std::string other = "fmul.f32 r3.y, r6.x, r6.y\nfadd.f32 r3.y, r3.y, r6.z\nfadd.f32 r3.y, r3.y, r6.w\n";
  EXPECT_FALSE(
      has(codeOf(kTwoWords + products("r1.x", "r5", "r3.x") + other + "fadd.f32 r4.x, r3.x, r3.y\n"), "fma.v16f32"));
}

TEST_F(Unpacking, WordsOfTwoLoadsArePutTogetherBeforeTheyArePermuted) {
  std::istringstream text(codeOf(kTwoWords + products("r1.x", "r5", "r3.x") + products("r1.y", "r6", "r3.y") +
                                 "fadd.f32 r4.x, r3.x, r3.y\n"));
  size_t permuted = 0;
  for (std::string line; std::getline(text, line);) {
    permuted += has(line, "shufflevector <16 x i32>") && has(line, "poison, <16 x i32> <i32 0, i32 2, i32 4,");
    EXPECT_FALSE(has(line, "shufflevector <8 x i32>") && has(line, "<16 x i32> <i32 0, i32 2, i32 4,")) << line;
  }
  EXPECT_EQ(permuted > 0, hostHasPairs());
}

/// A round of a loop has two sums of this kind, of which none waits for the other.
const std::string kTwoSums =
    "xmov.m r4.x, c0.x\nxmov.m r4.y, c0.x\nblock\nloop\nicmp.uge.i32 r4.z, r4.y, r0.z\nbrc r4.z, #0\n"
    "iadd.i32 r2.y, r7.x, r4.y\nshl.i32 r2.x, r2.y, c0.w\nld.buffer.i32.x4 r1.x, c1.x, r2.x, #0\n"
    "ld.buffer.i32.x4 r5.x, c1.y, r2.x, #0\nld.buffer.i32.x4 r6.x, c1.y, r2.x, #16\n" +
    products("r1.x", "r5", "r3.x") + products("r1.y", "r6", "r3.y") + "fadd.f32 r2.z, r3.x, r3.y\n" +
    products("r1.z", "r5", "r3.z") + products("r1.w", "r6", "r3.w") + "fadd.f32 r2.w, r3.z, r3.w\n" +
    "fadd.f32 r4.w, r4.x, r2.z\nfadd.f32 r2.y, r4.w, r2.w\nxmov.m r4.x, r2.y\n"
    "iadd.i32 r2.x, r4.y, c0.y\nxmov.m r4.y, r2.x\nendloop\nendblock\n";

TEST_F(Unpacking, StepsOfSumsThatDoNotWaitForOneAnotherStandInTurns) {
  std::istringstream text(codeOf(kTwoSums));
  size_t most = 0, steps = 0;  // one behind the other, without what unpacks their sources in between
  for (std::string line; std::getline(text, line);) {
    steps = has(line, "fma.v16f32") ? steps + 1 : 0;
    most = std::max(most, steps);
  }
  EXPECT_EQ(most, hostHasPairs() ? 6u : 0u) << "three of each sum";
}

}  // namespace
}  // namespace etzel::native
