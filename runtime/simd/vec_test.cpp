// Runs vec_cases_simd_test.cpp as compiled for each target that this host has.
#include <gtest/gtest.h>

#include "runtime/simd/cpu.h"
#include "runtime/simd/vec_cases.h"

namespace etzel::simd {
namespace {

void runAll(std::span<const VecCase> cases) {
  for (const VecCase& c : cases) {
    SCOPED_TRACE(c.name);
    c.run();
    if (testing::Test::HasFailure()) return;  // one case's hundreds of lines are enough
  }
}

TEST(Vec, OperationsFollowTheirDefinitionOnEveryTarget) {
  for (const auto& variant : ETZEL_VARIANTS(kVecCases)) {
    if (!hostRuns(variant.target)) continue;
    SCOPED_TRACE(targetName(variant.target));
    runAll(*variant.of);
  }
}

TEST(Vec, OperationsFollowTheirDefinitionWithoutVectorInstructions) { runAll(plain::kVecCases); }

TEST(Cpu, TheChosenTargetIsOneThatTheHostRuns) {
  EXPECT_TRUE(hostRuns(Target::ETZEL_BASELINE));
  EXPECT_TRUE(hostRuns(target()));
#ifdef __x86_64__
  EXPECT_EQ(target() == Target::x86_64_v3, cpu().avx2 && cpu().fma && cpu().f16c && cpu().bmi2);
  EXPECT_EQ(targetName(Target::x86_64_v3), "x86_64_v3");
#else
  EXPECT_EQ(targetName(target()), "neon");
#endif
}

}  // namespace
}  // namespace etzel::simd
