// Warps apart: they stand where another invocation stands, step by themselves, and leave no trace.
#include "compiler/debug/scope.h"
#include "compiler/debug/test_group.h"

namespace etzel::debugger::test {
namespace {

constexpr size_t kEnough = 16 << 20;

const char kLoop[] = R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 1) buffer Result { uint b[]; } result;
void main() {
  uint id = gl_LocalInvocationIndex;
  uint sum = 0u;
  for (uint i = 0u; i < 4u; ++i) {
    sum += id * i;
  }
  result.b[id & 7u] = sum;
}
)";
constexpr uint32_t kInLoop = 8, kStore = 10;

uint32_t lineAt(const GroupRun& run, uint32_t w) {
  return run.places()[run.places().of(run.instruction(w))].position.line;
}

std::string show(const GroupRun& run, Thread t, const std::string& expression) {
  auto value = evaluate(run.program(), expression, namesIn(run, t, 0));
  return value ? toText(run.program(), *value) : value.error().message;
}

/// A group of one warp, and a copy of it whose invocations have numbers from 100 on.
struct Pair {
  Group group{kLoop, 1};
  std::vector<LaneWords> sys;
  abi::Warp copy;

  Pair() : sys(group.list()[0].sys, group.list()[0].sys + abi::kSysValueCount), copy(group.list()[0]) {
    copy.sys = sys.data();
    for (uint32_t i = 0; i < kWarpLanes; ++i) sys[uint32_t(abi::SysValue::LocalIndex)][i] = 100 + i;
  }
};

/// Stops where the lane begins a line for the time `count`.
GroupRun::Watch atLine(uint32_t line, uint32_t lane, uint32_t* count) {
  return [=](GroupRun& run, uint32_t w) {
    return (run.began(w) & ~run.middle(w)) >> lane & 1 && lineAt(run, w) == line && --*count == 0;
  };
}

TEST(GroupApart, IsBroughtToWhereAnotherStands) {
  Pair pair;
  GroupRun run(pair.group.what, pair.group.list(), kEnough);
  uint32_t count = 3;
  ASSERT_EQ(run.forward(Go::On, 0, atLine(kInLoop, 2, &count)), Halt::Watch);
  EXPECT_EQ(show(run, 2, "i * 10u + sum"), "22");  // two rounds: 2 * (0 + 1)
  const uint32_t w = run.addApart(&pair.copy, 1u << 2);
  const Thread other = w * kWarpLanes + 2;
  EXPECT_TRUE(run.exists(other));
  EXPECT_FALSE(run.exists(other + 1));
  run.bring(other, run.instruction(0), run.visits(2, run.instruction(0)));
  EXPECT_EQ(lineAt(run, w), kInLoop);
  EXPECT_EQ(show(run, other, "i"), "2");
  EXPECT_EQ(show(run, other, "sum"), "102");
  EXPECT_EQ(show(run, 2, "sum"), "2");
}

TEST(GroupApart, StepsByItselfAndBack) {
  Pair pair;
  GroupRun run(pair.group.what, pair.group.list(), kEnough);
  uint32_t count = 1;
  ASSERT_EQ(run.forward(Go::On, 0, atLine(kInLoop, 0, &count)), Halt::Watch);
  const uint32_t w = run.addApart(&pair.copy, 1);
  const Thread other = w * kWarpLanes;
  run.bring(other, run.instruction(0), run.visits(0, run.instruction(0)));
  const uint32_t here = run.instruction(w);
  ASSERT_EQ(run.forward(Go::Instruction, other, nullptr), Halt::Step);
  EXPECT_NE(run.instruction(w), here);
  EXPECT_EQ(run.instruction(0), here) << "the others stay";
  ASSERT_EQ(run.back(Go::Instruction, other, nullptr), Halt::Step);
  EXPECT_EQ(run.instruction(w), here);
  EXPECT_EQ(run.visits(other, here), run.visits(0, here));
  EXPECT_EQ(run.back(Go::On, other, nullptr), Halt::Beginning);
}

TEST(GroupApart, VisitsGoBackWithTheSteps) {
  Pair pair;
  GroupRun run(pair.group.what, pair.group.list(), kEnough);
  uint32_t count = 2;
  ASSERT_EQ(run.forward(Go::On, 0, atLine(kInLoop, 5, &count)), Halt::Watch);
  const uint32_t here = run.instruction(0);
  EXPECT_EQ(run.visits(5, here), 1u);
  count = 1;
  ASSERT_EQ(run.back(Go::On, 5, atLine(kInLoop, 5, &count)), Halt::Watch);
  EXPECT_EQ(run.visits(5, here), 0u);
}

TEST(GroupApart, StoresNothingAndTheOthersStoreWhatTheyDo) {
  Pair pair;
  {
    GroupRun run(pair.group.what, pair.group.list(), kEnough);
    uint32_t count = 1;
    ASSERT_EQ(run.forward(Go::On, 0, atLine(kInLoop, 0, &count)), Halt::Watch);
    const uint32_t w = run.addApart(&pair.copy, kAllLanes);
    Halt halt = Halt::Step;
    for (int i = 0; i < 1000 && halt == Halt::Step; ++i) halt = run.forward(Go::Over, w * kWarpLanes, nullptr);
    EXPECT_EQ(halt, Halt::Apart);
    EXPECT_TRUE(run.wouldShow(w));
    EXPECT_EQ(lineAt(run, w), kStore);
    EXPECT_EQ(show(run, w * kWarpLanes + 1, "sum"), std::to_string(101 * 6));
    for (const uint32_t b : pair.group.out) EXPECT_EQ(b, 0u);
    EXPECT_EQ(run.finish(), abi::WarpStatus::Done);
    run.dropApart();
    EXPECT_EQ(run.warps(), 1u);
  }
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(pair.group.out[i], i * 6);
  EXPECT_EQ(pair.copy.registers, nullptr) << "it has its own memory back";
}

}  // namespace
}  // namespace etzel::debugger::test
