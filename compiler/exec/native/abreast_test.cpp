// Warps side by side give what warps one after the other give, and programs that could tell run one by one.
#include <gtest/gtest.h>

#include <atomic>

#include "compiler/compiler.h"
#include "compiler/exec/native/native.h"
#include "compiler/isa/assemble.h"

namespace etzel::native {
namespace {

constexpr uint32_t kWarps = 8, kWords = 512, kBuffers = 4;

/// Workgroups of 16 x 4, two warps a row, or of 61 x 1, whose last warp lacks lanes.
enum class Shape { Rows, Line };
constexpr uint32_t widthOf(Shape s) { return s == Shape::Rows ? 16 : 61; }
constexpr uint32_t heightOf(Shape s) { return s == Shape::Rows ? 4 : 1; }

/// c0 is (0, 1, 2, 4), c1 names the buffers A to D, c2 is (3, 64, 1000, 7),
/// r0 is (bytes of the invocation's own word, its row, the first push constant, its warp).
std::string around(const std::string& body, Shape shape) {
  const auto sys = [](abi::SysValue v) { return ", #" + std::to_string(static_cast<uint32_t>(v)) + "\n"; };
  return ".stage compute\n.local " + std::to_string(widthOf(shape)) + " " + std::to_string(heightOf(shape)) +
         " 1\n.temps 8\n.const 0 1 2 4\n.const 0 2 4 6\n.const 3 64 1000 7\nsys r7.x" + sys(abi::SysValue::LocalIndex) +
         "shl.i32 r0.x, r7.x, c0.z\nsys r0.y" + sys(abi::SysValue::LocalIdY) + "sys r0.w" +
         sys(abi::SysValue::SubgroupId) + "ld.push.i32 r0.z, -, -, #0\n" + body + "ret\n";
}

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

std::shared_ptr<abi::Kernel> assembled(const std::string& body, Shape shape) {
  auto program = isa::assemble(around(body, shape));
  EXPECT_TRUE(program.ok()) << program.error().message;
  if (!program.ok()) return nullptr;
  auto kernel = compiler::makeKernel(std::move(*program));
  EXPECT_TRUE(kernel.ok()) << kernel.error().message;
  return kernel.ok() ? *kernel : nullptr;
}

/// A workgroup and its buffers.
class Group {
 public:
  Group(const abi::Kernel& kernel, Shape shape = Shape::Rows) : kernel_(kernel), shape_(shape) {
    for (uint32_t b = 0; b < kBuffers; ++b) {
      for (uint32_t i = 0; i < kWords; ++i) memory[b][i] = (i * 2654435761u + b * 40503u) >> 22;
      bind(b, memory[b]);
    }
    context_.table[0] = reinterpret_cast<const std::byte*>(buffers_), context_.tableBytes[0] = sizeof buffers_;
    context_.table[abi::kNullTable] = zeros_, context_.tableBytes[abi::kNullTable] = sizeof zeros_;
    context_.pushConstants = push_, context_.cancel = &cancel;
    push_[0] = std::byte{37};
  }
  void bind(uint32_t buffer, uint32_t* words) {
    buffers_[buffer] = {reinterpret_cast<uint64_t>(words), kWords * 2, {}};
  }

  /// Whichever way `executable` has.
  abi::WarpStatus run(const abi::Executable& executable) {
    const uint32_t width = widthOf(shape_);
    alignas(64) LaneWords sys[kWarps][abi::kSysValueCount] = {};
    std::vector<LaneWords> registers[kWarps], state(kernel_.stateBytes / sizeof(LaneWords) + 1);
    abi::Warp warps[kWarps];
    for (uint32_t w = 0; w < kWarps; ++w) {
      registers[w].resize(kernel_.registerWords + 1);
      abi::Warp& warp = warps[w];
      warp.context = &context_, warp.kernel = &kernel_, warp.executable = &executable, warp.sys = sys[w];
      warp.registers = registers[w].data(), warp.executorState = state.data();
      for (uint32_t l = 0; l < kWarpLanes; ++l) {
        const uint32_t index = w * kWarpLanes + l;
        if (index < width * heightOf(shape_)) warp.active |= 1u << l;
        sys[w][static_cast<uint32_t>(abi::SysValue::LocalIndex)][l] = index;
        sys[w][static_cast<uint32_t>(abi::SysValue::LocalIdY)][l] = index / width;
        sys[w][static_cast<uint32_t>(abi::SysValue::SubgroupId)][l] = w;
      }
    }
    const uint32_t step = executable.abreast ? executable.strands : 1;
    auto status = abi::WarpStatus::Done;
    for (uint32_t w = 0; w < kWarps && status == abi::WarpStatus::Done; w += step)
      status = executable.abreast ? executable.abreast(executable.code, &warps[w])
                                  : executable.entry(executable.code, &warps[w]);
    return status;
  }

  uint32_t memory[kBuffers][kWords];
  std::atomic<uint32_t> cancel{0};

 private:
  const abi::Kernel& kernel_;
  const Shape shape_;
  alignas(32) abi::BufferDescriptor buffers_[kBuffers];
  alignas(32) std::byte zeros_[256] = {}, push_[256] = {};
  abi::DispatchContext context_;
};

class Abreast : public testing::Test {
 protected:
  void SetUp() override {
    if (!jit_) GTEST_SKIP() << "no native executor on this host";
  }
  /// \returns null where the program does not run side by side
  const abi::Executable* compiled(const std::string& body, Shape shape = Shape::Rows) {
    kernel_ = assembled(body, shape);
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
  for (const char* body : {kSum, kIterate, kLeave})
    for (const Shape shape : {Shape::Rows, Shape::Line}) {
      const abi::Executable* abreast = compiled(body, shape);
      ASSERT_TRUE(abreast) << body;
      Group expected(*kernel_, shape), actual(*kernel_, shape);
      ASSERT_EQ(expected.run(interpreter()), abi::WarpStatus::Done);
      ASSERT_EQ(actual.run(*abreast), abi::WarpStatus::Done);
      for (uint32_t b = 0; b < kBuffers; ++b)
        for (uint32_t i = 0; i < kWords; ++i)
          ASSERT_EQ(actual.memory[b][i], expected.memory[b][i]) << body << widthOf(shape) << " wide, word " << i;
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
  const std::string sum = kSum;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = sum;
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string programs[] = {
      with("endloop", "st.buffer.i32 c1.w, r0.x, r1.y, #0\nendloop"),  // stores in a loop
      sum + "st.buffer.i32 c1.z, r0.x, r1.x, #0\n",                    // stores twice to a buffer
      with("st.buffer.i32 c1.z", "st.buffer.i32 c1.x"),                // reads what it writes
      with("r1.x, r0.z", "r1.x, r0.w"),                                // warps leave at different times
      "if r0.w\n" + sum + "endif\n",                                   // warps go different ways
      with("ld.buffer.i32 r2.x, c1.x", "ld.buffer.i32 r2.x, r1.z"),    // reads any buffer
      sum + "atom.buffer.add.i32 r4.x, c1.w, r0.x, r1.x, #0\n",        // changes memory at once
      "st.buffer.i32 c1.z, r0.x, r0.y, #0\n",                          // nothing to wait for
  };
  for (const std::string& body : programs) EXPECT_FALSE(compiled(body)) << body;
}

}  // namespace
}  // namespace etzel::native
