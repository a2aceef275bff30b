// Groups of warps: steps forward and back, barriers, breakpoints on values, and the bytes they leave.
#include "compiler/debug/group_run.h"

#include <bit>
#include <random>
#include <unordered_map>

#include "compiler/debug/fault.h"
#include "compiler/debug/scope.h"
#include "compiler/debug/test_group.h"
#include "compiler/spirv/newer.h"
#include "compiler/spirv/words.h"

namespace etzel::debugger::test {
namespace {

constexpr size_t kEnough = 16 << 20;

uint32_t lineAt(const GroupRun& run, uint32_t w) {
  return run.places()[run.places().of(run.instruction(w))].position.line;
}

/// A watch that stops where a lane of `lanes` begins `line`.
GroupRun::Watch atLine(uint32_t line, LaneMask lanes = kAllLanes) {
  return [=](GroupRun& run, uint32_t w) { return (run.began(w) & ~run.middle(w) & lanes) && lineAt(run, w) == line; };
}

std::string show(const GroupRun& run, Thread t, const std::string& expression) {
  auto value = evaluate(run.program(), expression, namesIn(run, t, 0));
  return value ? toText(run.program(), *value) : value.error().message;
}

const char kSums[] = R"(#version 450
layout(local_size_x = 16) in;
layout(binding = 1) buffer Result { uint b[]; } result;
shared uint all[16];
shared uint counter;
uint twice(uint x) {
  uint y = x + x;
  return y;
}
void main() {
  uint id = gl_LocalInvocationIndex;
  uint mine = twice(id);
  all[id] = mine;
  atomicAdd(counter, mine);
  barrier();
  uint next = all[(id + 9u) % 16u];
  for (uint i = 0u; i < 3u; ++i) {
    next += i;
  }
  result.b[id] = next + counter;
}
)";

std::vector<uint32_t> expectedSums() {
  std::vector<uint32_t> sums;
  for (uint32_t id = 0; id < 16; ++id) sums.push_back(2 * ((id + 9) % 16) + 3 + 240);
  return sums;
}

TEST(GroupRun, RunsWarpsBarrierByBarrier) {
  Group group(kSums, 2);
  ASSERT_TRUE(group.what);
  GroupRun run(group.what, group.list(), kEnough);
  EXPECT_EQ(run.forward(Go::On, 0, {}), Halt::Ended);
  EXPECT_EQ(std::vector<uint32_t>(group.out, group.out + 16), expectedSums());
}

TEST(GroupRun, StopsBehindABarrierWithBothWarpsThere) {
  Group group(kSums, 2);
  ASSERT_TRUE(group.what);
  GroupRun run(group.what, group.list(), kEnough);
  ASSERT_EQ(run.forward(Go::On, 0, atLine(16)), Halt::Watch);
  EXPECT_TRUE(run.waits(1)) << "warp 1 has come to the barrier, and waits for its turn";
  EXPECT_EQ(show(run, 3, "counter"), "240");
  EXPECT_EQ(show(run, 3, "mine"), "6");
  EXPECT_EQ(show(run, 12, "mine"), "24");
}

TEST(GroupRun, StepsAnInvocationOverABarrier) {
  Group group(kSums, 2);
  ASSERT_TRUE(group.what);
  GroupRun run(group.what, group.list(), kEnough);
  const Thread t = 2;
  std::vector<uint32_t> lines;
  while (run.forward(Go::Over, t, {}) == Halt::Step) lines.push_back(lineAt(run, warpOf(t)));
  EXPECT_EQ(lines, (std::vector<uint32_t>{11, 12, 13, 14, 15, 16, 17, 18, 17, 18, 17, 18, 17, 20}));
}

TEST(GroupRun, GoesBackTheWayItCame) {
  Group group(kSums, 2);
  ASSERT_TRUE(group.what);
  GroupRun run(group.what, group.list(), kEnough);
  const Thread t = 9;
  std::vector<std::pair<uint32_t, std::string>> way;
  while (run.forward(Go::Into, t, {}) == Halt::Step) way.emplace_back(lineAt(run, 1), show(run, t, "next"));
  EXPECT_EQ(group.out[9], expectedSums()[9]);
  // The step that left the invocation is taken back first: its last line begins again.
  for (size_t i = way.size(); i-- > 0;) {
    ASSERT_EQ(run.back(Go::Into, t, {}), Halt::Step) << i;
    EXPECT_EQ(lineAt(run, 1), way[i].first) << i;
    EXPECT_EQ(show(run, t, "next"), way[i].second) << i;
  }
  EXPECT_EQ(run.back(Go::Into, t, {}), Halt::Beginning);
  EXPECT_EQ(group.out[9], 0u) << "stores to buffers are taken back";
  EXPECT_EQ(run.forward(Go::On, 0, {}), Halt::Ended);
  EXPECT_EQ(std::vector<uint32_t>(group.out, group.out + 16), expectedSums()) << "atomics and barriers as well";
}

TEST(GroupRun, AnyWayForwardAndBackLeavesTheSameBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 6; ++round) {
    Group group(kSums, 2);
    ASSERT_TRUE(group.what);
    GroupRun run(group.what, group.list(), kEnough);
    for (int i = 0; i < 100; ++i) {
      const Thread t = random() % 16;
      const auto how = static_cast<Go>(1 + random() % 4);
      random() % 3 ? run.forward(how, t, {}) : run.back(how, t, {});
    }
    EXPECT_EQ(run.finish(), abi::WarpStatus::Done);
    EXPECT_EQ(std::vector<uint32_t>(group.out, group.out + 16), expectedSums()) << round;
  }
}

TEST(GroupRun, StepsOfALaterWarpLeaveTheOrderOfStores) {
  Group group(R"(#version 450
layout(local_size_x = 16) in;
layout(binding = 1) buffer Result { uint b[]; } result;
shared uint last;
void main() {
  uint id = gl_LocalInvocationIndex;
  last = id;
  barrier();
  result.b[id] = last;
}
)",
              2);
  ASSERT_TRUE(group.what);
  GroupRun run(group.what, group.list(), kEnough);
  const Thread t = 9;
  ASSERT_EQ(run.forward(Go::On, 0, atLine(7, 0xFF)), Halt::Watch);
  while (lineAt(run, 1) != 7) ASSERT_EQ(run.forward(Go::Over, t, {}), Halt::Step);
  EXPECT_TRUE(run.waits(0)) << "it was the first warp's turn";
  while (run.back(Go::Into, t, {}) == Halt::Step) {
  }
  for (int i = 0; i < 3; ++i) run.forward(Go::Into, t, {});
  EXPECT_EQ(run.finish(), abi::WarpStatus::Done);
  EXPECT_EQ(std::vector<uint32_t>(group.out, group.out + 16), std::vector<uint32_t>(16, 15));
}

TEST(GroupRun, ForgetsTheOldestStepsWhenMemoryEnds) {
  Group group(kSums, 2);
  ASSERT_TRUE(group.what);
  GroupRun run(group.what, group.list(), 2048);
  run.forward(Go::On, 0, {});
  EXPECT_GT(run.stepsBack(), 0u);
  while (run.back(Go::Into, 9, {}) == Halt::Step) {
  }
  EXPECT_NE(run.instruction(1), 0u) << "the beginning is not known any more";
  EXPECT_EQ(run.finish(), abi::WarpStatus::Done);
  EXPECT_EQ(std::vector<uint32_t>(group.out, group.out + 16), expectedSums());
}

TEST(GroupRun, StoredValuesAreWhatTheProgramGoesOnWith) {
  Group group(kSums, 2);
  ASSERT_TRUE(group.what);
  GroupRun run(group.what, group.list(), kEnough);
  ASSERT_EQ(run.forward(Go::On, 0, atLine(18, 4)), Halt::Watch);
  const Thread t = 2;
  const auto store = [&](const std::string& name, const std::string& text) {
    auto value = evaluate(run.program(), text, namesIn(run, t, 0));
    ASSERT_TRUE(value);
    for (uint32_t v = 0; v < run.program().variables.size(); ++v)
      if (run.program().variables[v].name == name) {
        auto stored = assign(run, t, v, {}, *value);
        EXPECT_TRUE(stored) << stored.error().message;
      }
  };
  store("next", "1000u");
  store("counter", "7");
  EXPECT_EQ(show(run, t, "next"), "1000");
  run.finish();
  EXPECT_EQ(group.out[2], 1000u + 3 + 7);
  EXPECT_EQ(group.out[1], 2 * 10u + 3 + 7);
}

TEST(Faults, AreSeenBeforeTheyHappen) {
  Group group(R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer In { float b[]; } source;
layout(binding = 1) buffer Result { float b[]; } result;
void main() {
  uint id = gl_LocalInvocationIndex;
  float x = source.b[id];
  float inverse = 1.0 / x;
  float root = sqrt(x - 4.0);
  result.b[id * 40u] = inverse + root;
}
)",
              1);
  ASSERT_TRUE(group.what);
  for (uint32_t i = 0; i < 8; ++i) group.in[i] = std::bit_cast<uint32_t>(float(i + 5));
  group.in[6] = 0;                              // divides by zero
  group.in[3] = std::bit_cast<uint32_t>(1.0f);  // the root of -3
  const auto first = [&](FaultKind kind) {
    GroupRun run(group.what, group.list(), kEnough);
    std::optional<Fault> found;
    run.forward(Go::On, 0, [&](GroupRun& r, uint32_t w) {
      found = faultAhead(r, w, bitOf(kind), kAllLanes);
      return found.has_value();
    });
    const std::string where =
        found ? "line " + std::to_string(lineAt(run, 0)) + " lane " + std::to_string(found->lane) : "";
    run.finish();
    for (abi::Warp& w : group.list()) w.resume = 0;
    return where;
  };
  EXPECT_EQ(first(FaultKind::DivisionByZero), "line 8 lane 6");
  EXPECT_EQ(first(FaultKind::NotANumber), "line 8 lane 6") << "1 / 0 is infinite";
  EXPECT_EQ(first(FaultKind::OutOfBounds), "line 10 lane 2");
  EXPECT_EQ(first(FaultKind::Discard), "");
}

/// Where the breaks of a shader stop: the line, the lane, and what its `i` is.
std::vector<std::string> breaksOf(Group& group) {
  std::vector<std::string> stops;
  if (!group.what) return stops;
  GroupRun run(group.what, group.list(), kEnough);
  std::optional<Fault> found;
  const auto watch = [&](GroupRun& r, uint32_t w) {
    found = faultAhead(r, w, bitOf(FaultKind::Break), kAllLanes);
    return found.has_value();
  };
  while (run.forward(Go::On, 0, watch) == Halt::Watch)
    stops.push_back(std::to_string(lineAt(run, 0)) + " lane " + std::to_string(found->lane) + " i " +
                    show(run, found->lane, "i"));
  return stops;
}

/// A shader with breaks; the extended instruction's number is `id`.
std::string breaking(const std::string& id) {
  return R"(#version 450
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_KHR_non_semantic_info"], set = "NonSemantic.DebugBreak", id = )" +
         id + R"() void debugBreak();
layout(local_size_x = 8) in;
layout(binding = 1) buffer Result { uint b[]; } result;
void main() {
  uint id = gl_LocalInvocationIndex;
  if (id == 5u) debugBreak();
  for (uint i = 0u; i < id; ++i) {
    if (i > 4u) debugBreak();
  }
  result.b[id] = id;
}
)";
}

const std::vector<std::string> kBreaks = {"8 lane 5 i there is no i here", "10 lane 6 i 5", "10 lane 7 i 6"};

TEST(GroupRun, StopsWhereTheShaderWantsIt) {
  Group group(breaking("1"), 1);
  EXPECT_EQ(breaksOf(group), kBreaks);
  EXPECT_EQ(group.out[7], 7u);
}

TEST(GroupRun, OtherInstructionsOfThatSetAreNoBreaks) {
  Group group(breaking("2"), 1);
  EXPECT_EQ(breaksOf(group), std::vector<std::string>());
  EXPECT_EQ(group.out[7], 7u);
}

TEST(GroupRun, StopsThereInModulesOfTheOtherByteOrder) {
  std::vector<uint32_t> words = compileGlsl(breaking("1"), "comp");
  for (uint32_t& w : words) w = __builtin_bswap32(w);
  EXPECT_TRUE(mayBreak(words));
  Group group(words, 1);
  EXPECT_EQ(breaksOf(group), kBreaks);
  EXPECT_EQ(group.out[7], 7u);
}

/// Words of a module in which an instruction with a message alone stands for OpAbortKHR: it gets the message's type,
/// and ends its block.
std::vector<uint32_t> withAborts(const std::vector<uint32_t>& words) {
  std::vector<uint32_t> out(words.begin(), words.begin() + spirv::kHeaderWords);
  std::unordered_map<uint32_t, uint32_t> typeOf;
  bool drops = false;
  spirv::forEach(words, [&](spirv::Words inst) {
    const spv::Op op = spirv::opOf(inst);
    if (inst.size() > 2) typeOf.emplace(inst[2], inst[1]);
    if (op == spirv::kOpAbort)
      out.insert(out.end(), {3u << 16 | uint32_t(op), typeOf[inst[1]], inst[1]});
    else if (!drops)
      out.insert(out.end(), inst.begin(), inst.end());
    drops = op == spirv::kOpAbort || (drops && op != spv::Op::OpBranch);
    return true;
  });
  return out;
}

TEST(GroupRun, StopsWhereAnInvocationAborts) {
  Group group(withAborts(compileGlsl(R"(#version 450
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_KHR_abort"], capabilities = [5120], id = 5121) void abortWith(uint message);
layout(local_size_x = 8) in;
layout(binding = 1) buffer Result { uint b[]; } result;
void main() {
  uint id = gl_LocalInvocationIndex;
  if (id == 5u) {
    abortWith(id);
  }
  result.b[id] = id + 1u;
}
)",
                                     "comp")),
              1);
  ASSERT_TRUE(group.what);
  GroupRun run(group.what, group.list(), kEnough);
  std::optional<Fault> found;
  const auto watch = [&](GroupRun& r, uint32_t w) {
    found = faultAhead(r, w, bitOf(FaultKind::Abort), kAllLanes);
    return found.has_value();
  };
  ASSERT_EQ(run.forward(Go::On, 0, watch), Halt::Watch);
  EXPECT_EQ(found->lane, 5u);
  EXPECT_EQ(lineAt(run, 0), 9u);
  EXPECT_EQ(run.forward(Go::On, 0, watch), Halt::Ended);
  EXPECT_EQ(group.out[4], 5u);
  EXPECT_EQ(group.out[5], 0u);
}

Group fragments(const std::string& main) {
  return Group(compileGlsl("#version 450\nlayout(location = 0) out vec4 color;\n"
                           "layout(binding = 0) readonly buffer Input { uint a[]; } data;\n" +
                               main,
                           "frag"),
               1, abi::Stage::Fragment);
}
const char kRounds[] = R"(void main() {
  float sum = gl_FragCoord.x;
  for (int i = 0; i < 3; ++i) {
    sum += float(i);
  }
  color = vec4(sum);
}
)";

TEST(GroupRun, FragmentsAreNotRecordedBeforeTheyStop) {
  Group group = fragments(kRounds);
  ASSERT_TRUE(group.what);
  GroupRun run(group.what, group.list(), kEnough);
  uint32_t looks = 0;
  const auto never = [&](GroupRun&, uint32_t) { return ++looks, false; };
  EXPECT_EQ(run.forward(Go::On, 0, never), Halt::Ended);
  EXPECT_GT(looks, 10u);
  EXPECT_FALSE(run.isRecorded());
  for (uint32_t i = 0; i < kWarpLanes; ++i)
    EXPECT_EQ(group.list()[0].out[abi::kFragOutColor][i], std::bit_cast<uint32_t>(static_cast<float>(i + 3)));
}

TEST(GroupRun, FragmentsThatStopKnowTheirWayBack) {
  Group group = fragments(kRounds);
  ASSERT_TRUE(group.what);
  GroupRun run(group.what, group.list(), kEnough);
  ASSERT_EQ(run.forward(Go::On, 0, atLine(9)), Halt::Watch);
  EXPECT_TRUE(run.isRecorded());
  EXPECT_EQ(show(run, 4, "sum"), "7");
  const uint32_t end = run.instruction(0);
  EXPECT_EQ(run.visits(4, end), 0u);
  std::vector<std::pair<uint32_t, std::string>> way;
  while (run.back(Go::Into, 4, {}) == Halt::Step) way.emplace_back(lineAt(run, 0), show(run, 4, "sum"));
  std::vector<std::pair<uint32_t, std::string>> sums;
  std::copy_if(way.begin(), way.end(), std::back_inserter(sums), [](const auto& at) { return at.first == 7; });
  EXPECT_EQ(sums, (std::vector<std::pair<uint32_t, std::string>>{{7, "5"}, {7, "4"}, {7, "4"}}));
  ASSERT_EQ(run.forward(Go::On, 0, atLine(9)), Halt::Watch);
  EXPECT_EQ(run.instruction(0), end);
  EXPECT_EQ(show(run, 4, "sum"), "7");
  EXPECT_EQ(run.forward(Go::On, 0, {}), Halt::Ended);
  EXPECT_EQ(group.list()[0].out[abi::kFragOutColor][4], std::bit_cast<uint32_t>(7.0f));
}

TEST(GroupRun, FragmentsThatAreInterruptedOnceMoreDoNotRepeatTheirWay) {
  Group group = fragments(kRounds);
  ASSERT_TRUE(group.what);
  GroupRun run(group.what, group.list(), kEnough);
  const auto interrupting = [&](GroupRun& r, uint32_t w) { return atLine(9)(r, w) && (r.interrupt(), true); };
  ASSERT_EQ(run.forward(Go::On, 0, interrupting), Halt::Watch);
  EXPECT_EQ(show(run, 4, "sum"), "7");
  EXPECT_EQ(run.stepsBack(), 0u);
  EXPECT_EQ(run.forward(Go::On, 0, {}), Halt::Ended);
  EXPECT_EQ(group.list()[0].out[abi::kFragOutColor][4], std::bit_cast<uint32_t>(7.0f));
}

TEST(GroupRun, FragmentsDoNotRepeatALongWay) {
  Group group =
      fragments("void main() {\n  uint x = 0u;\n  while (data.a[0] == 0u) ++x;\n  color = vec4(float(x));\n}\n");
  ASSERT_TRUE(group.what);
  GroupRun run(group.what, group.list(), kEnough);
  uint64_t looks = 0;  // the first one before any step
  ASSERT_EQ(run.forward(Go::On, 0, [&](GroupRun&, uint32_t) { return ++looks == GroupRun::kMostRepeated + 2; }),
            Halt::Watch);
  EXPECT_TRUE(run.isRecorded());
  EXPECT_EQ(run.stepsBack(), 0u);
  ASSERT_EQ(run.forward(Go::Instruction, 0, {}), Halt::Step);
  EXPECT_EQ(run.back(Go::Instruction, 0, {}), Halt::Step) << "from there on the way back is known";
  EXPECT_EQ(run.back(Go::Instruction, 0, {}), Halt::Beginning);
}

TEST(GroupRun, FragmentsStandWhereTheyHaveComeToWhateverOthersStoreMeanwhile) {
  Group group = fragments("void main() {\n  uint x = data.a[0];\n  color = vec4(float(x));\n}\n");
  ASSERT_TRUE(group.what);
  group.in[0] = 5;
  GroupRun run(group.what, group.list(), kEnough);
  const auto storing = [&](GroupRun& r, uint32_t w) { return atLine(6)(r, w) && (group.in[0] = 9); };
  ASSERT_EQ(run.forward(Go::On, 0, storing), Halt::Watch);
  EXPECT_EQ(show(run, 0, "x"), "5");
  EXPECT_EQ(run.stepsBack(), 0u) << "the way there would be another one";
  EXPECT_EQ(run.visits(0, 0), 0u) << "nor are its visits known";
  EXPECT_EQ(run.forward(Go::On, 0, {}), Halt::Ended);
  EXPECT_EQ(group.list()[0].out[abi::kFragOutColor][0], std::bit_cast<uint32_t>(5.0f));
}

}  // namespace
}  // namespace etzel::debugger::test
