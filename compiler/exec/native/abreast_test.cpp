// Warps side by side give what warps one after the other give, and programs that could tell run one by one.
#include <gtest/gtest.h>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kBuffers, exec::test::kWords;

/// Each invocation adds up products of a word that its row shares and of a word of its own.
const char kSum[] =
    "xmov.m r1.x, c0.x\nxmov.m r1.y, c0.x\nxmov.m r1.z, r0.y\n"
    "block\nloop\n"
    "icmp.uge.i32 r1.w, r1.x, r0.z\nbrc r1.w, #0\n"
    "ld.buffer.i32 r2.x, c1.x, r1.z, #0\n"
    "ld.buffer.i32 r2.y, c1.y, r0.x, #0\n"
    "imul.i32 r2.z, r2.x, r2.y\niadd.i32 r2.w, r1.y, r2.z\nxmov.m r1.y, r2.w\n"
    "iadd.i32 r3.x, r1.x, c0.y\nxmov.m r1.x, r3.x\n"
    "iadd.i32 r3.y, r1.z, c0.w\nxmov.m r1.z, r3.y\n"
    "endloop\nendblock\n"
    "st.buffer.i32 c1.z, r0.x, r1.y, #0\n";

/// Invocations iterate as long as their numbers stay small, by ways of their own.
const char kIterate[] =
    "ld.buffer.i32 r1.x, c1.x, r0.x, #0\nxmov.m r1.y, c0.x\n"
    "block\nloop\n"
    "icmp.uge.i32 r1.z, r1.x, c2.z\nbrc r1.z, #0\n"
    "icmp.uge.i32 r1.w, r1.y, c2.y\nbrc r1.w, #0\n"
    "and.i32 r2.x, r1.x, c0.y\n"
    "if r2.x\n"  // too much for both sides to run
    "shl.i32 r2.y, r1.y, c0.z\nld.buffer.i32 r2.z, c1.y, r2.y, #0\nimul.i32 r2.w, r1.x, c2.x\n"
    "iadd.i32 r3.x, r2.w, r2.z\nxmov.m r1.x, r3.x\n"
    "else\n"
    "shr.i32 r3.y, r1.x, c0.y\nld.buffer.i32 r3.z, c1.y, r0.x, #64\niadd.i32 r3.w, r3.y, r3.z\nxmov.m r1.x, r3.w\n"
    "endif\n"
    "icmp.ugt.i32 r4.x, r1.x, c2.y\n"
    "if r4.x\n"  // a few instructions: both sides run
    "iadd.i32 r4.y, r1.x, c2.w\nxmov.m r1.x, r4.y\n"
    "else\n"
    "iadd.i32 r4.z, r1.x, r1.y\nxmov.m r1.x, r4.z\n"
    "endif\n"
    "iadd.i32 r4.w, r1.y, c0.y\nxmov.m r1.y, r4.w\n"
    "endloop\nendblock\n"
    "st.buffer.i32 c1.z, r0.x, r1.x, #0\nst.buffer.i32 c1.w, r0.x, r1.y, #0\n";

/// Each invocation counts down in place.
const char kInPlace[] =
    "ld.buffer.i32 r1.x, c1.w, r0.x, #0\nxmov.m r1.y, r1.x\n"
    "block\nloop\n"
    "icmp.ult.i32 r1.z, r1.y, c2.w\nbrc r1.z, #0\n"
    "shr.i32 r1.w, r1.y, c0.y\nld.buffer.i32 r2.x, c1.w, r0.x, #0\niadd.i32 r2.y, r1.w, c0.y\nxmov.m r1.y, r2.y\n"
    "endloop\nendblock\n"
    "iadd.i32 r2.z, r1.y, r1.x\n"
    "st.buffer.i32 c1.w, r0.x, r2.z, #0\n";

/// Some invocations sum, in a loop that all who do leave together, and leave early when the sum is odd.
const char kLeave[] =
    "ld.buffer.i32 r1.x, c1.x, r0.x, #0\nxmov.m r1.y, c0.x\nxmov.m r1.z, c0.x\n"
    "and.i32 r1.w, r1.x, c2.x\n"
    "if r1.w\n"
    "block\nloop\n"
    "icmp.uge.i32 r2.x, r1.z, r0.z\nbrc r2.x, #0\n"
    "shl.i32 r2.y, r1.z, c0.z\nld.buffer.i32 r2.z, c1.y, r2.y, #0\niadd.i32 r2.w, r1.y, r2.z\nxmov.m r1.y, r2.w\n"
    "iadd.i32 r3.x, r1.z, c0.y\nxmov.m r1.z, r3.x\n"
    "endloop\nendblock\n"
    "iadd.i32 r3.y, r1.y, r1.x\nand.i32 r3.z, r3.y, c0.y\n"
    "if r3.z\nret\nendif\n"
    "endif\n"
    "st.buffer.i32 c1.z, r0.x, r1.y, #0\n";

class Abreast : public testing::Test {
 protected:
  void SetUp() override {
    if (!jit_) GTEST_SKIP() << "no native executor on this host";
  }
  /// \returns null where the program does not run side by side
  const abi::Executable* compiled(const std::string& body, Shape shape = Shape::Rows) {
    kernel_ = exec::test::assembled(body, shape);
    if (!kernel_) return nullptr;
    auto code = jit_->compile(compiler::programOf(*kernel_));
    EXPECT_TRUE(code.ok()) << code.error().message;
    if (!code.ok()) return nullptr;
    code_ = *code;
    const abi::Executable* e = code_->executable();
    EXPECT_EQ(e->abreast != nullptr, e->strands > 1);
    return e->abreast ? e : nullptr;
  }
  const abi::Executable& interpreter() const { return *kernel_->executable.load(); }

  std::unique_ptr<Compiler> jit_ = Compiler::create();
  std::shared_ptr<abi::Kernel> kernel_;
  std::shared_ptr<exec::MachineCode> code_;
};

TEST_F(Abreast, GivesWhatOneAfterTheOtherGives) {
  for (const char* body : {kSum, kIterate, kInPlace, kLeave})
    for (const Shape shape : {Shape::Rows, Shape::Line}) {
      const abi::Executable* abreast = compiled(body, shape);
      ASSERT_TRUE(abreast) << body;
      Group expected(*kernel_, shape), actual(*kernel_, shape);
      ASSERT_EQ(expected.run(interpreter()), abi::WarpStatus::Done);
      ASSERT_EQ(actual.run(*abreast), abi::WarpStatus::Done);
      for (uint32_t b = 0; b < kBuffers; ++b)
        for (uint32_t i = 0; i < kWords; ++i)
          ASSERT_EQ(actual.memory[b][i], expected.memory[b][i])
              << body << exec::test::widthOf(shape) << " wide, word " << i;
    }
}

// Each warp reads what the one before it wrote.
TEST_F(Abreast, BuffersThatOverlapAreWrittenInOrder) {
  const abi::Executable* abreast = compiled(kSum);
  ASSERT_TRUE(abreast);
  for (const uint32_t apart : {0u, 1u, kWords / 2 - 1}) {
    Group expected(*kernel_), actual(*kernel_);
    for (Group* g : {&expected, &actual}) g->bind(2, g->memory[0] + apart);
    ASSERT_EQ(expected.run(interpreter()), abi::WarpStatus::Done);
    ASSERT_EQ(actual.run(*abreast), abi::WarpStatus::Done);
    for (uint32_t i = 0; i < kWords; ++i)
      ASSERT_EQ(actual.memory[0][i], expected.memory[0][i]) << apart << " word " << i;
  }
}

TEST_F(Abreast, CancelledLoopsEnd) {
  const abi::Executable* abreast = compiled(kSum);
  ASSERT_TRUE(abreast);
  Group g(*kernel_);
  g.cancel = 1;
  EXPECT_EQ(g.run(*abreast), abi::WarpStatus::Cancelled);
}

// Two warps are a row here.
TEST_F(Abreast, WarpsOfARowBranchTogether) {
  const abi::Executable* abreast = compiled("if r0.y\n" + std::string(kSum) + "endif\n");
  ASSERT_TRUE(abreast);
  EXPECT_EQ(abreast->strands, 2u);
  Group expected(*kernel_), actual(*kernel_);
  ASSERT_EQ(expected.run(interpreter()), abi::WarpStatus::Done);
  ASSERT_EQ(actual.run(*abreast), abi::WarpStatus::Done);
  for (uint32_t i = 0; i < kWords; ++i) ASSERT_EQ(actual.memory[2][i], expected.memory[2][i]) << "word " << i;
}

TEST_F(Abreast, ProgramsThatCouldTellRunOneByOne) {
  const std::string sum = kSum, inPlace = kInPlace;
  const auto with = [&](const std::string& from, const std::string& to, std::string text = kSum) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string programs[] = {
      with("endloop", "st.buffer.i32 c1.w, r0.x, r1.y, #0\nendloop"),      // stores in a loop
      sum + "st.buffer.i32 c1.z, r0.x, r1.x, #0\n",                        // stores twice to a buffer
      with("st.buffer.i32 c1.z", "st.buffer.i32 c1.x"),                    // reads what others write
      with("c1.w, r0.x, #0", "c1.w, r0.x, #4", inPlace),                   // likewise
      with("ld.buffer", "shl.i32 r0.x, r7.x, c0.y\nld.buffer", inPlace),   // places overlap
      with("ld.buffer", "iadd.i32 r0.x, r0.x, r0.w\nld.buffer", inPlace),  // places move from warp to warp
      // Places of others, in rounds before the last.
      with("ld.buffer.i32 r2.x, c1.w, r0.x, #0", "iadd.i32 r3.x, r0.x, r0.z\nld.buffer.i32 r2.x, c1.w, r3.x, #0",
           with("st.buffer.i32 c1.w, r0.x", "st.buffer.i32 c1.w, r3.x",
                with("ld.buffer.i32 r1.x, c1.w, r0.x, #0", "xmov.m r1.x, r0.x", inPlace))),
      with("r1.x, r0.z", "r1.x, r0.w"),                              // warps leave at different times
      "if r0.w\n" + sum + "endif\n",                                 // warps go different ways
      with("ld.buffer.i32 r2.x, c1.x", "ld.buffer.i32 r2.x, r1.z"),  // reads any buffer
      sum + "atom.buffer.add.i32 r4.x, c1.w, r0.x, r1.x, #0\n",      // changes memory at once
      "st.buffer.i32 c1.z, r0.x, r0.y, #0\n",                        // nothing to wait for
  };
  for (const std::string& body : programs) EXPECT_FALSE(compiled(body)) << body;
}

}  // namespace
}  // namespace etzel::native
