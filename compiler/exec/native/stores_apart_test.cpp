// Stores whose lanes lie a distance apart that the program says: of every size and count, by all lanes or some, with
// lanes that lie behind the buffer's end.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kWords;

/// Stores what a lane has, eight words that no other has, to C; by those that B's own words name.
std::string storing(uint32_t bytes, uint32_t count, const char* distance, bool always) {
  std::string text = std::string("shl.i32 r3.x, r0.x, c2.x\nld.buffer.i32.x8 r1.x, c1.x, r3.x, #0\n") + distance +
                     "ld.buffer.i32 r3.z, c1.y, r0.x, #0\nand.i32 r3.z, r3.z, c0.z\n";
  if (!always) text += "if r3.z\n";
  text += "st.buffer.i" + std::to_string(bytes * 8) + (count > 1 ? ".x" + std::to_string(count) : "") +
          " c1.z, r3.y, r1.x, #4\n";
  return text + (always ? "" : "endif\n");
}

TEST(StoresApart, WriteTheInterpretersBytes) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  for (const char* distance :
       {"imul.i32 r3.y, r7.x, c2.y\n", "imul.i32 r3.y, r7.x, c3.z\n", "imul.i32 r3.y, r7.x, c3.y\n",
        "shl.i32 r3.y, r0.x, c2.x\n", "imul.i32 r3.y, r7.x, c3.x\n"})
    for (const uint32_t bytes : {1u, 2u, 4u, 8u})
      for (const uint32_t count : {1u, 2u, 3u, 4u, 8u})
        for (const bool always : {false, true}) {
          if (bytes * count > 32) continue;
          const std::string text = storing(bytes, count, distance, always);
          const auto kernel = exec::test::assembled(text, Shape::Line);
          ASSERT_TRUE(kernel);
          auto native = jit->compile(compiler::programOf(*kernel));
          ASSERT_TRUE(native.ok()) << native.error().message;
          Group expected(*kernel, Shape::Line), actual(*kernel, Shape::Line);
          ASSERT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
          ASSERT_EQ(actual.run(*(*native)->executable()), abi::WarpStatus::Done);
          for (uint32_t i = 0; i < kWords; ++i)
            ASSERT_EQ(actual.memory[2][i], expected.memory[2][i]) << text << ", word " << i;
        }
}

/// Stores `count` words that lie side by side, one after the other, from where a lane's place and `from` bytes are.
std::string storingWords(uint32_t count, const char* distance, const std::string& from, bool always) {
  std::string text = std::string("shl.i32 r3.x, r0.x, c2.x\nld.buffer.i32.x8 r1.x, c1.x, r3.x, #0\n") + distance +
                     from + "ld.buffer.i32 r3.z, c1.y, r0.x, #0\nand.i32 r3.z, r3.z, c0.z\n";
  if (!always) text += "if r3.z\n";
  for (uint32_t w = 0; w < count; ++w) {
    const std::string word = std::string(w < 4 ? "r1." : "r2.") + "xyzw"[w % 4];
    text += "st.buffer.i32 c1.z, r3.y, " + word + ", #0\niadd.i32 r3.w, r3.y, c0.w\nxmov r3.y, r3.w\n";
  }
  return text + (always ? "" : "endif\n");
}

// With places behind the buffer's end, and some that turn over 2^32 between two words of a lane.
TEST(StoresApart, OneAfterTheOtherWriteTheInterpretersBytes) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  for (const char* distance :
       {"imul.i32 r3.y, r7.x, c3.z\n", "shl.i32 r3.y, r7.x, c2.x\n", "shl.i32 r3.y, r0.x, c2.x\n"})
    for (const char* from : {"", "iadd.i32 r3.y, r3.y, c0.w\n", "isub.i32 r3.y, r3.y, c0.w\n",
                             "isub.i32 r3.y, r3.y, c2.y\n", "iadd.i32 r3.y, r3.y, r0.z\n"})
      for (const uint32_t count : {2u, 3u, 4u, 5u, 8u})
        for (const bool always : {false, true})
          for (const auto shape : {Shape::Line, Shape::Rows}) {
            const std::string text = storingWords(count, distance, from, always);
            const auto kernel = exec::test::assembled(text, shape);
            ASSERT_TRUE(kernel);
            auto native = jit->compile(compiler::programOf(*kernel));
            ASSERT_TRUE(native.ok()) << native.error().message;
            Group expected(*kernel, shape), actual(*kernel, shape);
            for (Group* group : {&expected, &actual}) group->push(0, uint32_t(-12));
            ASSERT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
            ASSERT_EQ(actual.run(*(*native)->executable()), abi::WarpStatus::Done);
            for (uint32_t i = 0; i < kWords; ++i)
              ASSERT_EQ(actual.memory[2][i], expected.memory[2][i]) << text << ", word " << i;
          }
}

}  // namespace
}  // namespace etzel::native
