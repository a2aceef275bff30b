// Traces of whole invocations.
#include <gmock/gmock.h>

#include "compiler/debug/test_shader.h"
#include "compiler/debug/trace.h"

namespace etzel::debugger::test {
namespace {

/// "line: name=value name=value" for each line that ran.
std::vector<std::string> traced(Machine& machine, uint32_t lane) {
  std::vector<std::string> lines;
  Tracer tracer(*machine.program, lane, [&](const TracedLine& line) {
    std::string text = std::to_string(line.frame.position.line) + ':';
    for (const TracedLine::Change& c : line.changes)
      text += ' ' + machine.program->variables[c.variable].name + '=' + toText(*machine.program, c.value);
    lines.push_back(text);
  });
  while (tracer.run(*machine.code, &machine.warp) == abi::WarpStatus::AtBarrier) lines.push_back("barrier");
  return lines;
}

TEST(Trace, TellsEachLineWithWhatItChanged) {
  Machine machine(R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 1) buffer Result { float b[]; } result;
shared float all[8];
void twice(inout float x) {
  x *= 2.0;
}
void main() {
  float f = float(gl_LocalInvocationIndex);
  twice(f);
  if (f > 4.0) {
    f += 0.5;
  }
  all[gl_LocalInvocationIndex] = f;
  barrier();
  vec2 v = vec2(f, all[0]);
  result.b[gl_LocalInvocationIndex] = v.x;
}
)");
  ASSERT_TRUE(machine.code);
  EXPECT_THAT(traced(machine, 3), testing::ElementsAre("9: f=3", "10:", "6: x=6", "10: f=6", "11:", "12: f=6.5",
                                                       "14: all=[0, 2, 4, 6.5, 8.5, 10.5, 12.5, 14.5]",
                                                       "15:", "barrier", "16: v=(6.5, 0)", "17:"));
}

TEST(Trace, WithoutLinesTellsValuesByTheirIds) {
  Machine machine(R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 1) buffer Result { float b[]; } result;
void main() { result.b[gl_LocalInvocationIndex] = float(gl_LocalInvocationIndex) * 2.0 + 1.0; }
)",
                  "-g0");
  ASSERT_TRUE(machine.code);
  const std::vector<std::string> lines = traced(machine, 5);
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines, testing::Contains(testing::MatchesRegex("0: %[0-9]+=11")));
}

TEST(Trace, IsWrittenAsJson) {
  Machine machine(R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 1) buffer Result { float b[]; } result;
void main() {
  vec2 v = vec2(1.0, 0.5);
  result.b[0] = v.x;
}
)");
  ASSERT_TRUE(machine.code);
  std::vector<std::string> lines;
  Tracer tracer(*machine.program, 0, [&](const TracedLine& line) { lines.push_back(toJson(*machine.program, line)); });
  EXPECT_EQ(tracer.run(*machine.code, &machine.warp), abi::WarpStatus::Done);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], testing::HasSubstr(R"x("function":"main","depth":1,"text":"vec2 v = vec2(1.0, 0.5);")x"));
  EXPECT_THAT(lines[0],
              testing::HasSubstr(R"x("changed":[{"name":"v","type":"vec2","value":[1,0.5],"shown":"(1, 0.5)"}])x"));
}

}  // namespace
}  // namespace etzel::debugger::test
