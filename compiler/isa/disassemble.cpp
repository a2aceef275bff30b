#include "compiler/isa/disassemble.h"

#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "compiler/isa/immediates.h"
#include "runtime/abi/groups_abreast.h"

namespace etzel::isa {
namespace {

__attribute__((format(printf, 2, 3))) void append(std::string& out, const char* format, ...) {
  char text[160];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  out += text;
}

constexpr char kComponents[] = "xyzw";

void guard(std::string& out, const Inst& inst) {
  if (inst.predicated) append(out, "(%sp%u) ", inst.invertPredicate ? "!" : "", inst.predicate);
}
void tail(std::string& out, const Inst& inst) {
  if (inst.end) out += " !end";
  if (inst.wait) out += " !wait";
}

void operandText(std::string& out, const Operand& o) {
  if (!o.present()) {
    out += "-";
    return;
  }
  append(out, "%s%u.%c", bankName(o.bank), o.word / 4, kComponents[o.word % 4]);
}

void maskText(std::string& out, uint8_t mask) {
  if (mask == 0xF) return;
  out += ".";
  if (mask == 0) out += "_";
  for (uint32_t c = 0; c < 4; ++c)
    if (mask & (8u >> c)) out += kComponents[c];
}

void swizzleText(std::string& out, uint8_t s) {
  if (s == 0x1B) return;
  const uint32_t last = s & 3;
  out += ".";
  if (s == last * 0x55u) {
    out += kComponents[last];
    return;
  }
  for (int at = 6; at >= 0; at -= 2) out += kComponents[s >> at & 3];
}

void addressText(std::string& out, const Operand& base, int32_t offset) {
  out += "[";
  if (base.present()) {
    operandText(out, base);
    if (offset) append(out, " %c %d", offset < 0 ? '-' : '+', std::abs(offset));
  } else {
    append(out, "%d", offset);
  }
  out += "]";
}
void registerText(std::string& out, const Operand& o) {
  if (o.present())
    append(out, "%s%u", bankName(o.bank), o.word / 4);
  else
    out += "-";
}

void pixelQueryText(std::string& out, const Inst& inst) {
  const PixLdImm imm = PixLdImm::unpack(inst.imm, inst.src[0].present());
  out += " ";
  operandText(out, inst.dst);
  if (imm.hasPredicate) append(out, ", p%u", imm.predicate);
  if (!inst.src[0].present() && imm.offset == 0) return;
  out += ", ";
  addressText(out, inst.src[0], imm.offset);
}

void rawText(std::string& out, const Inst& inst) {
  const RawImm imm = RawImm::unpack(inst.imm);
  const bool load = inst.op == Opcode::LdRaw;
  out += " ";
  if (load) {
    registerText(out, inst.dst);
    if (inst.dst.present()) maskText(out, imm.mask);
    out += ", ";
  }
  operandText(out, inst.src[0]);
  out += ", ";
  addressText(out, inst.src[1], imm.offset);
  load ? swizzleText(out, imm.swizzle) : maskText(out, imm.mask);
  if (load) {
    if (inst.src[2] == (imm.mask == 0xF ? Operand{} : inst.dst)) return;
    out += ", ";
    operandText(out, inst.src[2]);
  } else {
    out += ", ";
    registerText(out, inst.src[2]);
    swizzleText(out, imm.swizzle);
  }
}

void gatherText(std::string& out, const Inst& inst) {
  constexpr const char* params[] = {"2d", "cube", "array_2d", "array_cube"};
  constexpr const char* offsets[] = {"", ".aoffi", ".ptp", ""};
  constexpr const char* phases[] = {"", ".t", ".p", ""};
  constexpr const char* types[] = {"", ".sint", ".uint", ""};
  const Tld4Imm imm = Tld4Imm::unpack(inst.imm);
  append(out, "tld4.%c%s%s%s%s%s%s%s", "rgba"[imm.component], imm.bindless ? ".b" : "", offsets[size_t(imm.offsets)],
         imm.dref ? ".dc" : "", imm.ndv ? ".ndv" : "", imm.nodep ? ".nodep" : "", phases[size_t(imm.phase)],
         types[imm.type & 3]);
  if (inst.count != 1) append(out, ".x%u", inst.count);
  if (inst.masked) out += ".m";
  out += " ";
  if (imm.hasPredicate) append(out, "p%u, ", imm.predicate);
  operandText(out, inst.dst);
  out += ", ";
  operandText(out, inst.src[0]);
  if (imm.otherWords()) out += ", ", operandText(out, inst.src[1]);
  if (!imm.bindless) append(out, ", t%u", imm.texture);
  if (inst.sub != Tld4Imm::kSamplerOfTexture) append(out, ", s%u", inst.sub);
  append(out, ", %s", params[size_t(imm.param)]);
  if (imm.mask != 0xF) append(out, ", #0x%x", imm.mask);
}

void extensionText(std::string& out, const Inst& inst, const OpInfo& info) {
  if (inst.op == Opcode::Tld4) return gatherText(out, inst);
  out += info.mnemonic;
  if (info.sub != SubKind::None) append(out, ".%s", subName(inst));
  if (info.atomic) append(out, ".%s", atomicName(static_cast<abi::AtomicOp>(inst.atomic)));
  if (info.typeMask != 1) append(out, ".%s", typeName(inst.type));
  if (inst.count != 1) append(out, ".x%u", inst.count);
  if (inst.masked) out += ".m";
  if (inst.op == Opcode::PixLd) return pixelQueryText(out, inst);
  if (inst.op == Opcode::LdRaw || inst.op == Opcode::StRaw) return rawText(out, inst);
  const char* separator = " ";
  auto comma = [&] {
    out += separator;
    separator = ", ";
  };
  if (info.dst != OperandShape::None) {
    comma();
    operandText(out, inst.dst);
  }
  for (uint32_t i = 0; i < info.srcCount; ++i) {
    comma();
    operandText(out, inst.src[i]);
  }
  if (info.immediate) {
    comma();
    append(out, inst.imm > 9 ? "#0x%x" : "#%u", inst.imm);
  }
}

// The text of an immediate must read back to the same bits, so floats are printed with all digits.
void immediateText(std::string& out, const Inst& inst, bool integer, bool negate, bool absolute) {
  if (negate) out += "-";
  if (absolute) out += "|";
  if (integer) {
    append(out, "%u", inst.imm);  // a sign would be the operand's modifier
  } else {
    const float f = std::bit_cast<float>(inst.imm);
    if (std::isfinite(f) && !std::signbit(f))
      append(out, "%.9g", f);
    else
      append(out, "0x%08x", inst.imm);
  }
  if (absolute) out += "|";
}

void baseOperand(std::string& out, const Inst& inst, const OpInfo& info, uint32_t i) {
  const BaseFields& b = inst.base;
  const bool predicateOperand = info.baseKind == 'P';  // andp, jmp; setp* compare numbers
  if (predicateOperand && b.absolute[i]) {
    out += b.negate[i] ? "true" : "false";
    return;
  }
  const bool constant = b.bank[i] == Bank::Param || b.bank[i] == Bank::Param2;
  if (predicateOperand && !constant) {
    append(out, "%sp%u", b.negate[i] ? "!" : "", b.reg[i]);
    return;
  }
  if (b.bank[i] == Bank::Imm) {
    immediateText(out, inst, info.baseInteger, b.negate[i], b.absolute[i]);
    return;
  }
  if (b.negate[i]) out += predicateOperand ? "!" : "-";
  if (b.absolute[i]) out += "|";
  const uint32_t reg = b.reg[i] + (b.bank[i] == Bank::Param2 ? 256 : 0);
  if (constant && b.relative) {
    append(out, "c%u[a%u.%c", reg, b.relReg, kComponents[b.relComponent & 3]);
    if (b.relOffset) append(out, " %c %d", b.relOffset < 0 ? '-' : '+', std::abs(b.relOffset));
    out += "]";
  } else {
    append(out, "%s%u", bankName(b.bank[i]), reg);
  }
  swizzleText(out, b.swizzle[i]);
  if (b.absolute[i]) out += "|";
}

void baseText(std::string& out, const Inst& inst, const OpInfo& info) {
  const BaseFields& b = inst.base;
  out += info.mnemonic;
  if (b.saturate && info.baseResult != 'P') out += "_sat";
  const char* separator = " ";
  auto comma = [&] {
    out += separator;
    separator = ",";
  };
  if (info.baseResult == 'P') {
    comma();
    append(out, "%sp%u", b.saturate ? "!" : "", b.resultReg);
  } else if (info.baseResult) {
    comma();
    append(out, "%s%u", bankName(b.resultBank), b.resultReg);
    maskText(out, b.mask);
  }
  for (uint32_t i = 0; i < info.baseOperands; ++i) {
    const bool unit = i == 1 && (info.baseKind == 'T' || info.baseKind == 'A' || info.baseKind == 'L');
    comma();
    if (unit)
      append(out, "%s%u", info.baseKind == 'L' ? "s" : "t", b.reg[1]);
    else
      baseOperand(out, inst, info, i);
  }
  if (inst.op == Opcode::Jmp) append(out, ",%d", static_cast<int32_t>(inst.imm));
}

/// Any bytes between quotes, in characters that end nothing in the assembler.
void quoted(std::string& out, const std::string& text) {
  out += " \"";
  for (const char c : text) {
    const bool plain = c >= ' ' && c < 0x7F && c != '"' && c != '\\' && c != ';';
    if (plain)
      out += c;
    else
      append(out, "\\%02x", static_cast<uint8_t>(c));
  }
  out += "\"\n";
}

void abortMessageText(std::string& out, const abi::AbortMessage& m) {
  append(out, ".abort %u %u %u", m.textAt, m.textBytes, m.line);
  quoted(out, m.bytes);
  out.pop_back();
  quoted(out, m.file);
}

void printFormatText(std::string& out, const abi::PrintFormat& format) {
  out += ".print";
  for (const abi::PrintValue& v : format.values) {
    append(out, " %c%u", "biuf"[static_cast<uint32_t>(v.kind) & 3], v.bits);
    if (v.components != 1) append(out, "x%u", v.components);
  }
  quoted(out, format.text);
}

}  // namespace

std::string toText(const Inst& inst) {
  const OpInfo& info = opInfo(inst);
  std::string out;
  if (!info.name) {
    append(out, ".invalid 0x%02x", static_cast<unsigned>(inst.op));
    return out;
  }
  guard(out, inst);
  if (info.extension)
    extensionText(out, inst, info);
  else
    baseText(out, inst, info);
  tail(out, inst);
  return out;
}

std::string disassemble(const Program& program) {
  std::string out;
  if (!program.name.empty()) append(out, ".name %.120s\n", program.name.c_str());
  append(out, ".stage %s\n", stageName(program.info.stage));
  append(out, ".temps %u\n", program.tempWords);
  if (program.scratchBytes) append(out, ".scratch %u\n", program.scratchBytes);
  if (program.info.sharedBytes) append(out, ".shared %u\n", program.info.sharedBytes);
  if (program.info.stage == abi::Stage::Compute)
    append(out, ".local %u %u %u\n", program.info.localSize[0], program.info.localSize[1], program.info.localSize[2]);
  if (abi::groupsLieAbreast(program.info))
    out += ".abreast\n";
  else if (program.info.subgroupSize != kWarpLanes)
    append(out, ".subgroup %u\n", program.info.subgroupSize);
  for (const Resource& r : program.resources)
    append(out, ".resource %u %u 0x%08x %u %u%s\n", r.set, r.binding, r.baseHandle, r.strideBytes, r.count,
           r.certain ? " 1" : "");
  for (size_t i = 0; i < program.constants.size(); ++i) {
    const auto& c = program.constants[i];
    append(out, ".const 0x%08x 0x%08x 0x%08x 0x%08x  ; c%zu\n", c[0], c[1], c[2], c[3], i);
  }
  for (size_t i = 0; i < program.table.size(); i += 8) {
    out += ".table";
    for (size_t w = i; w < std::min(i + 8, program.table.size()); ++w) append(out, " 0x%08x", program.table[w]);
    append(out, "  ; byte 0x%zx\n", i * 4);
  }
  for (const abi::PrintFormat& format : program.prints) printFormatText(out, format);
  for (const abi::AbortMessagePtr& message : program.aborts) abortMessageText(out, *message);
  uint32_t depth = 0, line = 0;
  for (size_t i = 0; i < program.code.size(); ++i) {
    const Inst& inst = program.code[i];
    if (inst.line != line && inst.line != 0 && inst.line <= program.locations.size()) {
      const SourceLocation& l = program.locations[inst.line - 1];
      append(out, "; %.100s:%u:%u\n", l.file.c_str(), l.line, l.column);
      line = inst.line;
    }
    if ((closesScope(inst.op) || inst.op == Opcode::Else) && depth) --depth;
    append(out, "%5zu  ", i);
    out.append(2 * std::min(depth, 40u), ' ');
    out += toText(inst);
    if (inst.op == Opcode::Sys && inst.imm < abi::kSysValueCount)
      append(out, "  ; %s", sysValueName(static_cast<abi::SysValue>(inst.imm)));
    if (inst.op == Opcode::LdImm) append(out, "  ; %.9g", std::bit_cast<float>(inst.imm));
    out += "\n";
    if (opensScope(inst.op) || inst.op == Opcode::Else) ++depth;
  }
  return out;
}

}  // namespace etzel::isa
