#include "compiler/exec/native/analysis/constants.h"

#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Bank;
using isa::Opcode;

std::optional<uint32_t> pushedAt(const Webs& webs, const std::vector<Constant>& constants, const isa::Inst& inst) {
  if (inst.op != Opcode::Ld || static_cast<isa::Space>(inst.sub) != isa::Space::Push || isa::typeBytes(inst.type) < 4)
    return {};
  const std::optional<uint32_t> offset = inst.src[1].present() ? constantOf(webs, constants, inst.src[1]) : 0;
  const uint64_t at = uint64_t(offset.value_or(0)) + inst.imm;
  if (!offset || at % 4 || at + isa::dstWords(inst) * 4 > kPushBytes) return {};
  return static_cast<uint32_t>(at);
}

std::vector<Constant> findConstants(const Webs& webs) {
  std::vector<Constant> constants(webs.count);
  for (const isa::Inst& inst : webs.program.code) {
    if (inst.dst.bank != Bank::Temp) continue;
    for (uint32_t w = 0, n = isa::dstWords(inst); w < n; ++w) ++constants[webs.webOf(inst.dst, w)].writes;
    Constant& c = constants[webs.webOf(inst.dst)];
    if (inst.op == Opcode::Sys) c.sys = static_cast<abi::SysValue>(inst.imm);
    if (inst.op == Opcode::LdImm) c.known = true, c.value = inst.imm;
    if (inst.op == Opcode::Desc && !inst.src[0].present()) {
      const isa::Resource& r = webs.program.resources[inst.imm];
      c.known = true, c.value = r.count ? r.baseHandle : abi::kNullHandle;
    }
  }
  for (const isa::Inst& inst : webs.program.code) {
    const std::optional<uint32_t> at = pushedAt(webs, constants, inst);
    for (uint32_t w = 0; at && w < isa::dstWords(inst); ++w) {
      Constant& c = constants[webs.webOf(inst.dst, w)];
      if (c.writes == 1) c.pushed = *at + w * 4;
    }
  }
  return constants;
}

std::optional<uint32_t> constantOf(const Webs& webs, const std::vector<Constant>& constants, isa::Operand o) {
  if (o.bank == Bank::Param) return paramWord(webs.program, o.word);
  if (o.bank != Bank::Temp) return {};
  const Constant& c = constants[webs.webOf(o)];
  if (c.writes != 1 || !c.known) return {};
  return c.value;
}

}  // namespace etzel::native
