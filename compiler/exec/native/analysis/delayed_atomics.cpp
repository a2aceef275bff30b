#include "compiler/exec/native/analysis/delayed_atomics.h"

#include <set>

#include "compiler/isa/info.h"
#include "runtime/abi/delayed_atomics.h"

namespace etzel::native {
namespace {

using isa::Inst;
using isa::Opcode;
using isa::Space;

/// Whether others see what the instruction does to memory, or it sees what others did.
bool reachesOutside(const Inst& inst) {
  switch (isa::opInfo(inst).native) {
    case isa::Native::Texture: return true;
    case isa::Native::Memory: {
      if (inst.op == Opcode::Desc || inst.op == Opcode::BufSize) return false;
      return isa::spaceOf(inst).reach == isa::SpaceInfo::Reach::Outside;
    }
    default: return !isa::isPure(inst) && isa::opInfo(inst).native != isa::Native::Flow;
  }
}

bool isAtomicOutside(const Inst& inst) {
  return inst.op == Opcode::Atom && static_cast<Space>(inst.sub) != Space::Shared;
}

/// Where the invocation may go on from `at`: the beginning of the outermost loop around it.
uint32_t firstAfter(const std::vector<Inst>& code, uint32_t at) {
  uint32_t depth = 0, outermost = at + 1;
  for (uint32_t i = 0; i < at; ++i) {
    if (code[i].op == Opcode::Loop && depth++ == 0) outermost = i;
    if (code[i].op == Opcode::EndLoop) --depth;
  }
  return depth ? outermost : at + 1;
}

}  // namespace

std::optional<isa::ReduceOp> reductionOf(abi::AtomicOp op) {
  using abi::AtomicOp;
  using isa::ReduceOp;
  switch (op) {
    case AtomicOp::Add:
    case AtomicOp::Sub: return ReduceOp::Add;
    case AtomicOp::SMin: return ReduceOp::SMin;
    case AtomicOp::UMin: return ReduceOp::UMin;
    case AtomicOp::SMax: return ReduceOp::SMax;
    case AtomicOp::UMax: return ReduceOp::UMax;
    case AtomicOp::And: return ReduceOp::And;
    case AtomicOp::Or: return ReduceOp::Or;
    case AtomicOp::Xor: return ReduceOp::Xor;
    default: return std::nullopt;
  }
}

bool isAtOnePlace(const Webs& webs, const Divergence& divergence, const Inst& atomic) {
  return isUniform(webs, divergence, atomic.src[0], isa::srcWords(atomic, 0)) &&
         isUniform(webs, divergence, atomic.src[1]);
}

std::map<uint32_t, uint32_t> findDelayedAtomics(const Webs& webs, const Divergence& divergence) {
  const std::vector<Inst>& code = webs.program.code;
  if (const abi::Stage stage = webs.program.info.stage; stage != abi::Stage::Compute && stage != abi::Stage::Fragment)
    return {};
  std::map<uint32_t, uint32_t> found;
  std::set<isa::ReduceOp> operations;
  uint32_t slots = 0;
  bool ownPlaces = false;
  for (uint32_t i = 0; i < code.size(); ++i) {
    const Inst& inst = code[i];
    if (isa::opInfo(inst).native == isa::Native::Texture && !isa::isPure(inst)) return {};
    if (!isAtomicOutside(inst)) continue;
    const std::optional<isa::ReduceOp> operation = reductionOf(static_cast<abi::AtomicOp>(inst.atomic));
    // Of different sizes one might lie in another.
    if (inst.dst.present() || !operation || inst.type != code[found.empty() ? i : found.begin()->first].type) return {};
    operations.insert(*operation);
    const bool onePlace = isAtOnePlace(webs, divergence, inst);
    ownPlaces |= !onePlace;
    found.emplace(i, onePlace ? slots++ : kOwnPlaces);
  }
  if (slots > abi::DelayedAtomics::kSlots || (ownPlaces && operations.size() > 1)) return {};
  for (const auto& [at, slot] : found)
    for (uint32_t i = firstAfter(code, at); i < code.size(); ++i)
      if (code[i].op == Opcode::Barrier || (reachesOutside(code[i]) && !found.count(i))) return {};
  return found;
}

}  // namespace etzel::native
