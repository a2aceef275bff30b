// Programs with base instructions stay with the executors that know them: their registers begin as zeros, and nop or
// end as a call of its handler from LLVM's code would set them to zeros in the middle of the program.
#include <gtest/gtest.h>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"

namespace etzel::native {
namespace {

TEST(BaseInstructions, HaveNoNativeForm) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  const auto compile = [&](const std::string& last) {
    const auto kernel = exec::test::assembled("xmov.m r4.x, c0.y\n" + last + "st.buffer.i32 c1.z, r0.x, r4.x, #0\n",
                                              exec::test::Shape::Line);
    EXPECT_TRUE(kernel) << last;
    return jit->compile(compiler::programOf(*kernel));
  };
  EXPECT_TRUE(compile("").ok());
  for (const char* base : {"nop\n", "end\n", "mov r5, r4\n"}) {
    const auto native = compile(base);
    ASSERT_FALSE(native.ok()) << base;
    EXPECT_EQ(native.error().code, ErrorCode::Unsupported) << base;
  }
}

}  // namespace
}  // namespace etzel::native
