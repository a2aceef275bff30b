// Warps that run in pairs between barriers, and pairs of groups of fragments, give what each gives by itself.
#include <gtest/gtest.h>

#include <bit>

#include "compiler/exec/native/native.h"
#include "compiler/exec/test/workgroup.h"
#include "runtime/simd/cpu.h"

namespace etzel::native {
namespace {

using exec::test::Group, exec::test::Shape, exec::test::kBuffers, exec::test::kWords;

bool hostHasPairs() { return simd::cpu().avx512vl && simd::cpu().avx512dq && simd::cpu().avx512bw; }

/// Each invocation leaves a word for the others.
const char kLeave[] = "ld.buffer.i32 r1.x, c1.x, r0.x, #0\nst.shared.i32 -, r0.x, r1.x, #0\n";
/// Each invocation sums up words of others, as many as its own word says.
const char kSum[] =
    "ld.shared.i32 r1.x, -, r0.x, #0\nand.i32 r1.y, r1.x, c2.w\nxmov.m r1.z, c0.x\nxmov.m r1.w, c0.x\n"
    "block\nloop\n"
    "icmp.uge.i32 r2.x, r1.z, r1.y\nbrc r2.x, #0\n"
    "shl.i32 r2.y, r1.z, c0.w\niadd.i32 r2.z, r2.y, r0.w\nshl.i32 r2.z, r2.z, c0.z\nand.i32 r2.z, r2.z, c3.y\n"
    "ld.shared.i32 r2.w, -, r2.z, #0\nimul.i32 r3.x, r2.w, r1.x\niadd.i32 r3.y, r1.w, r3.x\nxmov.m r1.w, r3.y\n"
    "iadd.i32 r3.z, r1.z, c0.y\nxmov.m r1.z, r3.z\n"
    "endloop\nendblock\n"
    "icmp.ugt.i32 r3.w, r1.w, c2.z\nif r3.w\niadd.i32 r4.x, r1.w, c2.x\nxmov.m r1.w, r4.x\n"
    "else\niadd.i32 r4.y, r1.w, r1.y\nxmov.m r1.w, r4.y\nendif\n";
const char kGive[] = "st.buffer.i32 c1.z, r0.x, r1.w, #0\n";

class Pairs : public testing::Test {
 protected:
  void SetUp() override {
    if (!jit_) GTEST_SKIP() << "no native executor on this host";
  }
  /// Whether the code has pairs.
  bool expectSame(const std::string& body, Shape shape) {
    const auto kernel = exec::test::assembled(body, shape);
    if (!kernel) return false;
    const auto code = jit_->compile(compiler::programOf(*kernel));
    const auto text = jit_->listing(compiler::programOf(*kernel));
    EXPECT_TRUE(code.ok() && text.ok());
    if (!code.ok() || !text.ok()) return false;
    Group expected(*kernel, shape), actual(*kernel, shape);
    EXPECT_EQ(expected.run(*kernel->executable.load()), abi::WarpStatus::Done);
    EXPECT_NE((*code)->executable()->workgroup, nullptr);
    EXPECT_EQ(actual.run(*(*code)->executable()), abi::WarpStatus::Done);
    for (uint32_t b = 0; b < kBuffers; ++b)
      for (uint32_t i = 0; i < kWords; ++i)
        EXPECT_EQ(actual.memory[b][i], expected.memory[b][i]) << body << "buffer " << b << " word " << i;
    return text->find("_turns") != std::string::npos;
  }

  std::unique_ptr<Compiler> jit_ = Compiler::create();
};

const std::string kBarrier = "barrier\n";

TEST_F(Pairs, WorkgroupsGiveWhatOneAfterTheOtherGives) {
  const std::string body = kLeave + kBarrier + kSum + kBarrier + kGive;
  EXPECT_EQ(expectSame(body, Shape::Rows), hostHasPairs());
  EXPECT_FALSE(expectSame(body, Shape::Line)) << "the last warp lacks lanes";
}

TEST_F(Pairs, SubgroupsAreWarpsAllTheSame) {
  const std::string across =
      "sgshuffle r4.z, r1.w, r1.y\nsgscani.add.i32 r4.w, r1.w, #0\nsgreduce.umax.i32 r5.x, r1.w, #4\n"
      "sgballot r5.y, r1.y\niadd.i32 r1.w, r4.z, r4.w\niadd.i32 r1.w, r1.w, r5.x\niadd.i32 r1.w, r1.w, r5.y\n";
  EXPECT_EQ(expectSame(kLeave + kBarrier + kSum + across + kBarrier + kGive, Shape::Rows), hostHasPairs());
}

TEST_F(Pairs, StoresThatOthersMaySeeRunOneByOne) {
  EXPECT_FALSE(expectSame(kLeave + std::string(kSum) + kBarrier + kGive, Shape::Rows)) << "reads what others store";
  const std::string twice = std::string(kSum) + "st.shared.i32 -, r0.y, r1.w, #0\nst.shared.i32 -, r0.w, r1.x, #0\n";
  EXPECT_FALSE(expectSame(twice + kBarrier + kGive, Shape::Rows)) << "stores twice to places that may be the same";
}

// No program may do so, but what it did it did alike.
TEST_F(Pairs, WarpsThatPartGoOnOneByOne) {
  const std::string odd = "and.i32 r5.x, r0.w, c0.y\nif r5.x\nbarrier\nendif\n";
  EXPECT_EQ(expectSame(kLeave + odd + kBarrier + kSum + kGive, Shape::Rows), hostHasPairs());
}

// What is the same in all lanes of each warp need not be the same in two.
TEST_F(Pairs, WarpsThatWentOtherWaysHaveOtherNumbers) {
  const std::string other = "xmov.m r1.w, c0.x\nicmp.ult.i32 r5.x, r0.w, c0.y\nif r5.x\nxmov.m r1.w, c2.z\nendif\n";
  std::string sum = kSum;
  sum.replace(sum.find("xmov.m r1.w, c0.x\n"), 18, "xmov.m r1.w, r6.x\n");
  EXPECT_EQ(expectSame(kLeave + other + "xmov.m r6.x, r1.w\n" + kBarrier + sum + kBarrier + kGive, Shape::Rows),
            hostHasPairs());
  const std::string next = "ld.shared.i32 r6.x, -, c0.x, #0\nst.shared.i32 -, c0.x, r0.w, #0\n";
  EXPECT_EQ(expectSame(next + kBarrier + kLeave + kBarrier + sum + kBarrier + kGive, Shape::Rows), hostHasPairs());
}

/// Groups of fragments of one primitive.
class Fragments {
 public:
  static constexpr uint32_t kGroups = abi::FragmentGroups::kCount;
  LaneWords color[kGroups][4] = {};
  uint64_t killed = 0;

  explicit Fragments(const abi::Kernel& kernel, float perspective) : kernel_(kernel) {
    for (uint32_t axis = 0; axis < 2; ++axis)
      for (uint32_t l = 0; l < kWarpLanes; ++l) {
        place_[axis][l] =
            std::bit_cast<uint32_t>((axis ? 20.5f : 8.5f) + static_cast<float>(axis ? l / 2 % 2 : l % 2 + l / 4 * 2));
        for (uint32_t g = 0; g < kGroups; ++g)
          offset_[g][axis][l] = std::bit_cast<uint32_t>(static_cast<float>(axis ? g / 2 * 2 : g % 2 * 4));
      }
    setup_.x0 = 3, setup_.y0 = 4, setup_.l1dx = 0.125f, setup_.l1dy = 0.03f, setup_.l2dx = -0.01f, setup_.l2dy = 0.07f;
    setup_.w[0] = 1, setup_.w[1] = 1 + perspective, setup_.w[2] = 1 - perspective / 3;
  }
  abi::WarpStatus run(const abi::Executable& executable, uint32_t which) {
    alignas(32) LaneWords sys[abi::kSysValueCount] = {};
    std::vector<LaneWords> registers(kernel_.registerWords + 1), state(kernel_.stateBytes / sizeof(LaneWords) + 1);
    const std::byte zeros[abi::kNullBytes] = {};
    abi::DispatchContext context;
    context.table[abi::kNullTable] = zeros, context.tableBytes[abi::kNullTable] = sizeof zeros;
    abi::Warp warp;
    warp.context = &context, warp.kernel = &kernel_, warp.executable = &executable, warp.sys = sys;
    warp.registers = registers.data(), warp.executorState = state.data(), warp.primitive = &setup_;
    abi::FragmentGroups groups;
    groups.groups = which, groups.active = 0x7FFF'FFF1'FFFF'FF3F, groups.helper = 0x0000'0100'0000'0003;
    groups.place = place_, groups.offset = offset_[0], groups.color = color[0];
    const abi::WarpStatus status = executable.fragments(executable.code, &warp, &groups);
    killed |= groups.killed;
    return status;
  }

 private:
  const abi::Kernel& kernel_;
  alignas(32) LaneWords place_[2], offset_[kGroups][2];
  abi::PrimitiveSetup setup_ = {};
};

/// Barycentrics, derivatives, a loop that lanes leave one by one, an if, discards, conversions and functions.
const char kShade[] =
    "bary.center r1.x, -, -\nddxc.f32 r1.z, r1.x\nddyf.f32 r1.w, r1.y\n"
    "fmul.f32 r2.x, r1.x, c1.x\ncvtfu.f32.i32 r2.y, r2.x\nand.i32 r2.y, r2.y, c1.y\nxmov.m r2.z, c0.x\nxmov.m r2.w, "
    "r1.y\n"
    "block\nloop\n"
    "icmp.uge.i32 r3.x, r2.z, r2.y\nbrc r3.x, #0\n"
    "fsin.f32 r3.y, r2.w\nfadd.f32 r3.z, r3.y, r1.x\nxmov.m r2.w, r3.z\n"
    "iadd.i32 r3.w, r2.z, c0.y\nxmov.m r2.z, r3.w\n"
    "endloop\nendblock\n"
    "fcmp.olt.f32 r4.x, r2.w, c1.z\nif r4.x\nfneg.f32 r4.y, r2.w\nxmov.m r2.w, r4.y\nendif\n"
    "fcmp.ogt.f32 r4.z, r1.y, c1.w\nif r4.z\ndemote\nendif\n"
    "fexp2.f32 r4.w, r2.w\nxmov o4.x, r4.w\nxmov o4.y, r1.z\nxmov o4.z, r1.w\nxmov o4.w, r2.z\n";

TEST_F(Pairs, GroupsGiveTogetherWhatEachGivesAlone) {
  auto program =
      isa::assemble(".stage fragment\n.temps 8\n.const 0 1 0 0\n.const 0x41000000 7 0x3F000000 0x3FA00000\n" +
                    std::string(kShade) + "ret\n");
  ASSERT_TRUE(program.ok()) << program.error().message;
  auto kernel = compiler::makeKernel(std::move(*program));
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const auto code = jit_->compile(compiler::programOf(**kernel));
  ASSERT_TRUE(code.ok()) << code.error().message;
  const abi::Executable& executable = *(*code)->executable();
  ASSERT_NE(executable.fragments, nullptr);
  // Where each of two groups has registers of its own, each has its own way through rare arguments of a sine.
  const auto text = jit_->listing(compiler::programOf(**kernel));
  ASSERT_TRUE(text.ok());
  const size_t rare = text->find("\nrare");
  EXPECT_EQ(text->find("\nrare", rare + 1) != std::string::npos, simd::cpu().avx2 && !hostHasPairs());
  for (const float perspective : {0.0f, 0.5f})
    for (const uint32_t which : {0x01u, 0x80u, 0x03u, 0x12u, 0x07u, 0xB6u, 0xFEu, 0xFFu}) {
      Fragments together(**kernel, perspective), alone(**kernel, perspective);
      ASSERT_EQ(together.run(executable, which), abi::WarpStatus::Done);
      for (uint32_t g = 0; g < Fragments::kGroups; ++g) {
        if (!(which >> g & 1)) continue;
        ASSERT_EQ(alone.run(executable, 1u << g), abi::WarpStatus::Done);
      }
      EXPECT_EQ(together.killed, alone.killed) << which;
      EXPECT_EQ(std::memcmp(together.color, alone.color, sizeof together.color), 0) << which << ' ' << perspective;
      EXPECT_TRUE(which != 0xFF || perspective != 0 || (alone.killed && ~alone.killed)) << "some are discarded";
    }
}

}  // namespace
}  // namespace etzel::native
