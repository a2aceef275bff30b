#include "compiler/isa/encode.h"

#include "compiler/isa/immediates.h"
#include "compiler/isa/info.h"

namespace etzel::isa {
namespace {

/// Reads and writes bit fields of one 64-bit half.
struct Fields {
  uint64_t bits = 0;
  void put(uint32_t at, uint32_t width, uint64_t value) { bits |= (value & ((1ull << width) - 1)) << at; }
  uint32_t get(uint32_t at, uint32_t width) const { return static_cast<uint32_t>(bits >> at & ((1ull << width) - 1)); }
  int32_t getSigned(uint32_t at, uint32_t width) const {
    return static_cast<int32_t>(get(at, width) << (32 - width)) >> (32 - width);
  }
};

Error bad(const char* why) { return Error{ErrorCode::InvalidShader, std::string("instruction word: ") + why}; }

void putCommon(Fields& lo, const Inst& inst) {
  lo.put(0, 8, static_cast<uint8_t>(inst.op));
  lo.put(8, 1, inst.end), lo.put(9, 1, inst.wait);
  lo.put(10, 1, inst.predicated), lo.put(11, 1, inst.invertPredicate), lo.put(12, 5, inst.predicate);
}
Inst getCommon(const Fields& lo) {
  Inst inst;
  inst.op = static_cast<Opcode>(lo.get(0, 8));
  inst.end = lo.get(8, 1), inst.wait = lo.get(9, 1);
  inst.predicated = lo.get(10, 1), inst.invertPredicate = lo.get(11, 1);
  inst.predicate = static_cast<uint8_t>(lo.get(12, 5));
  return inst;
}

// --- Extension opcodes
constexpr uint32_t kOperandBits = 13;
uint64_t operandBits(const Operand& o) {
  return o.present() ? (o.word & 0x3FF) | static_cast<uint64_t>(o.bank) << 10 : uint64_t(Bank::None) << 10;
}
Result<Operand> operandOf(uint32_t bits) {
  const Bank bank = static_cast<Bank>(bits >> 10);
  const uint32_t word = bits & 0x3FF;
  if (bank == Bank::None && word != 0) return bad("an absent operand has a word number");
  if (bank == Bank::Addr || bank == Bank::Param2 || bank == Bank::Imm)
    return bad("a bank that extension operands don't have");
  return bank == Bank::None ? Operand{} : Operand{bank, word};
}

EncodedInst encodeExtension(const Inst& inst) {
  Fields lo, hi;
  putCommon(lo, inst);
  lo.put(17, kOperandBits, operandBits(inst.dst));
  lo.put(30, kOperandBits, operandBits(inst.src[0]));
  lo.put(43, kOperandBits, operandBits(inst.src[1]));
  lo.put(56, 3, static_cast<uint8_t>(inst.type)), lo.put(59, 1, inst.masked), lo.put(60, 3, inst.count - 1u);
  hi.put(0, kOperandBits, operandBits(inst.src[2]));
  hi.put(13, 5, inst.sub), hi.put(18, 4, inst.atomic), hi.put(32, 32, inst.imm);
  return {lo.bits, hi.bits};
}
/// What the row does not have must be zero or absent, so that every instruction has one encoding.
const char* strayField(const Inst& inst, const OpInfo& info) {
  if (!(info.typeMask >> static_cast<uint32_t>(inst.type) & 1)) return "the instruction does not have this type";
  if (info.dst == OperandShape::None && inst.dst.present()) return "the instruction has no destination";
  for (uint32_t i = info.srcCount; i < 3; ++i)
    if (inst.src[i].present()) return "the instruction does not have that many sources";
  if (inst.count != 1 && !countsElements(info)) return "the instruction has no element count";
  if (inst.atomic && !info.atomic) return "the instruction has no atomic operation";
  if (inst.imm && !info.immediate) return "the instruction has no immediate";
  return nullptr;
}
Result<Inst> decodeExtension(const Fields& lo, const Fields& hi, const OpInfo& info) {
  if (lo.get(8, 9)) return bad("extension instructions have no guard, end or wait bit");
  Inst inst = getCommon(lo);
  if (lo.get(63, 1) || hi.get(22, 10)) return bad("reserved bits are set");
  const uint32_t raw[4] = {lo.get(17, kOperandBits), lo.get(30, kOperandBits), lo.get(43, kOperandBits),
                           hi.get(0, kOperandBits)};
  for (uint32_t i = 0; i < 4; ++i) {
    auto o = operandOf(raw[i]);
    if (!o) return o.error();
    (i == 0 ? inst.dst : inst.src[i - 1]) = *o;
  }
  if (lo.get(56, 3) > static_cast<uint32_t>(Type::F16)) return bad("no such type");
  inst.type = static_cast<Type>(lo.get(56, 3));
  inst.masked = lo.get(59, 1), inst.count = static_cast<uint8_t>(lo.get(60, 3) + 1);
  inst.sub = static_cast<uint8_t>(hi.get(13, 5)), inst.atomic = static_cast<uint8_t>(hi.get(18, 4));
  inst.imm = hi.get(32, 32);
  if (inst.sub >= subCount(info.sub)) return bad("no such sub-operation");
  if (const char* why = strayField(inst, info)) return bad(why);
  if (const char* why = immediateProblem(inst)) return bad(why);
  return inst;
}

// --- Base opcodes
bool isUnit(const OpInfo& info, uint32_t operand) {
  return operand == 1 && (info.baseKind == 'T' || info.baseKind == 'A' || info.baseKind == 'L');
}
bool usesImmediateForm(const Inst& inst) { return inst.op == Opcode::Jmp || inst.base.bank[1] == Bank::Imm; }

Bank encodedBank(const OpInfo& info, const BaseFields& b, uint32_t operand) {
  if (operand >= info.baseOperands) return Bank::None;
  // Implied banks, as ATTILA's assembler writes them.
  if (isUnit(info, operand)) return info.baseKind == 'L' ? Bank::Out : Bank::In;
  if (info.baseKind == 'P' && b.bank[operand] != Bank::Param && b.bank[operand] != Bank::Param2) return Bank::Temp;
  return b.bank[operand];
}

EncodedInst encodeBase(const Inst& inst, const OpInfo& info) {
  Fields lo, hi;
  putCommon(lo, inst);
  if (info.baseOperands == 0) return {lo.bits, 0};
  const BaseFields& b = inst.base;
  constexpr uint32_t bankAt[] = {17, 22, 27}, negateAt[] = {20, 25, 30};
  for (uint32_t i = 0; i < 3; ++i) {
    lo.put(bankAt[i], 3, static_cast<uint8_t>(encodedBank(info, b, i)));
    lo.put(negateAt[i], 1, b.negate[i]), lo.put(negateAt[i] + 1, 1, b.absolute[i]);
  }
  const Bank result = info.baseResult == 'P' ? Bank::Param : info.baseResult ? b.resultBank : Bank::None;
  lo.put(32, 3, static_cast<uint8_t>(result)), lo.put(35, 1, b.saturate);
  // Without a register result the mask means nothing: X for comparisons, all for the rest.
  const bool hasMask = info.baseResult == 'R' || info.baseResult == 'A';
  lo.put(36, 4, hasMask ? b.mask : info.baseKind == 'S' ? 8 : 0xF);
  if (b.relative) {
    lo.put(40, 1, 1), lo.put(41, 2, b.relReg), lo.put(43, 2, b.relComponent);
    lo.put(45, 9, static_cast<uint16_t>(b.relOffset));
  }
  hi.put(0, 8, b.reg[0]), hi.put(8, 8, b.swizzle[0]), hi.put(16, 8, b.resultReg);
  if (usesImmediateForm(inst)) {
    hi.put(32, 32, inst.imm);
  } else {
    hi.put(24, 8, b.reg[1]), hi.put(32, 8, b.swizzle[1]), hi.put(40, 8, b.reg[2]), hi.put(48, 8, b.swizzle[2]);
  }
  return {lo.bits, hi.bits};
}

/// Fields that mean nothing in this instruction get the values that encodeBase writes: assemblers disagree on them.
void canonicalize(Inst& inst, const OpInfo& info) {
  BaseFields& b = inst.base;
  const bool predicates = info.baseKind == 'P';
  bool constant = false;
  for (uint32_t i = 0; i < 3; ++i) {
    const bool absent = i >= info.baseOperands || (predicates && b.absolute[i]);
    const uint8_t absentSwizzle = inst.op == Opcode::AndP || (predicates && i == 0) ? 0 : 0x1B;
    constant |= !absent && (b.bank[i] == Bank::Param || b.bank[i] == Bank::Param2);
    if (absent || isUnit(info, i)) {
      b.swizzle[i] = absentSwizzle;
      if (absent) b.reg[i] = 0;
      if (i >= info.baseOperands || isUnit(info, i)) b.negate[i] = b.absolute[i] = false;
      b.bank[i] = absent && i < info.baseOperands ? Bank::Temp : Bank::None;
    } else if (predicates && b.bank[i] == Bank::Temp) {
      b.swizzle[i] = 0;
    } else if (b.bank[i] == Bank::Imm) {
      b.reg[i] = 0, b.swizzle[i] = absentSwizzle;
    }
  }
  if (!constant) b.relative = false, b.relReg = b.relComponent = 0, b.relOffset = 0;
  if (!info.baseResult) b.resultReg = 0, b.saturate = false;
}

Result<Inst> decodeBase(const Fields& lo, const Fields& hi, const OpInfo& info) {
  Inst inst = getCommon(lo);
  if (!inst.predicated) inst.invertPredicate = false, inst.predicate = 0;
  if (info.baseOperands == 0) {
    if (lo.bits >> 17 || hi.bits) return bad("reserved bits are set");
    return inst;
  }
  if (lo.get(54, 10)) return bad("reserved bits are set");
  BaseFields& b = inst.base;
  constexpr uint32_t bankAt[] = {17, 22, 27}, negateAt[] = {20, 25, 30};
  for (uint32_t i = 0; i < 3; ++i) {
    b.negate[i] = lo.get(negateAt[i], 1), b.absolute[i] = lo.get(negateAt[i] + 1, 1);
    const Bank bank = static_cast<Bank>(lo.get(bankAt[i], 3));
    if (i >= info.baseOperands || isUnit(info, i)) continue;  // implied
    const bool constant = bank == Bank::Param || bank == Bank::Param2;
    b.bank[i] = info.baseKind == 'P' && !constant ? Bank::Temp : bank;
    if (b.bank[i] == Bank::None || b.bank[i] == Bank::Out) return bad("a bank that operands don't have");
    if (b.bank[i] == Bank::Imm && (i != 1 || info.baseOperands > 2)) return bad("an immediate where none may be");
  }
  if (info.baseResult == 'R' || info.baseResult == 'A') {
    b.resultBank = static_cast<Bank>(lo.get(32, 3));
    if (b.resultBank != Bank::Out && b.resultBank != Bank::Temp && b.resultBank != Bank::Addr)
      return bad("a bank that results don't have");
  }
  b.saturate = lo.get(35, 1);
  if (info.baseResult == 'R' || info.baseResult == 'A') b.mask = static_cast<uint8_t>(lo.get(36, 4));
  b.relative = lo.get(40, 1);
  if (b.relative) {
    b.relReg = static_cast<uint8_t>(lo.get(41, 2)), b.relComponent = static_cast<uint8_t>(lo.get(43, 2));
    b.relOffset = static_cast<int16_t>(lo.getSigned(45, 9));
  }
  b.reg[0] = static_cast<uint8_t>(hi.get(0, 8)), b.swizzle[0] = static_cast<uint8_t>(hi.get(8, 8));
  b.resultReg = static_cast<uint8_t>(hi.get(16, 8));
  if (usesImmediateForm(inst)) {
    if (hi.get(24, 8)) return bad("reserved bits are set");
    inst.imm = hi.get(32, 32);
  } else {
    if (hi.get(56, 8)) return bad("reserved bits are set");
    b.reg[1] = static_cast<uint8_t>(hi.get(24, 8)), b.swizzle[1] = static_cast<uint8_t>(hi.get(32, 8));
    b.reg[2] = static_cast<uint8_t>(hi.get(40, 8)), b.swizzle[2] = static_cast<uint8_t>(hi.get(48, 8));
  }
  canonicalize(inst, info);
  return inst;
}

}  // namespace

const char* immediateProblem(const Inst& inst) {
  switch (inst.op) {
    case Opcode::PixLd: return PixLdImm::problem(inst.imm);
    case Opcode::Tld4:
      if (inst.src[1].present() != (Tld4Imm::unpack(inst.imm).otherWords() != 0))
        return "handle, offsets and reference are one operand, if there are any";
      return Tld4Imm::problem(inst.imm, inst.sub);
    case Opcode::LdRaw:
    case Opcode::StRaw:
      if (!(inst.op == Opcode::LdRaw ? inst.dst : inst.src[2]).present()) return "the register is missing";
      if ((inst.op == Opcode::LdRaw ? inst.dst : inst.src[2]).word % 4) return "raw accesses take whole registers";
      return RawImm::problem(inst.imm);
    default: return nullptr;
  }
}

EncodedInst encode(const Inst& inst) {
  const OpInfo& info = opInfo(inst);
  return info.extension ? encodeExtension(inst) : encodeBase(inst, info);
}

std::vector<EncodedInst> encode(const std::vector<Inst>& code) {
  std::vector<EncodedInst> words;
  words.reserve(code.size());
  for (const Inst& inst : code) words.push_back(encode(inst));
  return words;
}

Result<Inst> decode(const EncodedInst& word) {
  const Fields lo{word.lo}, hi{word.hi};
  const OpInfo& info = opInfo(static_cast<Opcode>(lo.get(0, 8)));
  if (!info.name) return bad("no such opcode");
  return info.extension ? decodeExtension(lo, hi, info) : decodeBase(lo, hi, info);
}

Result<std::vector<Inst>> decode(std::span<const EncodedInst> words) {
  std::vector<Inst> code;
  code.reserve(words.size());
  for (const EncodedInst& w : words) {
    auto inst = decode(w);
    if (!inst) return inst.error();
    code.push_back(*inst);
  }
  return code;
}

}  // namespace etzel::isa
