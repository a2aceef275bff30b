#include "runtime/base/assert.h"

#include <gtest/gtest.h>

namespace etzel {
namespace {

[[maybe_unused]] void needsThree(int n) { ETZEL_ASSERT(n == 3); }

#ifdef ETZEL_ASSERTIONS
TEST(AssertDeathTest, ABrokenContractNamesItselfAndEndsTheProcess) {
  needsThree(3);
  EXPECT_DEATH(needsThree(4), "assert_test.cpp:[0-9]+: broken contract: n == 3");
}
#else
TEST(Assert, OptimizedBuildsDoNotEvaluateContracts) {
  int evaluated = 0;
  ETZEL_ASSERT(++evaluated > 0);
  EXPECT_EQ(evaluated, 0);
}
#endif

}  // namespace
}  // namespace etzel
