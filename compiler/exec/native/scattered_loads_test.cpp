// Loads whose lanes lie anywhere: of every size and count, with lanes that do not run or lie behind the buffer's end.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kWords;

/// Loads `words` from A where D's own word says, if B's own word says so; what came goes into one word.
std::string loading(const std::string& load, uint32_t words, bool always) {
  const auto word = [](uint32_t first, uint32_t w) {
    return "r" + std::to_string(first + w / 4) + "." + "xyzw"[w % 4];
  };
  std::string text = "ld.buffer.i32 r3.x, c1.w, r0.x, #0\nld.buffer.i32 r3.y, c1.y, r0.x, #0\nxmov.m r4.x, c0.y\n";
  for (uint32_t w = 0; w < words; ++w) text += "xmov.m " + word(1, w) + ", c0.x\n";
  if (!always) text += "if r3.y\n";
  text += load;
  for (uint32_t w = 0; w < words; ++w) text += "xmov.m " + word(1, w) + ", " + word(5, w) + "\n";
  if (!always) text += "endif\n";
  for (uint32_t w = 0; w < words; ++w) text += "imul.i32 r4.y, r4.x, c2.z\niadd.i32 r4.x, r4.y, " + word(1, w) + "\n";
  return text + "st.buffer.i32 c1.z, r0.x, r4.x, #0\n";
}

/// Where lanes read, of 1,024 bytes.
enum class Places { Inside, SomeOutside, IdleOutside, Wrapping, Row };

void place(Group& g, Places places, uint32_t bytesOfLoad) {
  std::minstd_rand random(static_cast<uint32_t>(places) + bytesOfLoad);
  for (uint32_t i = 0; i < kWords; ++i) {
    const uint32_t inside = random() % (1024 - 80), far = 1024 - random() % 32;
    const bool odd = random() % 3 == 0;
    const bool runs = random() % 4 != 0;
    g.memory[1][i] = places == Places::IdleOutside ? !odd : runs;
    g.memory[3][i] = places == Places::Row        ? i * bytesOfLoad
                     : places == Places::Inside   ? inside
                     : !odd                       ? inside
                     : places == Places::Wrapping ? 0u - random() % 70
                                                  : far;
  }
}

TEST(ScatteredLoads, GiveTheInterpretersBytes) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  for (const uint32_t bytes : {1u, 2u, 4u, 8u})
    for (const uint32_t count : {1u, 2u, 3u, 4u, 8u})
      for (const bool always : {false, true}) {
        if (bytes * count > 32) continue;
        const std::string load = "ld.buffer.i" + std::to_string(bytes * 8) +
                                 (count > 1 ? ".x" + std::to_string(count) : "") + " r5.x, c1.x, r3.x, #6\n";
        const auto kernel = exec::test::assembled(loading(load, count * std::max(bytes / 4, 1u), always), Shape::Line);
        ASSERT_TRUE(kernel);
        auto native = jit->compile(compiler::programOf(*kernel));
        ASSERT_TRUE(native.ok()) << native.error().message;
        for (const Places places :
             {Places::Inside, Places::SomeOutside, Places::IdleOutside, Places::Wrapping, Places::Row}) {
          Group expected(*kernel, Shape::Line), actual(*kernel, Shape::Line);
          for (Group* g : {&expected, &actual}) place(*g, places, bytes * count);
          ASSERT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
          ASSERT_EQ(actual.run(*(*native)->executable()), abi::WarpStatus::Done);
          for (uint32_t i = 0; i < kWords; ++i)
            ASSERT_EQ(actual.memory[2][i], expected.memory[2][i])
                << load << "places " << static_cast<int>(places) << ", word " << i;
        }
      }
}

}  // namespace
}  // namespace etzel::native
