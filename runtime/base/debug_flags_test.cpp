#include "runtime/base/debug_flags.h"

#include <gtest/gtest.h>

namespace etzel {
namespace {

TEST(DebugFlags, AListSetsItsFlagsAndUnknownWordsAreIgnored) {
  const auto bit = [](DebugFlag f) { return 1u << static_cast<uint32_t>(f); };
  EXPECT_EQ(parseDebugSettings("").flags, 0u);
  EXPECT_EQ(parseDebugSettings("no-jit,,errors").flags, bit(DebugFlag::NoJit) | bit(DebugFlag::Errors));
  EXPECT_EQ(parseDebugSettings("no-such-flag,no-fmask").flags, bit(DebugFlag::NoFmask));
}

TEST(DebugFlags, OptionsHaveValuesAndFlagsHaveNone) {
  const auto isa = [](std::string_view list) {
    return parseDebugSettings(list).option[static_cast<size_t>(DebugOption::Isa)];
  };
  EXPECT_EQ(isa("no-jit"), "");
  EXPECT_EQ(isa("no-jit,isa=x86_64_v1,errors"), "x86_64_v1");
  EXPECT_EQ(isa("isa"), "");
  EXPECT_EQ(parseDebugSettings("isa=x86_64_v1,no-jit=1").flags, 0u);
}

}  // namespace
}  // namespace etzel
