#include <gtest/gtest.h>

#include "compiler/opt/pass_test.h"

namespace etzel::opt {
namespace {

TEST(EmptyScopesPass, EmptyIfsAndBlocksGoFromInsideOut) {
  EXPECT_TRUE(expectPass("empty-scopes",
                         "if r0.x\n"
                         "block\n"
                         "endblock\n"
                         "else\n"
                         "endif\n"
                         "xmov o1.x, r0.y\n",
                         "xmov o1.x, r0.y\n"));
}

TEST(EmptyScopesPass, AnEmptyElseGoesAlone) {
  EXPECT_TRUE(expectPass("empty-scopes",
                         "if r0.x\n"
                         "xmov o1.x, r0.y\n"
                         "else\n"
                         "endif\n",
                         "if r0.x\n"
                         "xmov o1.x, r0.y\n"
                         "endif\n"));
}

TEST(EmptyScopesPass, LoopsStay) {
  const std::string text = "block\nloop\nbrc r0.x, #0\nendloop\nendblock\n";
  EXPECT_FALSE(expectPass("empty-scopes", text, text));
}

}  // namespace
}  // namespace etzel::opt
