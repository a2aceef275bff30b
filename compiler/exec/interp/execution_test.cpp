// Memory bounds, atomics, masks, divergence, subgroups, barriers: what a warp may and may not do.
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>

#include "compiler/exec/interp/test/test_machine.h"

namespace etzel::interp {
namespace {

using isa::Opcode;
using isa::Operand;
using isa::Space;
using isa::Type;
using test::input;
using test::Machine;
using test::output;

struct Lanes : Machine {
  isa::Builder b{program};
  Operand lane;
  Lanes() {
    for (uint32_t l = 0; l < kWarpLanes; ++l) in[0].lane[l] = l;
    lane = input(0);
  }
  Operand imm(uint32_t v) { return b.imm(v); }
  Operand bufferHandle() { return b.descriptor(0); }
  void go() {
    program.groups.clear();
    run();
  }
  std::vector<uint32_t> result(uint32_t word) { return {out[word].lane, out[word].lane + kWarpLanes}; }
};
using Words = std::vector<uint32_t>;

TEST(Memory, EachOutOfBoundsElementReadsZeroAndTheOthersTheirValue) {
  Lanes m;
  for (uint32_t i = 0; i < 64; ++i) m.buffer[i] = 1000 + i;
  // Lane l reads four words from word 58 + l: the buffer has 64.
  const Operand offset = m.b.value(Opcode::IMul, Type::I32, m.lane, m.imm(4));
  const Operand v = m.b.load(Space::Buffer, Type::I32, m.bufferHandle(), offset, 58 * 4, 4);
  m.b.move(output(0), v, 4);
  m.go();
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    for (uint32_t e = 0; e < 4; ++e) EXPECT_EQ(m.out[e].lane[l], 58 + l + e < 64 ? 1058 + l + e : 0) << l << " " << e;
}

TEST(Memory, OffsetsDoNotWrapAround) {
  Lanes m;
  m.buffer[0] = 7, m.buffer[1] = 8;
  const Operand v = m.b.load(Space::Buffer, Type::I32, m.bufferHandle(), m.imm(0xFFFFFFFC), 8, 1);
  m.b.move(output(0), v);
  m.b.store(Space::Buffer, Type::I32, m.bufferHandle(), m.imm(0xFFFFFFFC), m.imm(99), 4);
  m.go();
  EXPECT_EQ(m.result(0), Words(8, 0));
  EXPECT_EQ(m.buffer[0], 7u);
}

TEST(Memory, NarrowElementsAreZeroExtended) {
  Lanes m;
  m.buffer[0] = 0x89ABCDEF;
  m.b.move(output(0), m.b.load(Space::Buffer, Type::I8, m.bufferHandle(), {}, 0, 4), 4);
  m.b.move(output(4), m.b.load(Space::Buffer, Type::I16, m.bufferHandle(), {}, 0, 2), 2);
  m.b.store(Space::Buffer, Type::I16, m.bufferHandle(), m.b.value(Opcode::IMul, Type::I32, m.lane, m.imm(2)), m.lane,
            16);
  m.go();
  EXPECT_EQ(m.out[0].lane[3], 0xEFu);
  EXPECT_EQ(m.out[3].lane[3], 0x89u);
  EXPECT_EQ(m.out[5].lane[0], 0x89ABu);
  EXPECT_EQ(m.buffer[4], 0x00010000u);
  EXPECT_EQ(m.buffer[7], 0x00070006u);
}

TEST(Memory, DivergentHandlesReachTheirOwnBuffers) {
  Lanes m;
  m.buffer[0] = 5;
  // Odd lanes use the null handle.
  const Operand odd = m.b.value(Opcode::And, Type::I32, m.lane, m.imm(1));
  const Operand handle = m.b.select(odd, m.imm(abi::kNullHandle), m.bufferHandle());
  m.b.move(output(0), m.b.load(Space::Buffer, Type::I32, handle, {}));
  m.b.move(output(1), m.b.value(Opcode::BufSize, Type::I32, handle));
  m.b.store(Space::Buffer, Type::I32, handle, m.b.value(Opcode::IMul, Type::I32, m.lane, m.imm(4)), m.imm(1), 4);
  m.go();
  EXPECT_EQ(m.result(0), (Words{5, 0, 5, 0, 5, 0, 5, 0}));
  EXPECT_EQ(m.result(1), (Words{256, 0, 256, 0, 256, 0, 256, 0}));
  EXPECT_EQ(Words(m.buffer.begin(), m.buffer.begin() + 9), (Words{5, 1, 0, 1, 0, 1, 0, 1, 0}));
}

TEST(Memory, HandlesPastTheTableAndIndicesPastTheBindingAreNull) {
  Lanes m;
  m.program.resources.push_back({0, 1, abi::makeHandle(0, 0), 32, 3});  // claims three slots of a table with one
  m.buffer[0] = 5;
  const Operand handle = m.b.descriptor(1, m.lane);
  m.b.move(output(0), m.b.load(Space::Buffer, Type::I32, handle, {}));
  m.b.move(output(1), handle);
  m.go();
  EXPECT_EQ(m.result(0), (Words{5, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(m.out[1].lane[2], abi::makeHandle(0, 64));
  EXPECT_EQ(m.out[1].lane[3], abi::kNullHandle);
}

TEST(Memory, HelpersReadButNeverWriteOutside) {
  Lanes m;
  m.helper = 0x0F;
  m.buffer[0] = 40;
  m.b.atomic(Space::Buffer, abi::AtomicOp::Add, Type::I32, m.bufferHandle(), {}, m.imm(1));
  m.b.store(Space::Buffer, Type::I32, m.bufferHandle(), m.b.value(Opcode::IMul, Type::I32, m.lane, m.imm(4)), m.imm(3),
            4);
  m.b.move(output(0), m.b.load(Space::Buffer, Type::I32, m.bufferHandle(), {}));
  m.program.scratchBytes = 8;
  m.b.store(Space::Scratch, Type::I32, {}, {}, m.lane);
  m.b.move(output(1), m.b.load(Space::Scratch, Type::I32, {}, {}));
  m.go();
  EXPECT_EQ(m.result(0), Words(8, 44));
  EXPECT_EQ(Words(m.buffer.begin() + 1, m.buffer.begin() + 9), (Words{0, 0, 0, 0, 3, 3, 3, 3}));
  EXPECT_EQ(m.result(1), (Words{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Memory, ScratchIsPrivateAndBounded) {
  Lanes m;
  m.program.scratchBytes = 16;
  m.b.store(Space::Scratch, Type::I32, {}, m.b.value(Opcode::IMul, Type::I32, m.lane, m.imm(4)),
            m.imm(77));  // lanes 4-7 miss
  m.b.move(output(0), m.b.load(Space::Scratch, Type::I32, {}, m.b.value(Opcode::IMul, Type::I32, m.lane, m.imm(4))));
  m.b.move(output(1), m.b.load(Space::Scratch, Type::I32, {}, m.imm(64)));
  m.go();
  EXPECT_EQ(m.result(0), (Words{77, 77, 77, 77, 0, 0, 0, 0}));
  EXPECT_EQ(m.result(1), Words(8, 0));
}

TEST(Memory, AtomicsGoInLaneOrderAndReturnTheOldValue) {
  Lanes m;
  m.active = 0xB7;
  m.buffer[0] = 10;
  m.b.move(output(0), m.b.atomic(Space::Buffer, abi::AtomicOp::Add, Type::I32, m.bufferHandle(), {}, m.lane));
  const Operand both = m.program.newTemp(2);
  m.b.move(both, m.imm(3));
  m.b.move(isa::Builder::word(both, 1), m.imm(0));
  m.b.move(output(1),
           m.b.atomic(Space::Buffer, abi::AtomicOp::CompareExchange, Type::I32, m.bufferHandle(), m.imm(4), both));
  m.b.move(output(2),
           m.b.atomic(Space::Buffer, abi::AtomicOp::SMax, Type::I32, m.bufferHandle(), m.imm(8), m.imm(0xFFFFFFFF)));
  m.go();
  uint32_t sum = 10;
  for (uint32_t l = 0; l < kWarpLanes; ++l) {
    if (!(m.active >> l & 1)) continue;
    EXPECT_EQ(m.out[0].lane[l], sum);
    sum += l;
    EXPECT_EQ(m.out[1].lane[l], l ? 3u : 0u);
  }
  EXPECT_EQ(m.buffer[0], sum);
  EXPECT_EQ(m.buffer[1], 3u);
  EXPECT_EQ(m.buffer[2], 0u);
}

TEST(Memory, FloatAtomics) {
  Lanes m;
  m.buffer[0] = std::bit_cast<uint32_t>(0.5f);
  const Operand one = m.b.imm(1.0f);
  m.b.move(output(0), m.b.atomic(Space::Buffer, abi::AtomicOp::FAdd, Type::F32, m.bufferHandle(), {}, one));
  m.go();
  EXPECT_EQ(std::bit_cast<float>(m.buffer[0]), 8.5f);
  EXPECT_EQ(std::bit_cast<float>(m.out[0].lane[7]), 7.5f);
}

TEST(Masks, MaskedWritesKeepInactiveLanes) {
  Lanes m;
  const Operand x = m.program.newTemp(4);
  for (uint32_t w = 0; w < 4; ++w) m.b.move(isa::Builder::word(x, w), m.imm(100 + w));
  m.b.ifBegin(m.b.value(Opcode::And, Type::I32, m.lane, m.imm(1)));
  m.b.setMasked(true);
  m.b.into(x, Opcode::IAdd, Type::I32, m.lane, m.lane);
  m.b.emit(Opcode::XMov, Type::I32, isa::Builder::word(x, 1), {x}, 0, 0, 3);  // overlaps: reads all before it writes
  m.b.setMasked(false);
  m.b.ifEnd();
  m.b.move(output(0), x, 4);
  m.go();
  EXPECT_EQ(m.result(0), (Words{100, 2, 100, 6, 100, 10, 100, 14}));
  EXPECT_EQ(m.result(1), (Words{101, 2, 101, 6, 101, 10, 101, 14}));
  EXPECT_EQ(m.result(2), (Words{102, 101, 102, 101, 102, 101, 102, 101}));
  EXPECT_EQ(m.result(3), (Words{103, 102, 103, 102, 103, 102, 103, 102}));
}

TEST(Divergence, LanesLeaveALoopInDifferentRounds) {
  Lanes m;
  const Operand i = m.program.newTemp(), sum = m.program.newTemp();
  m.b.move(i, m.imm(0)), m.b.move(sum, m.imm(0));
  m.b.blockBegin();
  m.b.loopBegin();
  m.b.brIf(m.b.icmp(isa::CmpI::UGe, Type::I32, i, m.lane), 0);
  m.b.setMasked(true);
  m.b.into(sum, Opcode::IAdd, Type::I32, sum, i);
  m.b.into(i, Opcode::IAdd, Type::I32, i, m.imm(1));
  m.b.setMasked(false);
  m.b.loopEnd();
  m.b.blockEnd();
  m.b.move(output(0), sum);
  m.go();
  EXPECT_EQ(m.result(0), (Words{0, 0, 1, 3, 6, 10, 15, 21}));
}

TEST(Divergence, BrToAnOuterBlockSkipsTheRestOfInnerOnes) {
  Lanes m;
  const Operand x = m.program.newTemp();
  m.b.move(x, m.imm(0));
  auto add = [&](uint32_t v) {
    m.b.setMasked(true);
    m.b.into(x, Opcode::IAdd, Type::I32, x, m.imm(v));
    m.b.setMasked(false);
  };
  m.b.blockBegin();
  m.b.blockBegin();
  m.b.ifBegin(m.b.icmp(isa::CmpI::ULt, Type::I32, m.lane, m.imm(4)));
  m.b.brIf(m.b.icmp(isa::CmpI::Eq, Type::I32, m.lane, m.imm(0)), 1);  // out of both
  m.b.brIf(m.b.icmp(isa::CmpI::Eq, Type::I32, m.lane, m.imm(1)), 0);  // out of the inner one
  add(1);
  m.b.elseBegin();
  add(2);
  m.b.ifEnd();
  add(4);
  m.b.blockEnd();
  add(8);
  m.b.blockEnd();
  add(16);
  m.b.move(output(0), x);
  m.go();
  EXPECT_EQ(m.result(0), (Words{16, 24, 29, 29, 30, 30, 30, 30}));
}

TEST(Divergence, KilledLanesStopAndDemotedOnesBecomeHelpers) {
  Lanes m;
  m.b.setMasked(true);
  m.b.move(output(0), m.imm(0));
  m.b.ifBegin(m.b.icmp(isa::CmpI::Eq, Type::I32, m.lane, m.imm(2)));
  m.b.control(Opcode::Kill);
  m.b.ifEnd();
  m.b.ifBegin(m.b.icmp(isa::CmpI::Eq, Type::I32, m.lane, m.imm(5)));
  m.b.control(Opcode::Demote);
  m.b.ifEnd();
  m.b.move(output(0), m.imm(1));
  m.b.into(output(1), Opcode::Helper, Type::I32);
  m.b.store(Space::Buffer, Type::I32, m.bufferHandle(), m.b.value(Opcode::IMul, Type::I32, m.lane, m.imm(4)), m.imm(1));
  m.go();
  EXPECT_EQ(m.after.killed, 0x24u);
  EXPECT_EQ(m.result(0), (Words{1, 1, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(m.out[1].lane[5], ~0u);
  EXPECT_EQ(m.out[1].lane[4], 0u);
  EXPECT_EQ(Words(m.buffer.begin(), m.buffer.begin() + 8), (Words{1, 1, 0, 1, 1, 0, 1, 1}));
}

TEST(Divergence, BarriersKeepTheMaskStack) {
  Lanes m;
  const Operand x = m.program.newTemp();
  m.b.move(x, m.imm(0));
  m.b.ifBegin(m.b.icmp(isa::CmpI::ULt, Type::I32, m.lane, m.imm(3)));
  m.b.moveMasked(x, m.imm(1));
  m.b.control(Opcode::Barrier);
  m.b.setMasked(true);
  m.b.into(x, Opcode::IAdd, Type::I32, x, m.imm(1));
  m.b.elseBegin();
  m.b.into(x, Opcode::IAdd, Type::I32, x, m.imm(7));
  m.b.setMasked(false);
  m.b.ifEnd();
  m.b.control(Opcode::Barrier);
  m.b.move(output(0), x);
  m.go();
  EXPECT_EQ(m.result(0), (Words{2, 2, 2, 7, 7, 7, 7, 7}));
}

TEST(Divergence, AnEndlessLoopGivesUpWhenCancelled) {
  Lanes m;
  m.b.loopBegin();
  m.b.loopEnd();
  auto code = decode(m.program);
  ASSERT_TRUE(code.ok());
  std::atomic<uint32_t> cancel{1};
  abi::DispatchContext context;
  context.cancel = &cancel;
  abi::Warp warp;
  warp.context = &context, warp.active = kAllLanes;
  EXPECT_EQ(interp::run(code->get(), &warp), abi::WarpStatus::Cancelled);
}

TEST(Lanes, SubgroupOperationsSeeActiveLanesOnly) {
  Lanes m;
  m.active = 0xFB;  // lane 2 is missing
  const Operand odd = m.b.value(Opcode::And, Type::I32, m.lane, m.imm(1));
  m.b.move(output(0), m.b.value(Opcode::SgBallot, Type::I32, odd));
  m.b.move(output(1), m.b.value(Opcode::SgReduce, Type::I32, m.lane, {}, {}, static_cast<uint8_t>(isa::ReduceOp::Add)));
  m.b.move(output(2),
           m.b.value(Opcode::SgReduce, Type::I32, m.lane, {}, {}, static_cast<uint8_t>(isa::ReduceOp::UMax), 4));
  m.b.move(output(3), m.b.value(Opcode::SgScanI, Type::I32, m.lane, {}, {}, static_cast<uint8_t>(isa::ReduceOp::Add)));
  m.b.move(output(4), m.b.value(Opcode::SgScanE, Type::I32, m.lane, {}, {}, static_cast<uint8_t>(isa::ReduceOp::SMin)));
  m.b.move(output(8),
           m.b.value(Opcode::SgScanI, Type::I32, m.lane, {}, {}, static_cast<uint8_t>(isa::ReduceOp::Add), 4));
  m.b.move(output(9),
           m.b.value(Opcode::SgScanE, Type::I32, m.lane, {}, {}, static_cast<uint8_t>(isa::ReduceOp::UMin), 2));
  m.b.move(output(5),
           m.b.value(Opcode::SgShuffle, Type::I32, m.lane, m.b.value(Opcode::IAdd, Type::I32, m.lane, m.imm(1))));
  m.b.move(output(6), m.b.value(Opcode::SgFirst, Type::I32, m.lane));
  m.b.move(output(7), m.b.value(Opcode::SgAllEq, Type::I32, odd));
  m.go();
  EXPECT_EQ(m.out[0].lane[0], 0xAAu);
  EXPECT_EQ(m.out[1].lane[0], 26u);
  EXPECT_EQ(m.out[2].lane[0], 3u);
  EXPECT_EQ(m.out[2].lane[7], 7u);
  EXPECT_EQ(m.out[3].lane[4], 8u);
  EXPECT_EQ(m.out[4].lane[0], 0x7FFFFFFFu);
  EXPECT_EQ(m.out[4].lane[3], 0u);
  EXPECT_EQ(m.out[5].lane[6], 7u);
  EXPECT_EQ(m.out[5].lane[7], 0u);
  EXPECT_EQ(m.out[6].lane[6], 0u);
  EXPECT_EQ(m.out[7].lane[0], 0u);
  EXPECT_EQ(m.out[8].lane[3], 4u);  // 0 + 1 + 3
  EXPECT_EQ(m.out[8].lane[6], 15u);
  EXPECT_EQ(m.out[9].lane[3], ~0u);  // the only one of its cluster
  EXPECT_EQ(m.out[9].lane[5], 4u);
}

TEST(Lanes, ProductsAddAColumnOfOneFactorTimesARowOfTheOther) {
  for (const uint32_t count : {8u, 3u}) {
    Lanes m;
    const Operand a = m.b.program().newTemp(8), b = m.b.program().newTemp(count), c = m.b.program().newTemp(count);
    const auto number = [&](uint32_t lane, uint32_t word) {
      const Operand scaled = m.b.value(Opcode::IMul, Type::I32, m.lane, m.imm(lane));
      return m.b.value(Opcode::IAdd, Type::I32, scaled, m.imm(word));
    };
    for (uint32_t w = 0; w < 8; ++w) m.b.move(isa::Builder::word(a, w), number(10, w));
    for (uint32_t w = 0; w < count; ++w) m.b.move(isa::Builder::word(b, w), number(3, 7 * w));
    for (uint32_t w = 0; w < count; ++w) m.b.move(isa::Builder::word(c, w), number(1000, w));
    m.b.move(output(0), m.b.value(Opcode::SgProduct, Type::I32, a, b, c, 0, 0, uint8_t(count)), count);
    m.go();
    for (uint32_t lane = 0; lane < 8; ++lane)
      for (uint32_t j = 0; j < count; ++j) {
        uint32_t sum = 1000 * lane + j;
        for (uint32_t k = 0; k < 8; ++k) sum += (10 * lane + k) * (3 * k + 7 * j);
        EXPECT_EQ(m.out[j].lane[lane], sum) << lane << " " << j;
      }
  }
}

/// Twice a little more than 1, and 2^24, are 2^24 + 4 when floats are rounded after each step, and 2^24 + 2 when they
/// are not. The square of 1 + 2^-12 has a part that only a fused step keeps.
TEST(Lanes, ProductsOfFloatsAreRoundedOnceAStep) {
  Lanes m;
  const Operand a = m.b.program().newTemp(8), b = m.b.program().newTemp(2), c = m.b.program().newTemp(2);
  const auto set = [&](Operand o, uint32_t w, float value) { m.b.move(isa::Builder::word(o, w), m.b.imm(value)); };
  constexpr float kNearOne = 1 + 0x1p-12f;
  for (uint32_t w = 0; w < 8; ++w) set(a, w, w < 2 ? kNearOne : 0);
  set(b, 0, 1), set(b, 1, kNearOne), set(c, 0, 0x1p24f), set(c, 1, -1 - 0x1p-11f);
  m.b.move(output(0), m.b.value(Opcode::SgProduct, Type::F32, a, b, c, 0, 0, 2), 2);
  m.go();
  EXPECT_EQ(std::bit_cast<float>(m.out[0].lane[5]), std::fma(kNearOne, 1.0f, std::fma(kNearOne, 1.0f, 0x1p24f)));
  EXPECT_EQ(std::bit_cast<float>(m.out[1].lane[5]), std::fma(kNearOne, kNearOne, 0x1p-24f));
}

TEST(Lanes, DerivativesOfAPlane) {
  Lanes m;
  for (uint32_t l = 0; l < kWarpLanes; ++l)
    m.in[4].lane[l] = std::bit_cast<uint32_t>(3.0f * float(l & 1) + 10.0f * float(l >> 1 & 1) + (l == 3 ? 1.0f : 0.0f));
  const Opcode ops[] = {Opcode::DdxC, Opcode::DdyC, Opcode::DdxF, Opcode::DdyF};
  for (uint32_t i = 0; i < 4; ++i) m.b.move(output(i), m.b.value(ops[i], Type::F32, input(4)));
  m.go();
  auto at = [&](uint32_t word, uint32_t l) { return std::bit_cast<float>(m.out[word].lane[l]); };
  EXPECT_EQ(at(0, 3), 3.0f);
  EXPECT_EQ(at(1, 3), 10.0f);
  EXPECT_EQ(at(2, 2), 4.0f);
  EXPECT_EQ(at(2, 1), 3.0f);
  EXPECT_EQ(at(3, 1), 11.0f);
  EXPECT_EQ(at(3, 7), 10.0f);
}

TEST(Verifier, NamesTheInstructionThatBreaksARule) {
  auto error = [](const std::function<void(isa::Builder&)>& build) {
    isa::Program p;
    p.info.stage = abi::Stage::Vertex;
    isa::Builder b(p);
    build(b);
    const auto r = isa::verify(p, isa::VerifyMode::RealRegisters);
    return r.ok() ? std::string() : r.error().message;
  };
  EXPECT_EQ(error([](isa::Builder& b) { b.move(output(0), b.imm(1)); }), "");
  EXPECT_NE(error([](isa::Builder& b) { b.ifEnd(); }).find("endif without if"), std::string::npos);
  EXPECT_NE(error([](isa::Builder& b) { b.ifBegin(b.imm(1)); }).find("ends inside"), std::string::npos);
  EXPECT_NE(error([](isa::Builder& b) { b.blockBegin(), b.br(1), b.blockEnd(); }).find("br leaves"), std::string::npos);
  EXPECT_NE(error([](isa::Builder& b) { b.move(output(abi::kRecordWords - 1), input(0), 2); }).find("out of range"),
            std::string::npos);
  EXPECT_NE(error([](isa::Builder& b) { b.value(Opcode::FSin, Type::F64, input(0)); }).find("illegal type"),
            std::string::npos);
  EXPECT_NE(error([](isa::Builder& b) { b.descriptor(0); }).find("no such resource"), std::string::npos);
  EXPECT_NE(error([](isa::Builder& b) { b.value(Opcode::FAdd, Type::F32, input(0)); }).find("source 2 is missing"),
            std::string::npos);
}

}  // namespace
}  // namespace etzel::interp
