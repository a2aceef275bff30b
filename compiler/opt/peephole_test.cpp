#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

TEST(SimplifyPass, NegatedComparisonsAreTheOppositeOnes) {
  expectPass("simplify",
             "fcmp.olt.f32 r0.x, r1.x, r1.y\n"
             "not.i32 r0.y, r0.x\n"
             "icmp.ult.i32 r2.x, r1.x, r1.y\n"
             "icmp.eq.i32 r2.y, r2.x, c0.x\n",
             "fcmp.olt.f32 r0.x, r1.x, r1.y\n"
             "fcmp.uge.f32 r0.y, r1.x, r1.y\n"
             "icmp.ult.i32 r2.x, r1.x, r1.y\n"
             "icmp.uge.i32 r2.y, r1.x, r1.y\n");
}

TEST(SimplifyPass, ButNotOfOperandsThatChanged) {
  const std::string text = "fcmp.olt.f32 r0.x, r1.x, r1.y\nldimm r1.x, #1\nnot.i32 r0.y, r0.x\n";
  expectPass("simplify", text, text);
}

TEST(SimplifyPass, BooleansAreNotComparedWithZeroAgain) {
  expectPass("simplify",
             "fisnan.f32 r0.x, r1.x\n"
             "icmp.ne.i32 r0.y, r0.x, c0.x\n"
             "sel r0.z, r0.x, c0.z, c0.x\n",
             "fisnan.f32 r0.x, r1.x\n"
             "xmov r0.y, r0.x\n"
             "xmov r0.z, r0.x\n");
}

TEST(SimplifyPass, NeutralOperandsLeaveTheOtherOne) {
  expectPass("simplify",
             "iadd.i32 r0.x, r1.x, c0.x\n"
             "iadd.i32 r0.y, c0.x, r1.y\n"
             "isub.i32 r0.z, c0.x, r1.x\n"
             "imul.i32 r0.w, r1.x, c0.y\n"
             "shl.i32 r2.x, r1.x, c0.x\n",
             "xmov r0.x, r1.x\n"
             "xmov r0.y, r1.y\n"
             "isub.i32 r0.z, c0.x, r1.x\n"
             "xmov r0.w, r1.x\n"
             "xmov r2.x, r1.x\n");
}

TEST(SimplifyPass, AnIfThatOnlyBranchesIsABranch) {
  expectPass("simplify",
             "block\n"
             "if r0.x\n"
             "br #0\n"
             "endif\n"
             "xmov o1.x, r0.y\n"
             "endblock\n",
             "block\n"
             "brc r0.x, #0\n"
             "xmov o1.x, r0.y\n"
             "endblock\n");
}

}  // namespace
}  // namespace etzel::opt
