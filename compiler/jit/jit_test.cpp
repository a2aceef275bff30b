// Native code against the interpreter: random programs with divergent control flow, arithmetic and memory must leave
// the same bytes in registers, outputs and buffers.
#include "compiler/jit/jit.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "compiler/compiler.h"
#include "compiler/isa/builder.h"
#include "compiler/isa/disassemble.h"

namespace etzel::jit {
namespace {

using isa::Builder;
using isa::Opcode;
using isa::Operand;
using isa::Type;

constexpr uint32_t kValues = 24, kBufferWords = 64, kSharedBytes = 256;

/// Writes a random program over kValues variables that start from the in words.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed), b_(program_) {
    program_.info.stage = abi::Stage::Vertex;
    program_.resources.push_back({0, 0, abi::makeHandle(0, 0), 32, 1});
    program_.constants.push_back({1, 7, 0x3F800000, 0xBF000000});
  }

  /// `rows`: warps are whole rows of a workgroup, so native code may follow values that grow by lane.
  isa::Program make(bool barriers, bool rows) {
    if (barriers) {
      program_.info.stage = abi::Stage::Compute, program_.info.usesBarrier = true;
      program_.info.sharedBytes = kSharedBytes;
      if (rows) program_.info.localSize[0] = 16;
    }
    handle_ = b_.descriptor(0);
    for (uint32_t i = 0; i < kValues; ++i) {
      Operand v = program_.newTemp();
      values_.push_back(v);
      if (i < 4)
        b_.move(v, {isa::Bank::Param, i});
      else if (barriers)
        b_.move(v, b_.sys(i % 2 ? abi::SysValue::LocalIdX : abi::SysValue::LaneId));
      else
        b_.move(v, {isa::Bank::In, i});
    }
    statements(30, 0, false);
    if (barriers) {
      b_.control(Opcode::Barrier);
      statements(15, 0, false);
      Operand counter = b_.imm(0u);
      b_.blockBegin();
      b_.loopBegin();
      b_.control(Opcode::Barrier);
      statements(10, 1, false);
      b_.moveMasked(counter, b_.value(Opcode::IAdd, Type::I32, counter, b_.imm(1u)));
      b_.brIf(b_.icmp(isa::CmpI::UGt, Type::I32, counter, b_.imm(2u)), 0);
      b_.loopEnd();
      b_.blockEnd();
    }
    if (barriers) {
      for (uint32_t i = 0; i < kValues; ++i) {
        Operand at = b_.value(Opcode::IAdd, Type::I32, b_.value(Opcode::IMul, Type::I32, b_.sys(abi::SysValue::LocalIdX), b_.imm(4 * kValues)), b_.imm(kBufferWords * 4 + i * 4));
        b_.store(isa::Space::Buffer, Type::I32, handle_, at, values_[i]);
      }
    } else {
      for (uint32_t i = 0; i < kValues; ++i) b_.moveMasked({isa::Bank::Out, i}, values_[i]);
    }
    program_.tempWords = std::max(program_.tempWords, 1u);
    EXPECT_LE(program_.tempWords, isa::kMaxTempWords);
    return std::move(program_);
  }

 private:
  uint32_t pick(uint32_t n) { return random_() % n; }
  Operand any() { return values_[pick(kValues)]; }
  void assign(Operand v) { b_.moveMasked(any(), v); }

  void statements(uint32_t n, uint32_t depth, bool inLoop) {
    for (uint32_t i = 0; i < n && program_.tempWords < 700; ++i) statement(depth, inLoop);
  }
  Operand condition() {
    return pick(2) ? b_.icmp(static_cast<isa::CmpI>(pick(10)), Type::I32, any(), any())
                   : b_.fcmp(static_cast<isa::CmpF>(pick(14)), Type::F32, any(), any());
  }
  void statement(uint32_t depth, bool inLoop) {
    if (pick(4) == 0) return further();
    const uint32_t kind = pick(depth < 4 ? 20 : 14);
    if (kind < 5) {
      static constexpr Opcode ops[] = {Opcode::IAdd, Opcode::ISub, Opcode::IMul, Opcode::SDiv, Opcode::UDiv, Opcode::SRem,
                                       Opcode::SMod, Opcode::UMod, Opcode::And, Opcode::Or, Opcode::Xor, Opcode::Shl,
                                       Opcode::Shr, Opcode::Sar, Opcode::SMin, Opcode::UMax, Opcode::UMulH,
                                       Opcode::SMulH, Opcode::AddC, Opcode::SubB, Opcode::Bfm};
      assign(b_.value(ops[pick(std::size(ops))], Type::I32, any(), any()));
    } else if (kind < 8) {
      static constexpr Opcode ops[] = {Opcode::FAdd, Opcode::FSub, Opcode::FMul, Opcode::FDiv, Opcode::FMin, Opcode::FMax,
                                       Opcode::FAtan2, Opcode::FPow};
      assign(canonical(b_.value(ops[pick(std::size(ops))], Type::F32, any(), any())));
    } else if (kind < 10) {
      static constexpr Opcode ops[] = {Opcode::FSin, Opcode::FExp2, Opcode::FLog2, Opcode::FSqrt, Opcode::FFloor,
                                       Opcode::FRoundE, Opcode::FSign, Opcode::FAbs, Opcode::FFract, Opcode::FRsq};
      assign(canonical(b_.value(ops[pick(std::size(ops))], Type::F32, any())));
    } else if (kind == 10) {
      static constexpr Opcode ops[] = {Opcode::BRev, Opcode::BCnt, Opcode::Flsb, Opcode::Fmsbs, Opcode::Fmsbu, Opcode::INeg};
      assign(b_.value(ops[pick(std::size(ops))], Type::I32, any()));
    } else if (kind == 11) {
      switch (pick(4)) {
        case 0: assign(b_.convert(Opcode::CvtFS, Type::I32, Type::F32, any())); break;
        case 1: assign(b_.convert(Opcode::CvtUF, Type::F32, Type::I32, any())); break;
        case 2: assign(b_.value(Opcode::SgBallot, Type::I32, any())); break;
        default: assign(b_.value(Opcode::SgReduce, Type::I32, any(), {}, {}, 0, 0)); break;
      }
    } else if (kind == 12) {
      Operand offset = pick(2) ? any() : b_.imm(pick(kBufferWords + 4) * 4);
      offset = b_.value(Opcode::And, Type::I32, offset, b_.imm(0x1FCu));
      assign(b_.load(isa::Space::Buffer, Type::I32, handle_, offset, pick(3) * 4));
    } else if (kind == 13) {
      Operand offset = b_.value(Opcode::And, Type::I32, any(), b_.imm(kBufferWords * 4 - 4));
      b_.store(isa::Space::Buffer, Type::I32, handle_, offset, any());
    } else if (kind < 17) {
      b_.ifBegin(condition());
      statements(3, depth + 1, inLoop);
      if (pick(2)) {
        b_.elseBegin();
        statements(3, depth + 1, inLoop);
      }
      b_.ifEnd();
    } else if (kind < 19) {
      // A bounded loop with breaks and continues at random places.
      Operand counter = b_.imm(0u);
      b_.blockBegin();
      b_.loopBegin();
      b_.blockBegin();
      statements(2, depth + 1, true);
      b_.brIf(condition(), pick(2));
      statements(2, depth + 1, true);
      b_.blockEnd();
      b_.moveMasked(counter, b_.value(Opcode::IAdd, Type::I32, counter, b_.imm(1u)));
      b_.brIf(b_.icmp(isa::CmpI::UGt, Type::I32, counter, b_.imm(pick(4))), 0);
      b_.loopEnd();
      b_.blockEnd();
    } else if (!program_.info.usesBarrier && depth > 0 && pick(3) == 0) {
      b_.ifBegin(condition());
      b_.ret();
      b_.ifEnd();
    }
  }
  Operand pair() {
    Operand p = program_.newTemp(2);
    b_.move(p, any());
    b_.move(Builder::word(p, 1), any());
    return p;
  }
  Operand low(uint32_t mask) { return b_.value(Opcode::And, Type::I32, any(), b_.imm(mask)); }
  /// Statements with other types, spaces and lane operations.
  void further() {
    using isa::Space;
    const bool compute = program_.info.usesBarrier;
    const Space space = compute && pick(2) ? Space::Shared : Space::Buffer;
    const Operand address = space == Space::Buffer ? handle_ : Operand{};
    switch (pick(13)) {
      case 0: {
        static constexpr Opcode ops[] = {Opcode::IAdd, Opcode::ISub, Opcode::IMul, Opcode::And, Opcode::Xor, Opcode::SMin,
                                         Opcode::UMax, Opcode::SDiv, Opcode::UMod, Opcode::UMulH, Opcode::SMulH};
        const Operand a = pair(), b = pair();
        const Operand d = b_.value(ops[pick(std::size(ops))], Type::I64, a, b);
        assign(d), assign(Builder::word(d, 1));
        return;
      }
      case 1: {
        static constexpr Opcode ops[] = {Opcode::Shl, Opcode::Shr, Opcode::Sar};
        const Operand d = b_.value(ops[pick(3)], Type::I64, pair(), any());
        assign(d), assign(Builder::word(d, 1));
        return;
      }
      case 2: {
        static constexpr Opcode ops[] = {Opcode::FAdd, Opcode::FSub, Opcode::FMul, Opcode::FMax};
        const Operand a = pair(), b = pair();
        assign(canonical(b_.convert(Opcode::CvtFF, Type::F32, Type::F64, b_.value(ops[pick(4)], Type::F64, a, b))));
        return;
      }
      case 3: {
        static constexpr Opcode ops[] = {Opcode::IAdd, Opcode::IMul, Opcode::SMin, Opcode::UMax, Opcode::Shl, Opcode::Sar};
        const Operand a = low(0xFFFF), b = low(0xFFFF);
        assign(b_.value(ops[pick(6)], Type::I16, a, b));
        return;
      }
      case 4: {
        static constexpr Opcode ops[] = {Opcode::FAdd, Opcode::FSub, Opcode::FMul, Opcode::FFma};
        const Opcode op = ops[pick(4)];
        const Operand a = low(0xFFFF), b = low(0xFFFF), c = op == Opcode::FFma ? low(0xFFFF) : Operand{};
        assign(canonical(b_.convert(Opcode::CvtFF, Type::F32, Type::F16, b_.value(op, Type::F16, a, b, c))));
        return;
      }
      case 5: assign(b_.load(space, pick(2) ? Type::I8 : Type::I16, address, low(0xFE), pick(3) * 2)); return;
      case 6: b_.store(space, pick(2) ? Type::I8 : Type::I16, address, low(0xFE), any()); return;
      case 7: {
        static constexpr abi::AtomicOp ops[] = {abi::AtomicOp::Add, abi::AtomicOp::SMin, abi::AtomicOp::UMax,
                                                abi::AtomicOp::Xor, abi::AtomicOp::Exchange, abi::AtomicOp::Sub};
        const Operand at = low(0xFC);
        assign(b_.atomic(space, ops[pick(6)], Type::I32, address, at, any()));
        return;
      }
      case 8: assign(b_.load(Space::Push, Type::I32, {}, pick(2) ? b_.imm(pick(68) * 4) : low(0x1FC))); return;
      case 9: {
        const bool isFloat = pick(2);
        static constexpr isa::ReduceOp ints[] = {isa::ReduceOp::Add, isa::ReduceOp::SMin, isa::ReduceOp::UMax, isa::ReduceOp::Xor};
        static constexpr isa::ReduceOp floats[] = {isa::ReduceOp::Add, isa::ReduceOp::Mul, isa::ReduceOp::FMin, isa::ReduceOp::FMax};
        static constexpr Opcode ops[] = {Opcode::SgReduce, Opcode::SgScanI, Opcode::SgScanE};
        const auto sub = static_cast<uint8_t>(isFloat ? floats[pick(4)] : ints[pick(4)]);
        const Operand r = b_.value(ops[pick(3)], isFloat ? Type::F32 : Type::I32, any(), {}, {}, sub, 0);
        assign(isFloat ? canonical(r) : r);
        return;
      }
      case 10: {
        // A lane that is certain to run here.
        const Operand lane = b_.value(Opcode::Flsb, Type::I32, b_.value(Opcode::SgBallot, Type::I32, b_.imm(~0u)));
        assign(pick(2) ? b_.value(Opcode::SgShuffle, Type::I32, any(), lane)
                       : b_.value(Opcode::SgAllEq, pick(2) ? Type::I32 : Type::F32, any()));
        return;
      }
      case 11: {
        static constexpr Opcode ops[] = {Opcode::UBfe, Opcode::SBfe};
        const Operand a = any(), from = low(31), n = low(31);
        assign(b_.value(ops[pick(2)], Type::I32, a, from, n));
        return;
      }
      default: {
        // Runs of words, at random places and in rows of lanes.
        const uint32_t count = 1 + pick(4);
        Operand at = low(0xFC);
        if (compute && pick(2))
          at = b_.value(Opcode::IMul, Type::I32, b_.sys(abi::SysValue::LaneId), b_.imm(4 * count));
        if (pick(2)) {
          const Operand v = b_.load(space, Type::I32, address, at, pick(4) * 4, count);
          for (uint32_t w = 0; w < count; ++w) assign(Builder::word(v, w));
        } else {
          const Operand data = program_.newTemp(4);
          for (uint32_t w = 0; w < 4; ++w) b_.move(Builder::word(data, w), any());
          b_.store(space, Type::I32, address, at, data, pick(4) * 4, count);
        }
      }
    }
  }
  /// NaNs may differ in their payload: replaces them by one.
  Operand canonical(Operand v) { return b_.select(b_.value(Opcode::FIsNan, Type::F32, v), b_.imm(0x7FC00000u), v); }

  std::mt19937 random_;
  isa::Program program_;
  Builder b_;
  std::vector<Operand> values_;
  Operand handle_;
};

struct Machine {
  alignas(64) LaneWords sys[abi::kSysValueCount] = {};
  alignas(64) LaneWords in[abi::kAttributeWords] = {};
  alignas(64) LaneWords out[abi::kRecordWords] = {};
  std::vector<LaneWords> registers[2];
  std::vector<std::byte> state[2];
  std::vector<uint32_t> buffer = std::vector<uint32_t>(kBufferWords + 16 * kValues);

  void run(const abi::Kernel& kernel, const abi::Executable* executable, uint32_t seed, bool barriers, LaneMask active) {
    std::mt19937 random(seed);
    for (LaneWords& w : in)
      for (uint32_t& v : w.lane) v = random() % 3 ? random() : (random() % 2 ? random() % 16 : 0x40490FDB + random() % 64);
    for (uint32_t& v : buffer) v = random();
    abi::BufferDescriptor descriptor{reinterpret_cast<uint64_t>(buffer.data()), buffer.size() * 4, {}};
    abi::DispatchContext context;
    const std::byte zeros[64] = {};
    alignas(4) std::byte push[256];
    for (uint32_t i = 0; i < 256; ++i) push[i] = static_cast<std::byte>(random());
    alignas(64) std::byte shared[kSharedBytes] = {};
    context.table[0] = reinterpret_cast<const std::byte*>(&descriptor);
    context.tableBytes[0] = sizeof descriptor;
    context.table[abi::kNullTable] = zeros;
    context.tableBytes[abi::kNullTable] = 32;
    context.pushConstants = push;
    abi::Warp warps[2];
    for (uint32_t w = 0; w < (barriers ? 2u : 1u); ++w) {
      registers[w].assign(kernel.registerWords + 1, {});
      state[w].assign(kernel.stateBytes + 64, {});
      warps[w].context = &context, warps[w].kernel = &kernel, warps[w].executable = executable;
      warps[w].active = active, warps[w].sys = sys, warps[w].in = in, warps[w].out = out;
      warps[w].shared = shared;
      warps[w].registers = registers[w].data(), warps[w].executorState = state[w].data();
    }
    for (bool again = true; again;) {
      again = false;
      for (uint32_t w = 0; w < (barriers ? 2u : 1u); ++w) {
        for (uint32_t i = 0; i < kWarpLanes; ++i) {
          sys[static_cast<uint32_t>(abi::SysValue::LaneId)][i] = i;
          sys[static_cast<uint32_t>(abi::SysValue::LocalIdX)][i] = w * 8 + i;
        }
        again |= executable->entry(executable->code, &warps[w]) == abi::WarpStatus::AtBarrier;
      }
    }
  }
};

void compare(uint32_t seeds, bool barriers) {
  auto jit = Jit::create();
  if (!jit) GTEST_SKIP() << "no native executor on this host";
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    isa::Program program = Generator(seed).make(barriers, seed % 3 != 2);
    auto kernel = compiler::makeKernel(program);
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    auto native = jit->compile(compiler::programOf(**kernel), seed % 2 ? Level::Quick : Level::Optimized);
    ASSERT_TRUE(native.ok()) << native.error().message;
    auto expected = std::make_unique<Machine>(), actual = std::make_unique<Machine>();
    const LaneMask active = seed % 3 == 2 ? 0xB5 : kAllLanes;
    expected->run(**kernel, (*kernel)->executable.load(), seed, barriers, active);
    actual->run(**kernel, (*native)->executable(), seed, barriers, active);
    ASSERT_EQ(expected->buffer, actual->buffer) << "seed " << seed << "\n" << isa::disassemble(program);
    for (uint32_t w = 0; w < kValues; ++w)
      for (uint32_t i = 0; i < kWarpLanes; ++i) {
        if (!(active >> i & 1)) continue;
        ASSERT_EQ(expected->out[w][i], actual->out[w][i])
            << "seed " << seed << " word " << w << " lane " << i << "\n" << isa::disassemble(program);
      }
  }
}

/// ETZEL_TEST_PROGRAMS asks for more of them.
uint32_t programCount(uint32_t usual) {
  const char* wanted = std::getenv("ETZEL_TEST_PROGRAMS");
  return wanted ? static_cast<uint32_t>(std::atoi(wanted)) : usual;
}

TEST(Jit, RandomProgramsGiveTheInterpretersBytes) { compare(programCount(60), false); }
TEST(Jit, RandomProgramsWithBarriersGiveTheInterpretersBytes) { compare(programCount(60) / 3, true); }

}  // namespace
}  // namespace etzel::jit
