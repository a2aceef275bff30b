// Loads whose lanes lie near each other, in no row, give what the interpreter reads, wherever they lie.
#include <gtest/gtest.h>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kWords;

constexpr uint32_t kBytes = 300;  // of the buffer that is read; what lies behind it is not zero

/// Loads `count` numbers from where D says, of lanes that have an odd number alone or of all, and stores them to C.
std::string loads(const std::string& type, uint32_t count, bool some) {
  const std::string several = count > 1 ? ".x" + std::to_string(count) : "";
  const char* const words[] = {"x", "y", "z", "w"};
  std::string text = "ld.buffer.i32 r6.x, c1.w, r0.x, #0\nand.i32 r6.z, r7.x, c0.y\n";
  for (const std::string w : words) text += "xmov.m r1." + w + ", c0.x\n";
  if (some) text += "if r6.z\n";
  text += "ld.buffer." + type + several + " r3.x, c1.x, r6.x, #6\n";
  for (uint32_t i = 0; i < count; ++i) text += std::string("xmov.m r1.") + words[i] + ", r3." + words[i] + "\n";
  if (some) text += "endif\n";
  return text + "shl.i32 r6.y, r0.x, c0.z\nst.buffer.i32.x4 c1.z, r6.y, r1.x, #0\n";
}

/// Where lanes read, from a warp's place on.
const struct {
  const char* name;
  uint32_t (*offset)(uint32_t base, uint32_t lane);
} kPatterns[] = {
    {"blocks of 18 bytes", [](uint32_t base, uint32_t lane) { return base + lane / 4 * 18 + lane % 4 * 4; }},
    {"odd places", [](uint32_t base, uint32_t lane) { return base + 3 * lane + 1; }},
    {"backwards", [](uint32_t base, uint32_t lane) { return base + 40 - 5 * lane; }},
    {"one place", [](uint32_t base, uint32_t) { return base; }},
    {"as far as a window reaches", [](uint32_t base, uint32_t lane) { return base + (lane == 5 ? 127u : lane); }},
    {"all over", [](uint32_t base, uint32_t lane) { return (base * 77 + lane * 2654435761u) % 280; }},
    {"one far outside", [](uint32_t base, uint32_t lane) { return lane == 3 ? 0x80000000u : base + 2 * lane; }},
    {"around the end of numbers", [](uint32_t base, uint32_t lane) { return 0xFFFFFFF0u + base % 7 + 3 * lane; }},
};

TEST(WindowLoads, GiveWhatTheInterpreterReads) {
  const std::unique_ptr<Compiler> jit = Compiler::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  for (const char* type : {"i8", "i16", "i32"})
    for (const uint32_t count : {1u, 2u, 4u})
      for (const bool some : {false, true}) {
        const auto kernel = exec::test::assembled(loads(type, count, some), Shape::Rows);
        ASSERT_TRUE(kernel);
        auto native = jit->compile(compiler::programOf(*kernel));
        ASSERT_TRUE(native.ok()) << native.error().message;
        for (const auto& pattern : kPatterns) {
          Group expected(*kernel), actual(*kernel);
          for (Group* g : {&expected, &actual}) {
            for (uint32_t i = 0; i < kWords; ++i)  // warps come closer to the end of the buffer
              g->memory[3][i] = pattern.offset(i / kWarpLanes * 33, i % kWarpLanes);
            g->bind(0, g->memory[0], kBytes);
          }
          ASSERT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
          ASSERT_EQ(actual.run(*(*native)->executable()), abi::WarpStatus::Done);
          for (uint32_t i = 0; i < kWords; ++i)
            ASSERT_EQ(actual.memory[2][i], expected.memory[2][i])
                << type << " x" << count << (some ? " some, " : ", ") << pattern.name << ", word " << i;
        }
      }
}

}  // namespace
}  // namespace etzel::native
