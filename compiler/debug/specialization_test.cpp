// Specialization constants while a warp is stopped.
#include <bit>

#include "compiler/debug/expression.h"
#include "compiler/debug/scope.h"
#include "compiler/debug/test_group.h"

namespace etzel::debugger::test {
namespace {

const char kSpecialized[] = R"(#version 450
layout(local_size_x = 8) in;
layout(constant_id = 3) const uint kCount = 5;
layout(constant_id = 4) const float kScale = 0.5;
layout(constant_id = 5) const bool kOn = true;
const uint kTwice = kCount * 2u;
layout(binding = 1) buffer Result { float b[]; } result;
void main() {
  uint id = gl_LocalInvocationIndex;
  if (kOn) result.b[id] = kScale * float(kTwice);
}
)";

class Specialization : public testing::TestWithParam<const char*> {
 protected:
  Specialization() : words_(compileGlsl(kSpecialized, "comp", GetParam())), group_(words_, 1) {}

  /// The shader with its constants, by their numbers.
  std::shared_ptr<const Debuggable> specialized(const std::map<uint32_t, uint32_t>& constants) {
    compiler::ShaderSource source = sourceOf(words_, abi::Stage::Compute);
    for (const auto& [number, value] : constants)
      for (uint32_t i = 0; i < 4; ++i) source.specialization[number].push_back(static_cast<uint8_t>(value >> 8 * i));
    auto made = makeDebuggable(source);
    return made ? *made : nullptr;
  }

  /// What an expression is in the second line of main().
  std::string show(const std::map<uint32_t, uint32_t>& constants, const std::string& expression) {
    const auto what = specialized(constants);
    if (!what) return "the shader does not compile";
    GroupRun run(what, group_.list(), 1 << 20);
    run.forward(Go::Into, 0, {});
    run.forward(Go::Into, 0, {});
    const auto value = evaluate(run.program(), expression, namesIn(run, 0, 0));
    return value ? toText(run.program(), *value) : value.error().message;
  }

  std::vector<uint32_t> words_;
  Group group_;
};

TEST_P(Specialization, ConstantsHaveTheirValues) {
  const std::map<uint32_t, uint32_t> given = {{3, 7}, {4, std::bit_cast<uint32_t>(0.75f)}};
  EXPECT_EQ(show(given, "kCount"), "7");
  EXPECT_EQ(show(given, "kScale"), "0.75");
  EXPECT_EQ(show(given, "kOn"), "true");
  EXPECT_EQ(show(given, "kTwice"), "14") << "an operation on one";
  EXPECT_EQ(show(given, "kCount * 2u + 1u"), "15");
  EXPECT_EQ(show({{5, 0}}, "kOn"), "false");
}

TEST_P(Specialization, WithoutOneConstantsHaveTheValuesOfTheModule) {
  EXPECT_EQ(show({}, "kCount"), "5");
  EXPECT_EQ(show({}, "kScale"), "0.5");
}

TEST_P(Specialization, ConstantsCannotBeStoredTo) {
  ASSERT_TRUE(group_.what);
  GroupRun run(group_.what, group_.list(), 1 << 20);
  run.forward(Go::Into, 0, {});
  run.forward(Go::Into, 0, {});
  for (const uint32_t v : variablesOf(run, 0, 0, ScopeKind::Globals)) {
    if (run.program().variables[v].name != "kCount") continue;
    const auto value = evaluate(run.program(), "8u", namesIn(run, 0, 0));
    ASSERT_TRUE(value.ok());
    EXPECT_FALSE(assign(run, 0, v, {}, *value).ok());
    return;
  }
  FAIL() << "there is no kCount among the globals";
}

/// With debug information, and with names alone.
INSTANTIATE_TEST_SUITE_P(Modules, Specialization, testing::Values("-gVS", "-g"));

}  // namespace
}  // namespace etzel::debugger::test
