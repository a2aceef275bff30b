// Shuffles of eight words to all lanes at once, which read memory while nobody writes the words.
#include <gtest/gtest.h>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kWords;

/// Gives all lanes the words from r1.x on that the lane in `lane` has, and takes them into r5.x.
std::string shuffled(const char* lane) {
  std::string text = std::string("sgshuffle.x8 r3.x, r1.x, ") + lane + "\n";
  for (uint32_t w = 0; w < 8; ++w)
    text += std::string("imul.i32 r5.y, r5.x, c2.z\niadd.i32 r7.y, r5.y, r") + (w < 4 ? "3." : "4.") + "xyzw"[w % 4] +
            "\nxmov.m r5.x, r7.y\n";
  return text;
}

/// Writes between shuffles: in a row, in the rounds of a loop, and by some lanes.
std::string program() {
  return "ld.buffer.i32 r6.x, c1.w, r0.x, #0\nld.buffer.i32.x8 r1.x, c1.x, r0.x, #0\nxmov.m r5.x, c0.y\n"
         "xmov.m r5.z, c0.x\nxmov.m r6.y, c0.x\n" +
         shuffled("c0.x") + shuffled("c0.z") + "iadd.i32 r6.w, r1.z, c2.w\nxmov.m r1.z, r6.w\n" + shuffled("c0.z") +
         "block\nloop\nicmp.uge.i32 r5.w, r5.z, r0.z\nbrc r5.w, #0\n" + shuffled("c0.w") +
         "imul.i32 r6.w, r2.y, c2.x\nxmov.m r2.y, r6.w\n" + shuffled("c0.y") +
         "iadd.i32 r6.w, r5.z, c0.y\nxmov.m r5.z, r6.w\nendloop\nendblock\nif r6.x\nxmov.m r2.w, r0.x\n"
         "sgshuffle.x8 r3.x, r1.x, c0.y\nxmov.m r6.y, r4.w\nendif\n" +
         shuffled("c0.w") + "iadd.i32 r6.w, r5.x, r6.y\nst.buffer.i32 c1.z, r0.x, r6.w, #0\n";
}

TEST(RowShuffles, GiveTheInterpretersBytes) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  const auto kernel = exec::test::assembled(program(), Shape::Line);
  ASSERT_TRUE(kernel);
  auto native = jit->compile(compiler::programOf(*kernel));
  ASSERT_TRUE(native.ok()) << native.error().message;
  for (const uint32_t some : {0u, 1u, 3u}) {  // who writes last
    Group expected(*kernel, Shape::Line), actual(*kernel, Shape::Line);
    for (Group* g : {&expected, &actual})
      for (uint32_t i = 0; i < kWords; ++i) g->memory[3][i] = some ? i % some == 0 : 0;
    ASSERT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
    ASSERT_EQ(actual.run(*(*native)->executable()), abi::WarpStatus::Done);
    for (uint32_t i = 0; i < kWords; ++i) ASSERT_EQ(actual.memory[2][i], expected.memory[2][i]) << some << " " << i;
  }
}

}  // namespace
}  // namespace etzel::native
