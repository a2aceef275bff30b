#include <gtest/gtest.h>

#include "compiler/isa/assemble.h"
#include "compiler/isa/shadow.h"
#include "compiler/opt/pass_test.h"
#include "compiler/opt/passes.h"

namespace etzel::opt {
namespace {

/// Registers are pairs: r0 and r1 are one of eight words, and so on.
void inPairs(isa::Program& program) {
  program.tempWords = (program.tempWords + 7) / 8 * 8;
  program.groups.clear();
  for (uint32_t word = 0; word < program.tempWords; word += 8) program.groups.push_back({word, 8});
}

const std::string kStart = ".const 0 8 32 24\nxmov r0.x, c0.x\nblock\nloop\n";
const std::string kExit = "icmp.uge.i32 r2.x, r0.x, c0.z\nbrc r2.x, #0\n";
const std::string kProducts =
    "ld.buffer.i32.x8 r4.x, c0.x, r0.x, #0\n"
    "sgproduct.f32.x8 r6.x, r4.x, r4.x, r8.x\n"
    "xmov.x8.m r8.x, r6.x\n"
    "sgproduct.f32.x8 r10.x, r4.x, r4.x, r12.x\n"
    "xmov.x8.m r12.x, r10.x\n";
const std::string kNext = "iadd.i32 r14.x, r0.x, c0.y\nxmov.m r0.x, r14.x\nendloop\nendblock\n";
const std::string kEnd = "xmov o1.x, r8.x\nxmov o2.x, r12.x\n";

// A round over registers of its own, that begins at `counter` and adds to `first` and `second`.
const std::string kFirstRound =
    "ld.buffer.i32.x8 r18.x, c0.x, r0.x, #0\n"
    "sgproduct.f32.x8 r20.x, r18.x, r18.x, r8.x\n"
    "xmov.x8 r22.x, r20.x\n"
    "sgproduct.f32.x8 r24.x, r18.x, r18.x, r12.x\n"
    "xmov.x8 r26.x, r24.x\n";
const std::string kSecondRound =
    "ld.buffer.i32.x8 r34.x, c0.x, r30.x, #0\n"
    "sgproduct.f32.x8 r36.x, r34.x, r34.x, r22.x\n"
    "xmov.x8 r38.x, r36.x\n"
    "sgproduct.f32.x8 r40.x, r34.x, r34.x, r26.x\n"
    "xmov.x8 r42.x, r40.x\n"
    "iadd.i32 r44.x, r30.x, c0.y\n"
    "xmov r46.x, r44.x\n";
const std::string kNextCounter = "iadd.i32 r28.x, r0.x, c0.y\nxmov r30.x, r28.x\n";
const std::string kWriteBack = "xmov.m r0.x, r46.x\nxmov.x8.m r8.x, r38.x\nxmov.x8.m r12.x, r42.x\nendloop\nendblock\n";

TEST(UnrollProductsPass, TwoRoundsAreOneWhereThereIsAnEvenNumber) {
  EXPECT_TRUE(expectPass("unroll-products", kStart + kExit + kProducts + kNext + kEnd,
                         kStart + "icmp.uge.i32 r16.x, r0.x, c0.z\nbrc r16.x, #0\n" + kFirstRound + kNextCounter +
                             "icmp.uge.i32 r32.x, r30.x, c0.z\n" + kSecondRound + kWriteBack + kEnd,
                         inPairs));
}

TEST(UnrollProductsPass, TheOldLoopDoesWhatIsLeft) {
  const std::string exit = "icmp.uge.i32 r2.x, r0.x, c0.w\nbrc r2.x, #0\n";
  EXPECT_TRUE(expectPass("unroll-products", kStart + exit + kProducts + kNext + kEnd,
                         ".const 0 8 32 24\nxmov r0.x, c0.x\nblock\nblock\nloop\n"
                         "icmp.uge.i32 r16.x, r0.x, c0.w\nbrc r16.x, #0\n" +
                             kNextCounter + "icmp.uge.i32 r32.x, r30.x, c0.w\nbrc r32.x, #0\n" + kFirstRound +
                             kSecondRound + kWriteBack + "loop\n" + exit + kProducts + kNext + kEnd,
                         inPairs));
}

TEST(UnrollProductsPass, SumsOfAStepAreReadWhereTheStepBeforeLeftThem) {
  // The first sum is written twice in a round: the second product of a round reads what the first one left.
  const std::string body =
      "ld.buffer.i32.x8 r4.x, c0.x, r0.x, #0\nsgproduct.f32.x8 r6.x, r4.x, r4.x, r8.x\nxmov.x8.m r8.x, r6.x\n"
      "sgproduct.f32.x8 r6.x, r4.x, r4.x, r8.x\nxmov.x8.m r8.x, r6.x\n";
  const auto round = [](const char* from, const char* sum, uint32_t r) {
    const auto reg = [&](uint32_t k) { return "r" + std::to_string(r + 2 * k) + ".x"; };
    return "ld.buffer.i32.x8 " + reg(0) + ", c0.x, " + from + ", #0\nsgproduct.f32.x8 " + reg(1) + ", " + reg(0) +
           ", " + reg(0) + ", " + sum + "\nxmov.x8 " + reg(2) + ", " + reg(1) + "\nsgproduct.f32.x8 " + reg(3) + ", " +
           reg(0) + ", " + reg(0) + ", " + reg(2) + "\nxmov.x8 " + reg(4) + ", " + reg(3) + "\n";
  };
  EXPECT_TRUE(expectPass("unroll-products", kStart + kExit + body + kNext + kEnd,
                         kStart + "icmp.uge.i32 r16.x, r0.x, c0.z\nbrc r16.x, #0\n" + round("r0.x", "r8.x", 18) +
                             "iadd.i32 r28.x, r0.x, c0.y\nxmov r30.x, r28.x\nicmp.uge.i32 r32.x, r30.x, c0.z\n" +
                             round("r30.x", "r26.x", 34) + "iadd.i32 r44.x, r30.x, c0.y\nxmov r46.x, r44.x\n" +
                             "xmov.m r0.x, r46.x\nxmov.x8.m r8.x, r42.x\nendloop\nendblock\n" + kEnd,
                         inPairs));
}

TEST(UnrollProductsPass, OtherLoopsStay) {
  const std::string whole = kStart + kExit + kProducts + kNext + kEnd;
  const auto in = [&](const std::string& more) { return kStart + kExit + kProducts + more + kNext + kEnd; };
  const struct {
    const char* what;
    std::string text;
  } cases[] = {
      {"a store", in("st.buffer.i32 c0.x, r0.x, r4.x, #0\n")},
      {"a barrier", in("barrier\n")},
      {"control flow", in("if r4.x\nendif\n")},
      {"another exit", in("brc r4.x, #0\n")},
      {"what sees which lanes run", in("sgballot r4.x, r4.x\n")},
      {"a derivative", in("ddxf.f32 r4.x, r4.x\n")},
      {"the exit's condition is read behind the loop", whole + "xmov o3.x, r2.x\n"},
      {"the condition is loaded",
       kStart + "ld.buffer.i32 r2.x, c0.x, r0.x, #0\nbrc r2.x, #0\n" + kProducts + kNext + kEnd},
      {"one round", ".const 0 8 32 8\nxmov r0.x, c0.x\nblock\nloop\nicmp.uge.i32 r2.x, r0.x, c0.w\nbrc r2.x, #0\n" +
                        kProducts + kNext + kEnd},
      {"one product", kStart + kExit +
                          "ld.buffer.i32.x8 r4.x, c0.x, r0.x, #0\nsgproduct.f32.x8 r6.x, r4.x, r4.x, r8.x\n"
                          "xmov.x8.m r8.x, r6.x\n" +
                          kNext + kEnd},
      {"products before the exit", kStart + kProducts + kExit + kNext + kEnd},
      {"a register of parts that rounds have", in("xmov.m r12.y, r4.x\n") + "xmov o3.x, r12.y\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_FALSE(expectPass("unroll-products", c.text, c.text, inPairs));
  }
}

TEST(UnrollProductsPass, SumsAndFactorsOfBothRoundsHaveToFitTheRegisters) {
  // `count` products of factors and sums of their own, of eight words each.
  const auto loop = [](uint32_t count) {
    std::string text = kStart + kExit;
    const auto reg = [&](uint32_t kind, uint32_t i) {
      return "r" + std::to_string(16 + 2 * (count * kind + i)) + ".x";
    };
    for (uint32_t i = 0; i < count; ++i)
      text += "ld.buffer.i32.x8 " + reg(0, i) + ", c0.x, r0.x, #0\nsgproduct.f32.x8 " + reg(1, i) + ", " + reg(0, i) +
              ", " + reg(0, i) + ", " + reg(2, i) + "\nxmov.x8.m " + reg(2, i) + ", " + reg(1, i) + "\n";
    return text + kNext;
  };
  for (const bool fit : {true, false}) {
    auto program = isa::assemble(".stage compute\n" + loop(fit ? 31 : 33));
    ASSERT_TRUE(program.ok()) << program.error().message;
    inPairs(*program);
    EXPECT_EQ(unrollProducts(*program), fit);
  }
}

TEST(UnrollProductsPass, LoopsThatDebuggersSeeStay) {
  const std::string text = kStart + kExit + kProducts + kNext + kEnd;
  EXPECT_FALSE(expectPass("unroll-products", text, text, [](isa::Program& program) {
    inPairs(program);
    for (isa::Inst& inst : program.code)
      if (inst.op == isa::Opcode::Ld) isa::makeShadow(inst);
  }));
}

}  // namespace
}  // namespace etzel::opt
