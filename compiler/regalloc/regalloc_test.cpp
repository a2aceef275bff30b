#include "compiler/regalloc/regalloc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "compiler/exec/interp/test/random_program.h"
#include "compiler/opt/pipeline.h"

namespace etzel::regalloc {
namespace {

using interp::test::Machine;
using interp::test::RandomProgram;
using interp::test::Thread;

void expectSameAsThreads(uint32_t seed, uint32_t variables, uint32_t statements, bool optimized, bool mustSpill) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const RandomProgram source(seed, variables, statements);
  Machine m;
  std::mt19937 random(seed + 1);
  for (LaneWords& w : m.in)
    for (uint32_t& l : w.lane) l = random() % 3 ? random() % 8 : random();
  m.active = seed % 5 ? kAllLanes : random() % 255 + 1;
  const auto verified = isa::verify(source.program, isa::VerifyMode::VirtualRegisters);
  ASSERT_TRUE(verified.ok()) << verified.error().message;
  std::vector<std::vector<uint32_t>> expected;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    Thread t(source.program, m, l);
    if (!t.run()) return;
    expected.push_back(t.out);
  }
  m.program = source.program;
  if (optimized) {
    EXPECT_TRUE(opt::optimize(m.program).ok());
  }
  const auto allocated = allocate(m.program);
  ASSERT_TRUE(allocated.ok()) << allocated.error().message;
  if (mustSpill) {
    EXPECT_GT(m.program.scratchBytes, 0u);
  }
  m.run();
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    for (uint32_t o = 0; o < RandomProgram::kOutputs; ++o)
      if (m.active >> l & 1) {
        ASSERT_EQ(m.out[o].lane[l], expected[l][o]) << "lane " << l << " o word " << o << "\n"
                                                    << (statements < 60 ? isa::disassemble(m.program) : "");
      }
}

TEST(RegisterAllocation, RandomProgramsComputeWhatTheirThreadsDo) {
  for (uint32_t seed = 0; seed < 600 && !testing::Test::HasFatalFailure(); ++seed)
    expectSameAsThreads(seed, 8 + seed % 30, 20 + seed, false, false);
}

TEST(RegisterAllocation, SpilledProgramsComputeTheSame) {
  for (uint32_t seed = 0; seed < 12 && !testing::Test::HasFatalFailure(); ++seed)
    expectSameAsThreads(seed, 1300 + 100 * seed, 300, false, true);
}

TEST(Optimizer, RandomProgramsComputeWhatTheirThreadsDo) {
  for (uint32_t seed = 0; seed < 600 && !testing::Test::HasFatalFailure(); ++seed)
    expectSameAsThreads(1000 + seed, 8 + seed % 30, 20 + seed, true, false);
}

/// Optimizes and allocates a program of about `instructions` instructions. \returns processor seconds.
double secondsFor(uint32_t instructions) {
  isa::Program program;
  program.info.stage = abi::Stage::Vertex;
  isa::Builder b(program);
  isa::Operand x = b.imm(uint32_t(1));
  std::vector<isa::Operand> values = {x};
  for (uint32_t i = 0; i < instructions; ++i) {
    if (i % 50 == 0) b.ifBegin(x);
    x = b.value(isa::Opcode::IAdd, isa::Type::I32, values[values.size() - 1 - i % std::min<size_t>(values.size(), 40)],
                x);
    values.push_back(x);
    if (i % 50 == 49) b.ifEnd();
  }
  b.moveMasked(interp::test::output(0), x);
  const std::clock_t start = std::clock();
  EXPECT_TRUE(opt::optimize(program).ok());
  EXPECT_TRUE(allocate(program).ok());
  const std::clock_t end = std::clock();
  EXPECT_LE(program.tempWords, 100u);
  return double(end - start) / CLOCKS_PER_SEC;
}

// Four times the instructions take four times as long where time is linear, and sixteen times where it is quadratic.
TEST(RegisterAllocation, LongProgramsTakeLinearTime) {
  double quarter = 1e9, whole = 1e9;
  for (int i = 0; i == 0 || (i < 10 && whole >= 10 * quarter);
       ++i) {  // other programs disturb; once undisturbed is enough
    quarter = std::min(quarter, secondsFor(15000));
    whole = std::min(whole, secondsFor(60000));
  }
  EXPECT_LT(whole, 10 * quarter);
}

TEST(RegisterAllocation, CopiesOfWhatEndsThereDisappear) {
  isa::Program program;
  program.info.stage = abi::Stage::Vertex;
  isa::Builder b(program);
  const isa::Operand a = b.value(isa::Opcode::FAdd, isa::Type::F32, interp::test::input(0), interp::test::input(1));
  const isa::Operand c = program.newTemp();
  b.move(c, a);
  b.moveMasked(interp::test::output(0), c);
  ASSERT_TRUE(allocate(program).ok());
  EXPECT_EQ(program.code.size(), 2u) << isa::disassemble(program);
}

}  // namespace
}  // namespace etzel::regalloc
