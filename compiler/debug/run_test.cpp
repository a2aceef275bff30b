// Stepping through shaders that glslang compiled, with the values at each stop.
#include "compiler/debug/test_shader.h"

namespace etzel::debugger::test {
namespace {

const char kCalls[] = R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 1) buffer Result { float b[]; } result;
float square(float x) {
  float y = x * x;
  return y + 1.0;
}
void main() {
  float id = float(gl_LocalInvocationIndex);
  float sum = 0.0;
  for (int i = 0; i < 2; ++i) {
    float s = square(id + float(i));
    sum += s;
  }
  if (id > 3.0) {
    sum = -sum;
  }
  result.b[gl_LocalInvocationIndex] = sum;
}
)";

TEST(Stepping, GoesThroughLinesAndCallsWithTheirValues) {
  Machine machine(kCalls);
  ASSERT_TRUE(machine.code);
  WarpRun run = machine.run(2);
  struct Stop {
    uint32_t line;
    const char *name, *value;
  };
  // Before the line of the stop runs.
  const Stop stops[] = {
      {9, "id", "unset"}, {10, "id", "2"}, {11, "sum", "0"},  {12, "i", "0"},  {5, "x", "2"},     {6, "y", "4"},
      {12, "sum", "0"},   {13, "s", "5"},  {11, "sum", "5"},  {12, "i", "1"},  {5, "x", "3"},     {6, "y", "9"},
      {12, "i", "1"},     {13, "s", "10"}, {11, "sum", "15"}, {15, "id", "2"}, {18, "sum", "15"},
  };
  for (const Stop& stop : stops) {
    ASSERT_TRUE(run.stepLine(Step::Into)) << stop.line;
    EXPECT_EQ(lineOf(run), stop.line);
    EXPECT_EQ(show(run, stop.name), stop.value) << "line " << stop.line << ' ' << stop.name;
  }
  EXPECT_FALSE(run.stepLine(Step::Into));
  EXPECT_EQ(run.status(), abi::WarpStatus::Done);
  float out;
  std::memcpy(&out, &machine.out[2], 4);
  EXPECT_EQ(out, 15.0f);
}

TEST(Stepping, FollowsItsOwnLane) {
  Machine machine(kCalls);
  ASSERT_TRUE(machine.code);
  WarpRun run = machine.run(5);
  const std::vector<Breakpoint> breakpoints = {{0, 16, {}}};
  ASSERT_EQ(run.resume(breakpoints), 0);
  EXPECT_EQ(show(run, "sum"), "63");  // 5*5 + 1 + 6*6 + 1
  run.selectLane(2);
  EXPECT_FALSE(run.laneRuns());
  run.selectLane(7);
  EXPECT_EQ(show(run, "sum"), "115");
}

TEST(Stepping, OverSkipsCallsAndOutLeavesThem) {
  Machine machine(kCalls);
  ASSERT_TRUE(machine.code);
  WarpRun run = machine.run(1);
  const std::vector<Breakpoint> call = {{0, 12, {}}}, inside = {{0, 6, {}}};
  ASSERT_EQ(run.resume(call), 0);
  ASSERT_TRUE(run.stepLine(Step::Over));
  EXPECT_EQ(lineOf(run), 13u);
  ASSERT_EQ(run.resume(inside), 0);
  const std::vector<StackFrame> stack = run.callStack();
  ASSERT_EQ(stack.size(), 2u);
  EXPECT_EQ(stack[0].function, "square");
  EXPECT_EQ(stack[1].function, "main");
  EXPECT_EQ(stack[1].position.line, 12u);
  EXPECT_EQ(show(run, "i", 1), "1");
  ASSERT_TRUE(run.stepLine(Step::Out));
  EXPECT_EQ(run.callStack().size(), 1u);
  EXPECT_EQ(run.callStack()[0].function, "main");
}

TEST(Stepping, ConditionsDecideWhetherABreakpointStops) {
  Machine machine(kCalls);
  ASSERT_TRUE(machine.code);
  WarpRun run = machine.run(3);
  const std::vector<Breakpoint> breakpoints = {{0, 13, [](const WarpRun& r) { return show(r, "i") == "1"; }}};
  ASSERT_EQ(run.resume(breakpoints), 0);
  EXPECT_EQ(show(run, "s"), "17");
  EXPECT_EQ(run.resume(breakpoints), -1);
  EXPECT_TRUE(run.left());
}

TEST(Values, OfEveryKindAreTypedAndKeptWhenNothingReadsThem) {
  Machine machine(R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer In { mat3 m; uint tail[]; } source;
layout(binding = 1) buffer Result { uint b[]; } result;
shared ivec2 both[4];
struct Part { bool on; double d; ivec3 v[2]; };
uint counter = 7;
void main() {
  Part part;
  part.on = true;
  part.d = 0.1lf;
  part.v[1] = ivec3(-1, 2, -3);
  mat2x3 m = mat2x3(1, 2, 3, 4, 5, 6);
  m[1] *= 2.0;
  int64_t big = -5000000000l;
  uint16_t small = uint16_t(40000);
  float16_t half_ = float16_t(0.5);
  float array[3] = float[](1.0, 2.0, 3.0);
  array[gl_LocalInvocationIndex % 3] = 9.0;
  counter += 1;
  both[gl_LocalInvocationIndex & 3] = ivec2(5, 6);
  float never = 1.0 / 0.0;
  result.b[gl_LocalInvocationIndex] = counter;
}
)");
  ASSERT_TRUE(machine.code);
  for (uint32_t i = 0; i < 64; ++i) {
    const float f = float(i);
    std::memcpy(&machine.in[i], &f, 4);
  }
  WarpRun run = machine.run(1);
  const std::vector<Breakpoint> end = {{0, 24, {}}};
  ASSERT_EQ(run.resume(end), 0);
  EXPECT_EQ(show(run, "part").substr(0, 24), "{on = true, d = 0.1, v =");
  EXPECT_NE(show(run, "part").find("(-1, 2, -3)]}"), std::string::npos) << show(run, "part");
  EXPECT_EQ(show(run, "m"), "((1, 2, 3), (8, 10, 12))");
  EXPECT_EQ(show(run, "big"), "-5000000000");
  EXPECT_EQ(show(run, "small"), "40000");
  EXPECT_EQ(show(run, "half_"), "0.5");
  EXPECT_EQ(show(run, "array"), "[1, 9, 3]");
  EXPECT_EQ(show(run, "counter"), "8");
  EXPECT_EQ(show(run, "both"), "[(5, 6), (5, 6), (5, 6), (5, 6)]");
  EXPECT_EQ(show(run, "never"), "inf");
  EXPECT_EQ(toJson(run.program(), run.value(run.find("never"))), "\"inf\"");
  // Only what the code touches is there; what is, in full.
  EXPECT_EQ(run.finish(), abi::WarpStatus::Done);
}

TEST(Values, OfUnrolledLoopsAndFusedSumsAreThoseOfTheSource) {
  Machine machine(R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer In { float a[]; } source;
layout(binding = 1) buffer Result { float b[]; } result;
const float weights[3] = float[](0.5, 0.25, 2.0);
void main() {
  float sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    float product = weights[i] * source.a[i];
    sum += product;
  }
  result.b[gl_LocalInvocationIndex] = sum;
}
)");
  ASSERT_TRUE(machine.code);
  const float a[3] = {1.0f, 2.0f, 4.0f};
  std::memcpy(machine.in, a, sizeof a);
  WarpRun run = machine.run(4);
  const std::vector<Breakpoint> body = {{0, 10, {}}};
  const char* expected[3][3] = {{"0", "0.5", "0"}, {"1", "0.5", "0.5"}, {"2", "8", "1"}};
  for (const auto& [i, product, sum] : expected) {
    ASSERT_EQ(run.resume(body), 0);
    EXPECT_EQ(show(run, "i"), i);
    EXPECT_EQ(show(run, "product"), product);
    EXPECT_EQ(show(run, "sum"), sum);
  }
  EXPECT_EQ(run.resume(body), -1);
}

TEST(Values, OfArraysInRegistersAreThoseOfTheSource) {
  Machine machine(R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer In { float a[]; } source;
layout(binding = 1) buffer Result { float b[]; } result;
void main() {
  float block[3];
  for (int i = 0; i < 3; ++i) block[i] = source.a[i];
  for (int i = 0; i < 3; ++i) {
    block[i] += block[(i + 1) % 3];
  }
  result.b[gl_LocalInvocationIndex] = block[0] + block[1] * block[2];
}
)");
  ASSERT_TRUE(machine.code);
  for (const isa::Inst& inst : machine.program->ordinary.code)
    EXPECT_FALSE((inst.op == isa::Opcode::Ld || inst.op == isa::Opcode::St) &&
                 static_cast<isa::Space>(inst.sub) == isa::Space::Scratch);
  const float a[3] = {1.0f, 2.0f, 4.0f};
  std::memcpy(machine.in, a, sizeof a);
  WarpRun run = machine.run(4);
  const std::vector<Breakpoint> body = {{0, 9, {}}};
  for (const char* expected : {"[1, 2, 4]", "[3, 2, 4]", "[3, 6, 4]"}) {
    ASSERT_EQ(run.resume(body), 0);
    EXPECT_EQ(show(run, "block"), expected);
  }
  const std::vector<Breakpoint> end = {{0, 11, {}}};
  ASSERT_EQ(run.resume(end), 0);
  EXPECT_EQ(show(run, "block"), "[3, 6, 7]");
}

TEST(Values, HaveNamesWithoutDebugInformationToo) {
  Machine machine(kCalls, "-g0");
  ASSERT_TRUE(machine.program);
  EXPECT_TRUE(std::any_of(machine.program->variables.begin(), machine.program->variables.end(),
                          [](const Variable& v) { return v.unnamed; }));
  Machine lines(kCalls, "-g");  // OpLine and OpName
  ASSERT_TRUE(lines.code);
  WarpRun run = lines.run(2);
  const std::vector<Breakpoint> end = {{0, 18, {}}};
  ASSERT_EQ(run.resume(end), 0);
  EXPECT_EQ(show(run, "sum"), "15");
}

TEST(Stepping, GoesOnBehindABarrier) {
  Machine machine(R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 1) buffer Result { uint b[]; } result;
shared uint values[8];
void main() {
  uint mine = gl_LocalInvocationIndex * 3u;
  values[gl_LocalInvocationIndex] = mine;
  barrier();
  uint other = values[7u - gl_LocalInvocationIndex];
  result.b[gl_LocalInvocationIndex] = other;
}
)");
  ASSERT_TRUE(machine.code);
  {
    WarpRun run = machine.run(1);
    ASSERT_EQ(run.finish(), abi::WarpStatus::AtBarrier);
  }
  WarpRun run = machine.run(1);
  const std::vector<Breakpoint> last = {{0, 10, {}}};
  ASSERT_EQ(run.resume(last), 0);
  EXPECT_EQ(show(run, "mine"), "3");
  EXPECT_EQ(show(run, "other"), "18");
  EXPECT_EQ(show(run, "values"), "[0, 3, 6, 9, 12, 15, 18, 21]");
}

}  // namespace
}  // namespace etzel::debugger::test
