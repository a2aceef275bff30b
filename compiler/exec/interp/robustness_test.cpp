// Programs nobody would write: whatever passes the verifier runs to an end without touching memory it does not own.
#include <atomic>
#include <random>

#include "compiler/exec/interp/test/test_machine.h"
#include "compiler/isa/encode.h"

namespace etzel::interp {
namespace {

using isa::Opcode;
using isa::Operand;

void noTexture(abi::Warp*, uint32_t, LaneMask, const LaneWords*, const LaneWords*, const LaneWords*, LaneWords*) {}
constexpr abi::FunctionTable kNoTextures = {noTexture};

isa::Inst randomInst(std::mt19937& random, const std::vector<Opcode>& opcodes) {
  isa::Inst inst;
  inst.op = opcodes[random() % opcodes.size()];
  const isa::OpInfo& info = isa::opInfo(inst);
  do inst.type = static_cast<isa::Type>(random() % 7);
  while (!(info.typeMask >> static_cast<uint32_t>(inst.type) & 1));
  inst.sub = static_cast<uint8_t>(random() % isa::subCount(info.sub));
  if (info.sub == isa::SubKind::Space && inst.sub == static_cast<uint8_t>(isa::Space::Global))
    inst.sub = 0;  // unchecked
  inst.atomic = info.atomic ? random() % 16 : 0;
  if (info.dst == isa::OperandShape::Count || info.src[2] == isa::OperandShape::Count)
    inst.count = static_cast<uint8_t>(1 + random() % 8);
  inst.masked = random() % 4 == 0 && info.dst != isa::OperandShape::None;
  if (info.immediate) inst.imm = random() % 4 ? random() % 40 : static_cast<uint32_t>(random());
  if (inst.op == Opcode::Br || inst.op == Opcode::BrC) inst.imm = random() % 3;
  if (isa::dstWords(inst)) inst.dst = isa::temp(random() % 40);
  for (uint32_t i = 0; i < info.srcCount; ++i) {
    constexpr isa::Bank banks[] = {isa::Bank::Temp, isa::Bank::Temp, isa::Bank::In, isa::Bank::Out, isa::Bank::Param};
    if (isa::srcWords(inst, i)) inst.src[i] = {banks[random() % 5], static_cast<uint32_t>(random() % 40)};
  }
  return inst;
}

TEST(Robustness, WhatTheVerifierPassesRuns) {
  std::vector<Opcode> opcodes;
  for (uint32_t n = 0x38; n < 256; ++n)
    if (isa::opInfo(static_cast<Opcode>(n)).name) opcodes.push_back(static_cast<Opcode>(n));
  std::mt19937 random(3);
  uint32_t ran = 0;
  for (int round = 0; round < 30000; ++round) {
    isa::Program program;
    program.info.stage = abi::Stage::Vertex;
    program.info.sharedBytes = 60, program.scratchBytes = 20, program.tempWords = 64;
    program.constants.assign(16, {0, 1, 0xFFFFFFFF, 0x3F800000});
    program.resources.push_back({0, 0, abi::makeHandle(0, 0), 32, 2});
    const uint32_t length = 1 + random() % 12;
    std::vector<Opcode> open;
    for (uint32_t i = 0; i < length; ++i) {
      isa::Inst inst = randomInst(random, opcodes);
      if (isa::closesScope(inst.op) || inst.op == Opcode::Else) continue;
      if (isa::opensScope(inst.op)) open.push_back(inst.op);
      program.code.push_back(inst);
      if (!open.empty() && random() % 4 == 0) {
        isa::Inst end;
        end.op = open.back() == Opcode::If     ? Opcode::EndIf
                 : open.back() == Opcode::Loop ? Opcode::EndLoop
                                               : Opcode::EndBlock;
        program.code.push_back(end);
        open.pop_back();
      }
    }
    for (; !open.empty(); open.pop_back()) {
      isa::Inst end;
      end.op = open.back() == Opcode::If     ? Opcode::EndIf
               : open.back() == Opcode::Loop ? Opcode::EndLoop
                                             : Opcode::EndBlock;
      program.code.push_back(end);
    }
    program.info.usesBarrier = true;
    if (!isa::verify(program, isa::VerifyMode::RealRegisters).ok()) continue;
    auto code = decode(program);
    ASSERT_TRUE(code.ok()) << code.error().message;
    ++ran;
    // Exact sizes, so that a sanitizer sees every step outside.
    std::vector<uint32_t> buffer(5);
    const abi::BufferDescriptor descriptors[1] = {{reinterpret_cast<uint64_t>(buffer.data()), buffer.size() * 4, {}}};
    std::vector<LaneWords> in(abi::kAttributeWords), out(abi::kRecordWords), registers(program.tempWords), scratch(5),
        sys(abi::kSysValueCount), state(stateBytes(**code) / 32 + 1);
    std::vector<uint32_t> shared(15);
    std::vector<std::byte> push(256);
    for (std::vector<LaneWords>* file : {&in, &registers, &sys})
      for (LaneWords& w : *file)
        for (uint32_t& l : w.lane) l = random() % 3 ? random() % 30 : random();
    std::atomic<uint32_t> cancel{1};
    abi::DispatchContext context;
    context.table[0] = reinterpret_cast<const std::byte*>(descriptors), context.tableBytes[0] = sizeof descriptors;
    context.pushConstants = push.data(), context.cancel = &cancel, context.functions = &kNoTextures;
    abi::Warp warp;
    warp.context = &context, warp.active = 1 + random() % 255, warp.helper = random() % 256;
    warp.in = in.data(), warp.out = out.data(), warp.registers = registers.data(), warp.sys = sys.data();
    warp.scratch = reinterpret_cast<std::byte*>(scratch.data()),
    warp.shared = reinterpret_cast<std::byte*>(shared.data());
    warp.executorState = state.data();
    for (int barriers = 0; barriers < 20 && interp::run(code->get(), &warp) == abi::WarpStatus::AtBarrier; ++barriers) {
    }
  }
  EXPECT_GT(ran, 5000u);
}

TEST(Robustness, RandomWordsAreDecodedOrRefused) {
  std::mt19937_64 random(4);
  uint32_t good = 0, verified = 0;
  for (int i = 0; i < 300000; ++i) {
    isa::EncodedInst word{random(), random()};
    if (i % 2)  // most of what instructions seldom have is absent: reserved bits, guard, count, source 3, immediate
      word.lo &= 0x0FFFFFFFFFFE00FF, word.hi = uint64_t(isa::Bank::None) << 10 | (word.hi & 0x3E000);
    if (i % 4 == 3) word.lo |= uint64_t(isa::Bank::None) << 53, word.lo &= ~(0x3FFull << 43);
    if (i % 4 == 2)  // ATTILA's instructions, without reserved bits
      word.lo = (word.lo & 0x003FFFFFFFFFFF00) | random() % 0x38, word.hi &= 0x00FFFFFFFFFFFFFF;
    const auto inst = isa::decode(word);
    if (!inst.ok()) continue;
    ++good;
    isa::Program program;
    program.code.push_back(*inst);
    program.tempWords = 1024;
    program.info.stage = static_cast<abi::Stage>(i % 6);
    program.constants.resize(256), program.resources.resize(256);
    program.info.writesSampleDepth = true;
    (void)isa::toText(*inst);
    program.info.usesBarrier = true;
    if (!isa::verify(program, isa::VerifyMode::RealRegisters).ok()) continue;
    ++verified;
    const auto code = decode(program);
    EXPECT_TRUE(code.ok()) << code.error().message;
  }
  EXPECT_GT(good, 1000u);
  EXPECT_GT(verified, 100u);
}

}  // namespace
}  // namespace etzel::interp
