// Every row of the table survives encoding and text; base encodings match those of ATTILA's own assembler.
#include "compiler/isa/encode.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/isa/assemble.h"
#include "compiler/isa/disassemble.h"
#include "compiler/isa/immediates.h"

namespace etzel::isa {
namespace {

struct Golden {
  const char* text;
  uint64_t lo, hi;
};
const Golden kGolden[] = {
    {"add r0,i1,c2", 0x000000f338800001, 0x001b001b02001b01},
    {"add_sat r5.xy,-|i1.wzyx|,c300.y", 0x000000cb39700001, 0x001b00552c05e401},
    {"mad r0,r1,c4[a0.x + 2].yyyy,-r3", 0x000041f358860013, 0x001b035504001b01},
    {"mad r0,r1,c4[a1.w - 5],r3", 0x003f7bf318860013, 0x001b031b04001b01},
    {"mul r0.x,r1.x,2.5", 0x0000008339860017, 0x4020000000000001},
    {"addi r0,r1,-7", 0x000000f33b860002, 0x0000000700001b01},
    {"arl a0.x,c3.x", 0x0000008439c40003, 0x001b001b00000003},
    {"setpgt p3,r1.x,r2.y", 0x0000008238c6001d, 0x001b005502030001},
    {"stplti p31,r1.x,3", 0x0000008239860024, 0x00000003001f0001},
    {"(p3) mov o1,r0", 0x000000f139c63416, 0x001b001b00011b00},
    {"andp !p2,p1,!p0", 0x000000fa3ac60004, 0x0000000000020001},
    {"andp p2,true,c5.y", 0x000000f238b60004, 0x0000005505020000},
    {"jmp p3,-4", 0x000000f739c60036, 0xfffffffc00000003},
    {"jmp !p3,12", 0x000000f739d60036, 0x0000000c00000003},
    {"jmp true,6", 0x000000f739f60036, 0x0000000600000000},
    {"jmp c7.z,6", 0x000000f739c40036, 0x000000060000aa07},
    {"tex r0,i5,t3", 0x000000f338000026, 0x001b001b03001b05},
    {"txl r0,r1,t0", 0x000000f338060025, 0x001b001b00001b01},
    {"lda r0,i0.x,t7", 0x000000f338000030, 0x001b001b07000000},
    {"kil r0", 0x000000f739c60029, 0x001b001b00001b00},
    {"kls r0", 0x000000f73846002a, 0x001b001b00001b00},
    {"cmpkil r0.x,r1.x,r2.x,r3.x", 0x0000008318c6002e, 0x0000030002000001},
    {"rsq r0,|r1.y|", 0x000000f339e6001b, 0x001b001b00005501},
    {"ddx r0,i4", 0x000000f339c00034, 0x001b001b00001b04},
    {"min r1,r2,c511", 0x000000f339460015, 0x001b001bff011b02},
    {"fxmad2 r0,r1,r2,r3", 0x000000f318c60033, 0x001b031b02001b01},
    {"nop", 0, 0},
    {"end", 0x37, 0},
    {"chs", 0x2f, 0},
};

TEST(Encoding, BaseInstructionsMatchAttilasAssembler) {
  for (const Golden& g : kGolden) {
    const auto program = assemble(g.text);
    ASSERT_TRUE(program.ok()) << g.text << ": " << program.error().message;
    const EncodedInst word = encode(program->code[0]);
    EXPECT_EQ(word.lo, g.lo) << g.text << std::hex << " gave 0x" << word.lo;
    EXPECT_EQ(word.hi, g.hi) << g.text << std::hex << " gave 0x" << word.hi;
    const auto back = decode(word);
    ASSERT_TRUE(back.ok()) << g.text << ": " << back.error().message;
    EXPECT_EQ(encode(*back), word) << g.text;
    const auto again = assemble(toText(*back));
    ASSERT_TRUE(again.ok()) << g.text << " became " << toText(*back) << ": " << again.error().message;
    EXPECT_EQ(encode(again->code[0]), word) << g.text << " became " << toText(*back);
  }
}

Operand randomOperand(std::mt19937& random, bool destination) {
  constexpr Bank sources[] = {Bank::In, Bank::Out, Bank::Param, Bank::Temp, Bank::None};
  const Bank bank = destination ? (random() % 2 ? Bank::Temp : Bank::Out) : sources[random() % 5];
  return bank == Bank::None ? Operand{} : Operand{bank, static_cast<uint32_t>(random() % 1024)};
}

Inst randomExtension(std::mt19937& random, Opcode op) {
  const OpInfo& info = opInfo(op);
  Inst inst;
  inst.op = op;
  do inst.type = static_cast<Type>(random() % 7);
  while (!(info.typeMask >> static_cast<uint32_t>(inst.type) & 1));
  inst.sub = static_cast<uint8_t>(random() % subCount(info.sub));
  if (info.atomic) inst.atomic = static_cast<uint8_t>(random() % 16);
  if (info.dst == OperandShape::Count || info.src[2] == OperandShape::Count)
    inst.count = static_cast<uint8_t>(1 + random() % 8);
  inst.masked = random() % 2;
  if (info.dst != OperandShape::None) inst.dst = randomOperand(random, true);
  for (uint32_t i = 0; i < info.srcCount; ++i) inst.src[i] = randomOperand(random, false);
  if (info.immediate) inst.imm = static_cast<uint32_t>(random());
  if (op == Opcode::LdRaw) inst.dst.word &= ~3u;
  if (op == Opcode::StRaw) inst.src[2] = temp(static_cast<uint32_t>(random() % 256) * 4);
  if (op == Opcode::Tld4) inst.src[1] = Tld4Imm::unpack(inst.imm).otherWords() ? temp(random() % 1024) : Operand{};
  while (immediateProblem(inst)) {  // most random words mean nothing here
    inst.imm = static_cast<uint32_t>(random());
    if (op == Opcode::PixLd) inst.imm &= 0x3FFF;
    if (op == Opcode::LdRaw || op == Opcode::StRaw) inst.imm &= 0x0FFFFFFF;
    if (op == Opcode::Tld4 && (inst.imm & 0x20)) inst.imm &= 0x00FFFFFF, inst.sub = Tld4Imm::kSamplerOfTexture;
    if (op == Opcode::Tld4) inst.src[1] = Tld4Imm::unpack(inst.imm).otherWords() ? temp(random() % 1024) : Operand{};
  }
  return inst;
}

TEST(Encoding, EveryExtensionRowSurvivesWordsAndText) {
  std::mt19937 random(1);
  uint32_t rows = 0;
  for (uint32_t n = 0x38; n < 256; ++n) {
    const Opcode op = static_cast<Opcode>(n);
    if (!opInfo(op).name) {
      EXPECT_FALSE(decode({n, 0}).ok());
      continue;
    }
    ++rows;
    for (int round = 0; round < 200; ++round) {
      const Inst inst = randomExtension(random, op);
      const auto back = decode(encode(inst));
      ASSERT_TRUE(back.ok()) << toText(inst) << ": " << back.error().message;
      ASSERT_EQ(*back, inst) << toText(inst) << " became " << toText(*back);
      const auto program = assemble(toText(inst));
      ASSERT_TRUE(program.ok()) << toText(inst) << ": " << program.error().message;
      ASSERT_EQ(program->code[0], inst) << toText(inst) << " became " << toText(program->code[0]);
    }
  }
  EXPECT_GT(rows, 100u);
}

Inst randomBase(std::mt19937& random, Opcode op) {
  const OpInfo& info = opInfo(op);
  Inst inst;
  inst.op = op;
  inst.end = op != Opcode::Jmp && random() % 2, inst.wait = random() % 2;
  inst.predicated = random() % 2;
  if (inst.predicated) inst.invertPredicate = random() % 2, inst.predicate = random() % 32;
  if (info.baseOperands == 0) return inst;
  BaseFields& b = inst.base;
  const bool predicates = op == Opcode::AndP || op == Opcode::Jmp;
  if (op == Opcode::AndP) b.swizzle = {0, 0, 0};
  if (op == Opcode::Jmp) b.swizzle[0] = 0;
  bool constant = false;
  for (uint32_t i = 0; i < info.baseOperands; ++i) {
    b.reg[i] = static_cast<uint8_t>(random());
    if (i == 1 && (info.baseKind == 'T' || info.baseKind == 'A' || info.baseKind == 'L')) continue;
    constexpr Bank banks[] = {Bank::In, Bank::Param, Bank::Temp, Bank::Addr, Bank::Param2};
    b.bank[i] = predicates ? (random() % 2 ? Bank::Temp : Bank::Param) : banks[random() % 5];
    const bool isConstant = b.bank[i] == Bank::Param || b.bank[i] == Bank::Param2;
    constant |= isConstant;
    b.negate[i] = random() % 2, b.absolute[i] = !predicates && random() % 2;
    if (predicates && !isConstant) {
      b.reg[i] %= 32;
      continue;
    }
    const bool select = info.baseKind == 'S' || predicates;
    b.swizzle[i] = static_cast<uint8_t>(select ? random() % 4 * 0x55 : random());
  }
  if (constant && random() % 2)
    b.relative = true, b.relReg = random() % 4, b.relComponent = random() % 4,
    b.relOffset = static_cast<int16_t>(static_cast<int>(random() % 512) - 256);
  if (info.baseResult == 'P') {
    b.resultReg = random() % 32, b.saturate = random() % 2;
  } else if (info.baseResult) {
    constexpr Bank banks[] = {Bank::Out, Bank::Temp, Bank::Addr};
    b.resultBank = banks[random() % 3], b.resultReg = static_cast<uint8_t>(random());
    b.saturate = random() % 2, b.mask = static_cast<uint8_t>(random() % 16);
  }
  if (op == Opcode::Jmp) inst.imm = static_cast<uint32_t>(random());
  if (info.baseKind != 'T' && info.baseKind != 'A' && info.baseKind != 'L' && !predicates && info.baseOperands == 2 &&
      random() % 2)
    b.bank[1] = Bank::Imm, b.reg[1] = 0, b.swizzle[1] = 0x1B,
    inst.imm = info.baseInteger ? random() % 0x7FFFFFFF : static_cast<uint32_t>(random());
  const bool relative = constant && (b.bank[0] == Bank::Param || b.bank[0] == Bank::Param2 || b.bank[1] == Bank::Param);
  if (b.relative && !relative) b.relative = false, b.relReg = b.relComponent = 0, b.relOffset = 0;
  return inst;
}

TEST(Encoding, EveryBaseRowSurvivesWordsAndText) {
  std::mt19937 random(2);
  for (uint32_t n = 0; n < 0x38; ++n) {
    const Opcode op = static_cast<Opcode>(n);
    if (!opInfo(op).name) {
      EXPECT_FALSE(decode({n, 0}).ok());
      continue;
    }
    for (int round = 0; round < 300; ++round) {
      const Inst inst = randomBase(random, op);
      const auto back = decode(encode(inst));
      ASSERT_TRUE(back.ok()) << toText(inst) << ": " << back.error().message;
      ASSERT_EQ(*back, inst) << toText(inst) << " became " << toText(*back);
      const auto program = assemble(toText(inst));
      ASSERT_TRUE(program.ok()) << toText(inst) << ": " << program.error().message;
      ASSERT_EQ(program->code[0], inst) << toText(inst) << " became " << toText(program->code[0]);
    }
  }
}

TEST(Encoding, ReservedBitsAreRejected) {
  const EncodedInst add = encode(assemble("add r0,i1,c2")->code[0]);
  for (uint32_t bit = 54; bit < 64; ++bit) EXPECT_FALSE(decode({add.lo | 1ull << bit, add.hi}).ok());
  for (uint32_t bit = 56; bit < 64; ++bit) EXPECT_FALSE(decode({add.lo, add.hi | 1ull << bit}).ok());
  const EncodedInst fadd = encode(assemble("fadd.f32 r0.x, i0.x, c0.x")->code[0]);
  ASSERT_TRUE(decode(fadd).ok());
  EXPECT_FALSE(decode({fadd.lo | 1ull << 63, fadd.hi}).ok());
  for (uint32_t bit = 22; bit < 32; ++bit) EXPECT_FALSE(decode({fadd.lo, fadd.hi | 1ull << bit}).ok());
}

/// The reason why a word is refused; "" when it is not.
std::string refusal(EncodedInst word) {
  const auto inst = decode(word);
  return inst.ok() ? "" : inst.error().message.substr(inst.error().message.find(": ") + 2);
}

TEST(Encoding, WhatTheRowDoesNotHaveIsRejectedWithAReason) {
  const auto wordOf = [](const char* text) { return encode(assemble(text)->code[0]); };
  const EncodedInst fadd = wordOf("fadd.f32 r0.x, i0.x, c0.x"), flat = wordOf("flat r0.x, #3"), br = wordOf("br #0");
  constexpr uint64_t absent = uint64_t(Bank::None) << 10;
  EXPECT_EQ(refusal({0x05, 0}), "no such opcode");
  EXPECT_EQ(refusal({0xFF, 0}), "no such opcode");
  for (uint32_t bit = 8; bit < 17; ++bit)
    EXPECT_EQ(refusal({fadd.lo | 1ull << bit, fadd.hi}), "extension instructions have no guard, end or wait bit");
  EXPECT_EQ(refusal({fadd.lo | 7ull << 56, fadd.hi}), "no such type");
  EXPECT_EQ(refusal({fadd.lo & ~(7ull << 56), fadd.hi}), "the instruction does not have this type");
  EXPECT_EQ(refusal({fadd.lo | 1ull << 60, fadd.hi}), "the instruction has no element count");
  EXPECT_EQ(refusal({fadd.lo, fadd.hi & ~absent}), "the instruction does not have that many sources");
  EXPECT_EQ(refusal({fadd.lo, fadd.hi | 1}), "an absent operand has a word number");
  EXPECT_EQ(refusal({fadd.lo, (fadd.hi & ~absent) | uint64_t(Bank::Addr) << 10}),
            "a bank that extension operands don't have");
  EXPECT_EQ(refusal({fadd.lo, fadd.hi | 1ull << 13}), "no such sub-operation");
  EXPECT_EQ(refusal({fadd.lo, fadd.hi | 1ull << 18}), "the instruction has no atomic operation");
  EXPECT_EQ(refusal({fadd.lo, fadd.hi | 1ull << 32}), "the instruction has no immediate");
  EXPECT_EQ(refusal({br.lo & ~(absent << 17), br.hi}), "the instruction has no destination");
  EXPECT_EQ(refusal(flat), "");
  EXPECT_EQ(refusal({wordOf("add r0,i1,c2").lo | 7ull << 17, 0}), "a bank that operands don't have");
  EXPECT_EQ(refusal({wordOf("add r0,i1,c2").lo & ~(7ull << 32), 0}), "a bank that results don't have");
}

TEST(Encoding, BaseFieldsWithoutAMeaningAreIgnored) {
  // An unguarded instruction with a guard's number; operands that do not exist; an offset without relative addressing.
  const EncodedInst mov = encode(assemble("mov r0,r1")->code[0]);
  const EncodedInst strays[] = {{mov.lo | 31ull << 12, mov.hi},
                                {mov.lo | 1ull << 25, mov.hi},
                                {mov.lo | 511ull << 45, mov.hi},
                                {mov.lo, mov.hi | 9ull << 40}};
  for (const EncodedInst& stray : strays) {
    const auto inst = decode(stray);
    ASSERT_TRUE(inst.ok()) << inst.error().message;
    EXPECT_EQ(encode(*inst), mov);
    EXPECT_EQ(toText(*inst), "mov r0,r1");
  }
}

TEST(Assembler, ListingsReadBackToTheSameProgram) {
  const char* text =
      ".name listing\n.stage compute\n.temps 12\n.scratch 16\n.shared 64\n.local 8 2 1\n.resource 0 3 0x10 32 4\n"
      ".const 1.0 0 0x7F 2\n"
      "block\nloop\nld.buffer.i32.x4 r0.x, r2.x, r2.y, #0x20 ; comment\nif r0.x\nbr #0\nendif\n"
      "atom.shared.cmpxchg.i32.m r1.x, -, r0.y, r0.z, #4\nendloop\nendblock\n";
  const auto first = assemble(text);
  ASSERT_TRUE(first.ok()) << first.error().message;
  const auto second = assemble(disassemble(*first));
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second->code, first->code);
  EXPECT_EQ(second->resources, first->resources);
  EXPECT_EQ(second->constants, first->constants);
  EXPECT_EQ(second->tempWords, 12u);
  EXPECT_EQ(second->info.sharedBytes, 64u);
}

TEST(Assembler, PixelQueriesGathersAndRawAccessesReadBack) {
  for (const char* text :
       {"pixld.mscount r0.x", "pixld.covered r0.x, p3, [r1.x + 2]", "pixld.covered.m o1.y, [r1.x - 128]",
        "pixld.offset r0.x, [255]", "pixld.my_index r0.x, p31", "ld_raw.buffer r0.xz, r1.x, [r2.y + 16].zwxy",
        "ld_raw.shared r3, -, [64].x", "ld_raw.buffer r3.w, c0.x, [i0.x], r9.x",
        "st_raw.buffer r1.x, [r2.y + 65535].xy, r4.wzyx", "tld4.r r0.x, r4.x, t5, 2d",
        "tld4.b.b.ptp.dc.ndv.nodep.t p3, r0.x, r4.x, r8.x, array_2d, #0x7",
        "tld4.a.aoffi.sint.m r0.x, r4.x, r8.x, t5, s2, 2d, #0x8", "tld4.g.dc.p r0.x, r4.x, c8.x, t5, array_cube"}) {
    const auto program = assemble(text);
    ASSERT_TRUE(program.ok()) << text << ": " << program.error().message;
    EXPECT_EQ(toText(program->code[0]), text);
    const auto back = decode(encode(program->code[0]));
    ASSERT_TRUE(back.ok()) << text << ": " << back.error().message;
    EXPECT_EQ(*back, program->code[0]) << text;
  }
  for (const char* text :
       {"pixld.covered r0.x, [r1.x + 128]", "pixld.covered r0.x, [256]", "pixld.covered r0.x, p32", "pixld r0.x",
        "ld_raw.buffer r0, r1.x, [65536]", "ld_raw.buffer r0.q, r1.x, [0]", "tld4 r0.x, r4.x, t5, 2d",
        "tld4.r r0.x, r4.x, t5, 3d", "tld4.r.aoffi r0.x, r4.x, r8.x, t5, cube", "tld4.r r0.x, r4.x, t5, 2d, #0"})
    EXPECT_FALSE(assemble(text).ok()) << text;
}

TEST(Assembler, FormatsReadBackToTheSameBytes) {
  Program p;
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  using Kind = abi::PrintValue::Kind;
  p.prints = {{"", {}}, {all, {{Kind::Bool, 32, 1}, {Kind::Int, 8, 4}, {Kind::Uint, 64, 2}, {Kind::Float, 16, 3}}}};
  const auto back = assemble(disassemble(p));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->prints, p.prints);
  for (const char* wrong : {".print", ".print f32", ".print q32 \"\"", ".print \"no end"})
    EXPECT_FALSE(assemble(wrong).ok()) << wrong;
}

TEST(Assembler, MessagesReadBackToTheSameBytes) {
  Program p;
  abi::AbortMessage all;
  for (int c = 0; c < 256; ++c) all.bytes += static_cast<char>(c);
  all.textAt = 3, all.textBytes = 9, all.file = "a \"b\";c.comp", all.line = 1234567;
  for (const abi::AbortMessage& m : {abi::AbortMessage{}, all})
    p.aborts.push_back(std::make_shared<const abi::AbortMessage>(m));
  const auto back = assemble(disassemble(p));
  ASSERT_TRUE(back.ok()) << back.error().message;
  ASSERT_EQ(back->aborts.size(), 2u);
  EXPECT_EQ(*back->aborts[0], *p.aborts[0]);
  EXPECT_EQ(*back->aborts[1], *p.aborts[1]);
  for (const char* wrong : {".abort", ".abort 1 2", ".abort 0 0 0 \"a\"", ".abort 0 0 0 \"a\" \"no end"})
    EXPECT_FALSE(assemble(wrong).ok()) << wrong;
}

TEST(Assembler, ErrorsNameLineAndColumn) {
  EXPECT_EQ(assemble("nop\nfrobnicate r0").error().message, "line 2, column 1: no such instruction: frobnicate");
  EXPECT_EQ(assemble("add r0,i1").error().message, "line 1, column 10: expected ','");
  EXPECT_EQ(assemble("fadd.f32 r0.x, r0.q, r0.x").error().message, "line 1, column 18: expected a component");
  EXPECT_EQ(assemble("  fad.f32 r0.x, r0.x, r0.x").error().message,
            "line 1, column 3: no such instruction: fad; did you mean fadd?");
  EXPECT_EQ(assemble("nop\nfadd.f32.x4 r0.x, r0.x, r0.x").error().message,
            "line 2, column 29: the instruction has no element count");
  for (const char* text : {"(p", "add r0,|", "mul r0.", "jmp p3", "ld", "ld.buffer", ".const", ".stage nowhere",
                           "mad r0,c4[", "ldimm r0.x, #"})
    EXPECT_FALSE(assemble(text).ok()) << text;
}

}  // namespace
}  // namespace etzel::isa
