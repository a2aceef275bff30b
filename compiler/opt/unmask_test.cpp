#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

TEST(UnmaskPass, WhatAllLanesWriteForgetsOldValues) {
  expectPass("unmask",
             "xmov.m r1.x, r0.x\n"
             "if r0.x\n"
             "xmov.m r1.x, r0.y\n"
             "endif\n"
             "xmov.m r2.x, r1.x\n",
             "xmov r1.x, r0.x\n"
             "if r0.x\n"
             "xmov.m r1.x, r0.y\n"
             "endif\n"
             "xmov r2.x, r1.x\n");
}

TEST(UnmaskPass, BehindAPlaceThatLanesMayEndAtNothingChanges) {
  expectPass("unmask",
             "xmov.m r1.x, r0.x\n"
             "if r0.x\n"
             "ret\n"
             "endif\n"
             "xmov.m r1.x, r0.y\n",
             "xmov r1.x, r0.x\n"
             "if r0.x\n"
             "ret\n"
             "endif\n"
             "xmov.m r1.x, r0.y\n");
}

}  // namespace
}  // namespace etzel::opt
