// Which fragment programs give all fragments of a primitive the same colour.
#include "compiler/opt/one_color.h"

#include <gtest/gtest.h>

#include "compiler/isa/assemble.h"
#include "compiler/isa/info.h"

namespace etzel::opt {
namespace {

bool hasOneColor(const std::string& text, const std::string& stage = "fragment") {
  auto program =
      isa::assemble(".stage " + stage + "\n.temps 40\n.resource 0 0 0 32 1\n.const 1 2 0x3f000000 0\n" + text);
  EXPECT_TRUE(program.ok()) << program.error().message << "\n" << text;
  if (!program.ok()) return false;
  isa::deriveInfo(*program);
  return givesOneColor(*program);
}

TEST(OneColor, ConstantsFlatInputsAndBuffersAreAlike) {
  EXPECT_TRUE(hasOneColor("xmov o1.x, c0.z\nret\n"));
  EXPECT_TRUE(hasOneColor("flat r0.x, #0x10\nfmul.f32 o1.x, r0.x, c0.z\nret\n"));
  EXPECT_TRUE(hasOneColor("ld.push.i32 r0.x, -, -, #4\nxmov o1.x, r0.x\nret\n"));
  EXPECT_TRUE(hasOneColor("ld.buffer.i32 r0.x, c0.w, c0.x, #4\nxmov o1.x, r0.x\nret\n"));
  EXPECT_TRUE(hasOneColor("flat r0.x, #0x10\nif r0.x\nxmov o1.x, c0.z\nendif\nret\n"));
}

TEST(OneColor, SystemValuesMustBeThePrimitives) {
  const auto reads = [](abi::SysValue v) {
    return hasOneColor("sys r0.x, #" + std::to_string(static_cast<uint32_t>(v)) + "\nxmov o1.x, r0.x\nret\n");
  };
  for (uint32_t v = 0; v < abi::kSysValueCount; ++v) {
    const auto value = static_cast<abi::SysValue>(v);
    const abi::SysFragments of = abi::sysValueInfo(value).fragments;
    if (of == abi::SysFragments::None) continue;
    EXPECT_EQ(reads(value), of == abi::SysFragments::Primitive) << v;
  }
}

TEST(OneColor, WhateverDiffersByFragmentTakesItAway) {
  EXPECT_FALSE(hasOneColor("bary.center r8.x, -, -\nintrp r9.x, r8.x, r8.y, #0x10\nxmov o1.y, r9.x\nret\n"));
  EXPECT_FALSE(hasOneColor("helper r0.x\nxmov o1.x, r0.x\nret\n"));
  EXPECT_FALSE(hasOneColor("sgballot r0.x, c0.x\nxmov o1.x, r0.x\nret\n"));
  EXPECT_FALSE(hasOneColor("ddxf.f32 r0.x, c0.z\nxmov o1.x, r0.x\nret\n"));
  EXPECT_FALSE(
      hasOneColor("xmov r1.x, c0.x\nxmov r1.y, c0.x\nxmov r1.z, c0.x\n"
                  "texture r2.x, c0.w, r1.x, -, #0x911\nxmov o1.x, r2.x\nret\n"));
}

TEST(OneColor, WhatElseHappensTakesItAway) {
  EXPECT_FALSE(hasOneColor("xmov o1.x, c0.z\nkill\n"));
  EXPECT_FALSE(hasOneColor("st.buffer.i32 c0.x, -, c0.y, #0\nxmov o1.x, c0.z\nret\n"));
  EXPECT_FALSE(hasOneColor("xmov o1.x, c0.z\nret\n", "vertex"));
}

}  // namespace
}  // namespace etzel::opt
