#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

TEST(PropagateCopiesPass, ReadersOfACopyReadTheOriginal) {
  expectPass("propagate-copies",
             "xmov r1.x, r0.x\n"
             "xmov r2.x, r1.x\n"
             "fadd.f32 o1.x, r2.x, r1.x\n",
             "xmov r1.x, r0.x\n"
             "xmov r2.x, r0.x\n"
             "fadd.f32 o1.x, r0.x, r0.x\n");
}

TEST(PropagateCopiesPass, UntilTheOriginalIsWrittenAgain) {
  const std::string text = "xmov r1.x, r0.x\nldimm r0.x, #1\nxmov o1.x, r1.x\n";
  expectPass("propagate-copies", text, text);
}

TEST(PropagateCopiesPass, OnlyWhereTheCopyHasHappened) {
  const std::string text = "if c0.y\nxmov r1.x, r0.x\nendif\nxmov o1.x, r1.x\n";
  expectPass("propagate-copies", text, text);
}

TEST(PropagateCopiesPass, AVectorOfCopiesIsCopiedWordByWord) {
  expectPass("propagate-copies",
             "xmov r1.x, r0.y\n"
             "xmov r1.y, c0.x\n"
             "xmov.x2 o1.x, r1.x\n",
             "xmov r1.x, r0.y\n"
             "xmov r1.y, c0.x\n"
             "xmov o1.x, r0.y\n"
             "xmov o1.y, c0.x\n");
}

}  // namespace
}  // namespace etzel::opt
