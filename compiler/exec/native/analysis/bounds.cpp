#include "compiler/exec/native/analysis/bounds.h"

#include <algorithm>
#include <bit>

#include "compiler/exec/native/analysis/constants.h"
#include "compiler/isa/info.h"

namespace etzel::native {

using isa::Inst;
using isa::Opcode;
using isa::Operand;

namespace {
constexpr uint64_t kWords = uint64_t(1) << 32;
constexpr uint32_t kFar = 1u << 30;  // numbers below it are not negative with a sign either, nor is the sum of two
uint32_t orNone(uint64_t most) { return most < kWords ? static_cast<uint32_t>(most) : Bounds::kNone; }
}  // namespace

Bounds::Bounds(const Webs& webs) : webs_(webs) {
  findScopes();
  findWrites();
  most_.assign(webs.count, kNone);
  facts_.resize(webs.count);
  const auto& code = webs.program.code;
  for (uint32_t i = 0; i < code.size(); ++i) {
    const Inst& inst = code[i];
    if (inst.op == Opcode::BrC) learn(inst, i);
    if (!isWord(inst.dst) || isa::dstWords(inst) != 1) continue;
    const uint32_t web = webs.webOf(inst.dst);
    if (writes_[web].size() == 1) most_[web] = ofResult(inst, i);
  }
}

void Bounds::findScopes() {
  const auto& code = webs_.program.code;
  const auto n = static_cast<uint32_t>(code.size());
  until_.assign(n, n), opener_.assign(n, kNoScope);
  std::vector<uint32_t> ends, openers;
  for (uint32_t i = n; i-- > 0;) {
    until_[i] = ends.empty() ? n : ends.back();
    if (isa::closesScope(code[i].op))
      ends.push_back(i);
    else if (code[i].op == Opcode::Else)
      ends.back() = i;
    else if (isa::opensScope(code[i].op))
      ends.pop_back();
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (isa::closesScope(code[i].op)) openers.pop_back();
    opener_[i] = openers.empty() ? kNoScope : openers.back();
    if (isa::opensScope(code[i].op)) openers.push_back(i);
  }
}

void Bounds::findWrites() {
  writes_.resize(webs_.count);
  const auto& code = webs_.program.code;
  for (uint32_t i = 0; i < code.size(); ++i)
    if (isWord(code[i].dst))
      for (uint32_t w = 0, n = isa::dstWords(code[i]); w < n; ++w) writes_[webs_.webOf(code[i].dst, w)].push_back(i);
}

uint32_t Bounds::most(Operand o, uint32_t at) const {
  if (o.bank == isa::Bank::None) return 0;
  if (o.bank == isa::Bank::Param) return paramWord(webs_.program, o.word);
  return isWord(o) ? mostOf(webs_.webOf(o), at) : kNone;
}

uint32_t Bounds::mostOf(uint32_t web, uint32_t at) const {
  uint32_t most = kNone;
  // Lanes that run here ran there: only the end of a scope brings lanes back.
  if (writes_[web].size() == 1 && writes_[web][0] < at && at <= until_[writes_[web][0]]) most = most_[web];
  for (const Fact& f : facts_[web])
    if (f.from < at && at <= f.to) most = std::min(most, f.most);
  return most;
}

uint32_t Bounds::ofSystemValue(abi::SysValue v) const {
  using abi::SysValue;
  const abi::ProgramInfo& info = webs_.program.info;
  if (info.stage != abi::Stage::Compute) return kNone;
  const uint64_t all = uint64_t(info.localSize[0]) * info.localSize[1] * info.localSize[2];
  const auto below = [](uint64_t count) { return count ? orNone(count - 1) : kNone; };
  switch (v) {
    case SysValue::LocalIdX: return below(info.localSize[0]);
    case SysValue::LocalIdY: return below(info.localSize[1]);
    case SysValue::LocalIdZ: return below(info.localSize[2]);
    case SysValue::LocalIndex: return below(all);
    case SysValue::LaneId: return kWarpLanes - 1;
    case SysValue::SubgroupId: return below(divideUp(all, kWarpLanes));
    default: return kNone;
  }
}

uint32_t Bounds::ofResult(const Inst& inst, uint32_t at) const {
  if (inst.op == Opcode::LdImm) return inst.imm;
  if (inst.op == Opcode::Sys) return ofSystemValue(static_cast<abi::SysValue>(inst.imm));
  if (inst.op == Opcode::XMov) return most(inst.src[0], at);
  if (inst.type != isa::Type::I32) return kNone;
  const uint64_t a = most(inst.src[0], at), b = most(inst.src[1], at);
  const bool constant = inst.src[1].bank == isa::Bank::Param;
  switch (inst.op) {
    case Opcode::IAdd: return orNone(a + b);
    case Opcode::IMul: return orNone(a * b);
    case Opcode::Shl: return constant ? orNone(a << (b & 31)) : kNone;
    case Opcode::Shr: return constant ? static_cast<uint32_t>(a >> (b & 31)) : static_cast<uint32_t>(a);
    case Opcode::And:
    case Opcode::UMin: return static_cast<uint32_t>(std::min(a, b));
    case Opcode::UMax: return static_cast<uint32_t>(std::max(a, b));
    case Opcode::Or:
    case Opcode::Xor: return static_cast<uint32_t>(std::bit_ceil(std::max(a, b) + 1) - 1);
    case Opcode::UMod: return constant && b ? static_cast<uint32_t>(std::min(a, b - 1)) : static_cast<uint32_t>(a);
    case Opcode::UDiv: return constant && b ? static_cast<uint32_t>(a / b) : kNone;
    case Opcode::Sel: return inst.count == 1 ? std::max(most(inst.src[1], at), most(inst.src[2], at)) : kNone;
    default: return kNone;
  }
}

uint32_t Bounds::staysUntil(uint32_t web, uint32_t at) const {
  uint32_t to = until_[at];
  for (uint32_t write : writes_[web]) {
    if (write <= at || write >= to) continue;
    // A write in an inner loop comes before what stands before it there, too.
    uint32_t first = write;
    for (uint32_t scope = opener_[write]; scope != kNoScope && scope > at; scope = opener_[scope]) first = scope;
    to = std::min(to, first);
  }
  return to;
}

bool Bounds::countsUp(uint32_t web, uint32_t from, uint32_t to) const {
  const auto& code = webs_.program.code;
  if (writes_[web].size() == 1) return most_[web] < kFar && writes_[web][0] < from && from <= until_[writes_[web][0]];
  if (writes_[web].size() != 2) return false;
  const Inst &start = code[writes_[web][0]], &step = code[writes_[web][1]];
  if (start.op != Opcode::XMov || step.op != Opcode::XMov || start.count != 1 || step.count != 1) return false;
  if (writes_[web][0] > from || most(start.src[0], writes_[web][0]) >= kFar || !isWord(step.src[0])) return false;
  const uint32_t next = webs_.webOf(step.src[0]);
  if (writes_[next].size() != 1) return false;
  const uint32_t at = writes_[next][0];
  const Inst& sum = code[at];
  return sum.op == Opcode::IAdd && sum.type == isa::Type::I32 && isWord(sum.src[0]) && webs_.webOf(sum.src[0]) == web &&
         from < at && at <= to && sum.src[1].bank == isa::Bank::Param && most(sum.src[1], at) < kFar;
}

/// `if (x >= limit) leave`: those that stay have less.
void Bounds::learn(const Inst& leave, uint32_t at) {
  using isa::CmpI;
  if (!isWord(leave.src[0])) return;
  const auto& writes = writes_[webs_.webOf(leave.src[0])];
  if (writes.size() != 1 || writes[0] > at || at > until_[writes[0]]) return;
  const Inst& test = webs_.program.code[writes[0]];
  if (test.op != Opcode::ICmp || test.type != isa::Type::I32) return;
  const auto op = static_cast<CmpI>(test.sub);
  const bool left = op == CmpI::UGe || op == CmpI::UGt || op == CmpI::SGe || op == CmpI::SGt;
  const bool right = op == CmpI::ULe || op == CmpI::ULt || op == CmpI::SLe || op == CmpI::SLt;
  if (!left && !right) return;
  const bool orEqual = op == CmpI::UGe || op == CmpI::SGe || op == CmpI::ULe || op == CmpI::SLe;
  const bool isSigned = op == CmpI::SGe || op == CmpI::SGt || op == CmpI::SLe || op == CmpI::SLt;
  const Operand value = test.src[left ? 0 : 1], limit = test.src[left ? 1 : 0];
  if (!isWord(value)) return;
  const uint32_t web = webs_.webOf(value), to = staysUntil(web, writes[0]);
  if (to <= at) return;
  uint32_t most = this->most(limit, writes[0]);
  if (most == kNone || (isSigned && (most >= kFar || !countsUp(web, at, to)))) return;
  if (orEqual && most) --most;
  facts_[web].push_back({at, std::min(to, until_[at]), most});
}

}  // namespace etzel::native
