#include "runtime/base/debug_flags.h"

#include <gtest/gtest.h>

namespace etzel {
namespace {

TEST(DebugFlags, AListSetsItsFlagsAndUnknownWordsAreIgnored) {
  const auto bit = [](DebugFlag f) { return 1u << static_cast<uint32_t>(f); };
  EXPECT_EQ(parseDebugFlags(""), 0u);
  EXPECT_EQ(parseDebugFlags("no-jit,,errors"), bit(DebugFlag::NoJit) | bit(DebugFlag::Errors));
  EXPECT_EQ(parseDebugFlags("no-such-flag,no-fmask"), bit(DebugFlag::NoFmask));
}

}  // namespace
}  // namespace etzel
