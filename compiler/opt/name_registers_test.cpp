#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

TEST(NameRegistersPass, OutputsAtKnownIndicesAreRegisters) {
  expectPass("name-registers",
             "st.out.i32.x2 -, c0.y, r0.x, #4\n"
             "st.out.i32 -, -, r0.x, #6\n",
             "xmov.m o1.y, r0.x\n"
             "xmov.m o1.z, r0.y\n"
             "xmov.m o1.z, r0.x\n");
}

TEST(NameRegistersPass, OutputsAreReadToo) {
  expectPass("name-registers", "ld.out.i32.x2 r0.x, -, c0.y, #4\n",
             "xmov r0.x, o1.y\n"
             "xmov r0.y, o1.z\n");
}

TEST(NameRegistersPass, IndicesThatAreNotKnownStay) {
  const char* const listing =
      "ldimm r1.x, #1\n"
      "st.out.i32 -, r1.x, r0.x, #4\n";
  expectPass("name-registers", listing, listing);
}

TEST(NameRegistersPass, WhatLiesBeyondTheRegistersStays) {
  const char* const listing = "st.out.i32.x4 -, c0.w, r0.x, #85\n";
  expectPass("name-registers", listing, listing);
}

}  // namespace
}  // namespace etzel::opt
