#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

TEST(FoldConstantsPass, KnownOperandsGiveAKnownResult) {
  expectPass("fold-constants",
             "ldimm r0.x, #3\n"
             "iadd.i32 r0.y, r0.x, c0.w\n"
             "xmov o1.x, r0.y\n",
             ".const 0 1 0xffffffff 2\n"
             ".const 3 5 0 0\n"
             "ldimm r0.x, #3\n"
             "ldimm r0.y, #5\n"
             "xmov o1.x, c1.y\n");
}

TEST(FoldConstantsPass, ReadersTakeConstantsFromTheBank) {
  expectPass("fold-constants",
             "ldimm r0.x, #1\n"
             "iadd.i32 o1.x, i0.x, r0.x\n"
             ".stage vertex\n",
             "ldimm r0.x, #1\n"
             "iadd.i32 o1.x, i0.x, c0.y\n"
             ".stage vertex\n");
}

TEST(FoldConstantsPass, AWordWrittenTwiceIsNotKnown) {
  const std::string text = "ldimm r0.x, #3\nif i0.x\nldimm.m r0.x, #4\nendif\nxmov o1.x, r0.x\n.stage vertex\n";
  expectPass("fold-constants", text, text);
}

TEST(FoldConstantsPass, TablesAreReadWhileCompiling) {
  expectPass("fold-constants",
             ".const 4 0 0 0\n"
             ".table 7 8 9\n"
             "ld.table.i32 r0.x, -, c0.x, #4\n"
             "ld.table.i32 r1.x, -, c0.x, #64\n",
             ".const 4 0 0 0\n"
             "ldimm r0.x, #9\n"
             "ldimm r1.x, #0\n");
}

}  // namespace
}  // namespace etzel::opt
