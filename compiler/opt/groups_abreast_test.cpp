// Which compute programs may have lanes of several workgroups.
#include "runtime/abi/groups_abreast.h"

#include <gtest/gtest.h>

#include "compiler/isa/assemble.h"
#include "compiler/isa/info.h"
#include "compiler/opt/passes.h"

namespace etzel::opt {
namespace {

bool liesAbreast(const std::string& text, const std::string& local = "1 64 1") {
  auto program =
      isa::assemble(".stage compute\n.temps 40\n.local " + local + "\n.resource 0 0 0 32 1\n.const 0 1 4 16\n" + text);
  EXPECT_TRUE(program.ok()) << program.error().message << "\n" << text;
  if (!program.ok()) return false;
  isa::deriveInfo(*program);
  layGroupsAbreast(*program);
  return abi::groupsLieAbreast(program->info);
}

// Global x and y; a fetch of a 2D image's level 0 there.
const std::string kPlace = "sys r0.x, #0x21\nsys r0.y, #0x22\n";
const std::string kFetch = "texture r2.x, c0.x, r0.x, -, #0x811\n";
const std::string kStore = "st.buffer.i32 c0.x, r0.x, r2.x, #0\n";

TEST(GroupsAbreastPass, ColumnsThatReadTexelsDo) {
  EXPECT_TRUE(liesAbreast(kPlace + kFetch + kStore));
  EXPECT_TRUE(liesAbreast(kPlace + "if r0.y\n" + kFetch + kStore + "endif\n"));
  EXPECT_TRUE(liesAbreast("sys r0.x, #0x28\nsys r0.y, #0x27\n" + kFetch + kStore));
  EXPECT_FALSE(liesAbreast(kPlace + kFetch + kStore, "8 8 1"));
  EXPECT_FALSE(liesAbreast(kPlace + kStore));  // nobody knows how a buffer's contents lie
}

TEST(GroupsAbreastPass, WorkgroupsOfOneInvocationDo) {
  EXPECT_TRUE(liesAbreast(kPlace + kStore, "1 1 1"));
  EXPECT_FALSE(liesAbreast("sys r0.x, #0x22\n" + kStore, "1 1 1"));  // those of a row are all alike
}

TEST(GroupsAbreastPass, NobodyMayTell) {
  const auto both = [](const std::string& more) { return liesAbreast(kPlace + kFetch + more + kStore); };
  EXPECT_TRUE(both(""));
  EXPECT_FALSE(both("sgballot r3.x, r0.x\n"));
  EXPECT_FALSE(both("sgshuffle r3.x, r0.x, c0.y\n"));
  EXPECT_FALSE(both("sys r3.x, #0x30\n"));  // the lane's number
  EXPECT_FALSE(both("barrier\n"));
  EXPECT_FALSE(both("membar\n"));
  EXPECT_FALSE(both("atom.buffer.add.i32 r3.x, c0.x, r0.x, r2.x, #0\n"));
  EXPECT_FALSE(both("ld.shared.i32 r3.x, -, r0.x, #0\n"));
  EXPECT_FALSE(both("clock r3.x\n"));
  EXPECT_FALSE(both("ddxf.f32 r3.x, r2.x\n"));
}

}  // namespace
}  // namespace etzel::opt
