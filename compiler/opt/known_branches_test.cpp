#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

TEST(KnownBranchesPass, TheSideThatRunsStaysWithoutItsIf) {
  EXPECT_TRUE(expectPass("known-branches",
                         "if c0.y\n"
                         "xmov o1.x, r0.y\n"
                         "else\n"
                         "xmov o1.x, r0.z\n"
                         "endif\n"
                         "if c0.x\n"
                         "xmov o1.y, r0.y\n"
                         "else\n"
                         "xmov o1.y, r0.z\n"
                         "endif\n",
                         "xmov o1.x, r0.y\n"
                         "xmov o1.y, r0.z\n"));
}

TEST(KnownBranchesPass, WhatLiesInASideThatNeverRunsGoes) {
  EXPECT_TRUE(expectPass("known-branches",
                         "if c0.x\n"
                         "if r0.x\n"
                         "xmov o1.x, r0.y\n"
                         "else\n"
                         "if c0.y\n"
                         "xmov o1.y, r0.y\n"
                         "endif\n"
                         "endif\n"
                         "endif\n"
                         "xmov o1.z, r0.y\n",
                         "xmov o1.z, r0.y\n"));
}

TEST(KnownBranchesPass, OtherIfsStay) {
  const std::string text = "if r0.x\nxmov o1.x, r0.y\nelse\nxmov o1.x, r0.z\nendif\n";
  EXPECT_FALSE(expectPass("known-branches", text, text));
}

}  // namespace
}  // namespace etzel::opt
